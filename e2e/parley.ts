import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { spawnParley, type ParleyProcess } from '#server/testing/process.ts';

export type Community = {
  address: string;
  /** As PARLEY_DATA names it. */
  dataFolder: string;
  stop: () => Promise<void>;
  /** Starts again after `stop`, at the same address with the same data. */
  start: () => Promise<void>;
  /** Stops and deletes the data. */
  remove: () => Promise<void>;
};

/** A Parley with an empty data folder on a free port. */
export async function newCommunity(): Promise<Community> {
  const parent = await mkdtemp(path.join(os.tmpdir(), 'parley-e2e-'));
  // Root's PostgreSQL runs as another user, who must be able to pass.
  await chmod(parent, 0o711);
  const env = { PARLEY_DATA: path.join(parent, 'data'), LOG_LEVEL: 'info', PORT: String(await freePort()) };
  let parley: ParleyProcess | null = null;

  const start = async () => {
    parley = spawnParley({ env });
    await parley.ready;
  };
  const stop = async () => {
    parley?.signal('SIGTERM');
    await parley?.ended;
    parley = null;
  };
  const remove = async () => {
    await stop();
    await rm(parent, { recursive: true, force: true });
  };
  await start();
  return { address: `http://127.0.0.1:${env.PORT}`, dataFolder: env.PARLEY_DATA, start, stop, remove };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}
