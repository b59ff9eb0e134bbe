import { execFile, spawn } from 'node:child_process';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { createTemporaryDirectory } from '#tests/support/parley.ts';
import { watchProcess } from '#tests/support/parley-process.ts';

const run = promisify(execFile);
const scripts = import.meta.dirname;
const node = process.env['npm_node_execpath'] ?? 'node';

test('installs missing packages once, even when two starts run at the same time', async () => {
  const project = await smallProject();
  const [one, other] = await Promise.all([install(project), install(project)]);
  expect(`${one}${other}`.match(/Installing packages with npm ci, because none are installed/g)).toHaveLength(
    1,
  );
  expect(await readFile(path.join(project, 'node_modules/part/index.js'), 'utf8')).toBe('// part');
  expect(await install(project)).toBe('');
});

test('reinstalls packages when package-lock.json requires another version', async () => {
  const project = await smallProject();
  await install(project);
  await changeLock(project, '2.0.0');
  expect(await install(project)).toContain('because part is 1.0.0 instead of 2.0.0');
});

test('leaves a node_modules that is a symbolic link unchanged', async () => {
  const project = await smallProject();
  const elsewhere = await createTemporaryDirectory();
  await writeFile(path.join(elsewhere, 'mine'), '');
  await symlink(elsewhere, path.join(project, 'node_modules'));
  expect(await install(project)).toContain('node_modules is a symbolic link and is left unchanged');
  expect(await readFile(path.join(elsewhere, 'mine'), 'utf8')).toBe('');
});

test('reports the output of npm when package-lock.json does not match package.json', async () => {
  const project = await smallProject();
  await changeLock(project, '2.0.0', 'package-lock.json');
  const output = await install(project);
  expect(output).toContain('Failed to install the packages: npm ci failed.');
});

test('takes over the lock of a killed process', async () => {
  const project = await smallProject();
  const ended = watchProcess(spawn(node, ['--version'], { stdio: ['ignore', 'pipe', 'pipe'] }));
  await ended.ended;
  await mkdir(path.join(project, 'dist'));
  await writeFile(path.join(project, 'dist/.lock'), String(ended.pid));
  expect(await install(project)).toContain('Installing packages');
});

/** A project with one package that npm finds locally. */
async function smallProject(): Promise<string> {
  const project = path.join(await createTemporaryDirectory(), 'a project');
  await cp(path.join(scripts, 'lib'), path.join(project, 'scripts/lib'), { recursive: true });
  await packPart(project, '1.0.0');
  await packPart(project, '2.0.0');
  await changeLock(project, '1.0.0');
  return project;
}

async function packPart(project: string, version: string): Promise<void> {
  const directory = path.join(project, `part-${version}`);
  await mkdir(directory, { recursive: true });
  await writeFile(path.join(directory, 'package.json'), JSON.stringify({ name: 'part', version }));
  await writeFile(path.join(directory, 'index.js'), '// part');
  await run('npm', ['pack', directory, '--pack-destination', project], { cwd: project });
}

async function changeLock(project: string, version: string, only?: string): Promise<void> {
  const dependencies = { part: `file:part-${version}.tgz` };
  const base = { name: 'small', version: '1.0.0' };
  const part = { version, resolved: `file:part-${version}.tgz` };
  const files = {
    'package.json': { ...base, dependencies },
    'package-lock.json': {
      ...base,
      lockfileVersion: 3,
      packages: { '': { ...base, dependencies }, 'node_modules/part': part },
    },
  };
  for (const [name, content] of Object.entries(files))
    if (only === undefined || only === name)
      await writeFile(path.join(project, name), JSON.stringify(content));
}

/** Runs the installation and returns its output, including errors. */
async function install(project: string): Promise<string> {
  const script = `
    import { installPackages } from './scripts/lib/install.mjs';
    import { runScript } from './scripts/lib/project.mjs';
    await runScript(async () => { await installPackages(); return 0; });`;
  const child = spawn(node, ['--input-type=module', '--eval', script], {
    cwd: project,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const process = watchProcess(child);
  await process.ended;
  return process.output();
}
