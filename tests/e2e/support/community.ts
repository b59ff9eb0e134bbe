import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { findRunningConnection } from '#server/postgres/embedded.ts';
import { toDatabaseUrl } from '#tests/support/database-url.ts';
import { findFreePort } from '#tests/support/free-port.ts';
import { spawnParley, type ParleyOptions, type ParleyProcess } from '#tests/support/parley-process.ts';
import { copyPreparedDataDirectory } from '#tests/support/prepared-data-directory.ts';

/** A process that serves a community. */
export type ServerNode = {
  address: string;
  stop: () => Promise<void>;
  /** Ends it with SIGKILL, without a shutdown. */
  kill: () => Promise<void>;
  /** Starts it again after `stop` or `kill`, at the same address with the same data. */
  start: () => Promise<void>;
};

export type Community = ServerNode & {
  /** The data directory (PARLEY_DATA). */
  dataDirectory: string;
  /** Starts another node on the database of the first. It ends before the first node does. */
  addNode: (env?: NodeJS.ProcessEnv) => Promise<ServerNode>;
  /** Stops all nodes and deletes the data. */
  remove: () => Promise<void>;
};

/** `cheapPasswords` is on unless a test measures time. */
type CommunityOptions = { demo?: boolean; env?: NodeJS.ProcessEnv; cheapPasswords?: boolean };

/** Starts a Parley without members on a free port, or with the demo community. */
export async function startCommunity({
  demo = false,
  env = {},
  cheapPasswords = true,
}: CommunityOptions = {}): Promise<Community> {
  const parent = await mkdtemp(path.join(os.tmpdir(), 'parley-e2e-'));
  // As root, PostgreSQL runs as another user, who needs access to the directory.
  await chmod(parent, 0o711);
  const dataDirectory = path.join(parent, 'data');
  const shared = {
    PARLEY_DATA: dataDirectory,
    LOG_LEVEL: 'info',
    SECRET: randomBytes(32).toString('hex'),
    ...env,
  };
  await copyPreparedDataDirectory(dataDirectory);
  const parameters = demo ? ['--demo'] : [];
  const first = await startNode({ env: shared, parameters, cheapPasswords });
  const others: ServerNode[] = [];

  const addNode = async (env: NodeJS.ProcessEnv = {}) => {
    const connection = await findRunningConnection(dataDirectory);
    if (connection === undefined) throw new Error('the first node is not running');
    const node = await startNode({
      env: { ...shared, ...env, DATABASE_URL: toDatabaseUrl(connection) },
      cheapPasswords,
    });
    others.push(node);
    return node;
  };
  const remove = async () => {
    await Promise.all(others.map((node) => node.stop()));
    await first.stop();
    await rm(parent, { recursive: true, force: true });
  };
  return { ...first, dataDirectory, addNode, remove };
}

async function startNode({ env, ...options }: ParleyOptions): Promise<ServerNode> {
  const port = String(await findFreePort());
  let parley: ParleyProcess | null = null;
  const start = async () => {
    parley = spawnParley({ ...options, env: { ...env, PORT: port } });
    await parley.ready;
  };
  const end = async (signal: NodeJS.Signals) => {
    parley?.signal(signal);
    await parley?.ended;
    parley = null;
  };
  await start();
  return {
    address: `http://127.0.0.1:${port}`,
    start,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}
