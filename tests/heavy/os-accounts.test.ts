import { execFile } from 'node:child_process';
import { chown, readFile, rm, stat, readdir, readlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { createClosedCheckout, findReadableCheckout } from '#tests/support/checkout.ts';
import {
  isRoot,
  createDirectory,
  unprivilegedUser,
  readPostmasterPid,
  register,
  signIn,
  startParley,
  createTemporaryDataDirectory,
  createTemporaryDirectory,
} from '#tests/support/parley.ts';

const run = promisify(execFile);

test('an ordinary user starts Parley, only that user can open the data directory, and root runs PostgreSQL as its owner', async () => {
  const parent = await createTemporaryDirectory();
  if (isRoot) await chown(parent, unprivilegedUser.uid, unprivilegedUser.gid);
  const data = await createTemporaryDataDirectory(parent);
  const parley = startParley({
    ...(await findReadableCheckout()),
    env: { PARLEY_DATA: data },
    ...(isRoot && { user: unprivilegedUser }),
  });
  expect(await register(await parley.ready, 'Ada')).toBe(201);
  expect((await stat(data)).mode & 0o777).toBe(0o700);
  parley.signal('SIGTERM');
  expect(await parley.ended).toBe(0);
  if (!isRoot) return;
  const ofRoot = startParley({ env: { PARLEY_DATA: data } });
  expect((await signIn(await ofRoot.ready, 'Ada')).status).toBe(200);
  expect((await stat(`/proc/${await readPostmasterPid(data)}`)).uid).toBe(unprivilegedUser.uid);
});

test.runIf(isRoot)(
  'when root starts Parley, PostgreSQL runs as another user, who cannot write files that root reads',
  async () => {
    const data = await createTemporaryDataDirectory();
    const parley = startParley({ env: { PARLEY_DATA: data } });
    await parley.ready;
    expect((await stat(`/proc/${await readPostmasterPid(data)}`)).uid).not.toBe(0);
    expect((await stat(data)).uid).toBe(0);
    expect((await stat(path.join(data, 'passwords.json'))).uid).toBe(0);
  },
);

test.runIf(isRoot)(
  "below a directory that only root may enter, data and PostgreSQL's programs are stored in /var/lib/parley",
  async () => {
    const checkout = await createClosedCheckout();
    const first = startParley({ ...checkout, env: {} });
    const address = await first.ready;
    const [, data = ''] = await first.waitForOutput(
      /The data is stored in (\/var\/lib\/parley\/Parley checkout-[\da-f]{8}),/,
    );
    onTestFinished(() => rm(data, { recursive: true, force: true }));
    expect(await register(address, 'Ada')).toBe(201);
    expect(await readFile(`/proc/${await readPostmasterPid(data)}/cmdline`, 'utf8')).toMatch(
      /^\/var\/lib\/parley\/postgresql-[^/]+\/bin\/postgres\0/,
    );
    expect(await linksThatLeave(await programsOf(data))).toEqual([]);
    first.signal('SIGTERM');
    expect(await first.ended).toBe(0);
    const second = startParley({ ...checkout, env: {} });
    expect((await signIn(await second.ready, 'Ada')).status).toBe(200);
  },
);

test.runIf(isRoot)(
  'a configured data directory below a directory that only root may enter is rejected',
  async () => {
    const closed = await createDirectory(path.join(await createTemporaryDirectory(), 'closed'), 0o700);
    const data = path.join(closed, 'data');
    const parley = startParley({ env: { PARLEY_DATA: data } });
    expect(await parley.ended).toBe(1);
    expect(parley.output()).toMatch(
      new RegExp(
        `^The data directory ${data} cannot be entered by the user \\w+. PostgreSQL runs as this user .*\\n$`,
      ),
    );
  },
);

test.runIf(isRoot)('a full disk on the first start gives a one-sentence error', async () => {
  const directory = await createDirectory(path.join(await createTemporaryDirectory(), 'small disk'));
  await run('mount', ['-t', 'tmpfs', '-o', 'size=20m', 'none', directory]);
  onTestFinished(async () => void (await run('umount', [directory])));
  const data = path.join(directory, 'data');
  const parley = startParley({ env: { PARLEY_DATA: data } });
  expect(await parley.ended).toBe(1);
  expect(parley.output()).toBe(
    `The data directory ${data} cannot be written: the disk is full. Choose another with PARLEY_DATA.\n`,
  );
});

/** The directory with the programs that run on a data directory, such as /var/lib/parley/postgresql-18. */
async function programsOf(data: string): Promise<string> {
  const [program = ''] = (await readFile(`/proc/${await readPostmasterPid(data)}/cmdline`, 'utf8')).split(
    '\0',
  );
  return path.dirname(path.dirname(program));
}

/** Symbolic links in a directory that point outside it. */
async function linksThatLeave(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const links = entries.filter((entry) => entry.isSymbolicLink());
  expect(links.length).toBeGreaterThan(0);
  const targets = await Promise.all(links.map((entry) => readlink(path.join(entry.parentPath, entry.name))));
  return targets.filter((target) => path.isAbsolute(target) || target.startsWith('..'));
}
