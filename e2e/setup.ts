import { chmod, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { spawnParley } from '#server/testing/process.ts';

/** Starts a Parley with an empty data folder on a free port, for all tests of the run. */
export default async function setup(): Promise<() => Promise<void>> {
  const parent = await mkdtemp(path.join(os.tmpdir(), 'parley-e2e-'));
  // Root's PostgreSQL runs as another user, who must be able to pass.
  await chmod(parent, 0o711);
  const parley = spawnParley({ env: { PARLEY_DATA: path.join(parent, 'data'), LOG_LEVEL: 'info' } });
  process.env['PARLEY_E2E_ADDRESS'] = await parley.ready;
  return async () => {
    parley.signal('SIGTERM');
    await parley.ended;
    await rm(parent, { recursive: true, force: true });
  };
}
