import { randomBytes } from 'node:crypto';
import { inject, onTestFinished } from 'vitest';
import { createTestDatabase, runAsAdmin, type TestDatabase, withDatabase } from './database.ts';
import { toDatabaseUrl } from './database-url.ts';
import { startParley } from './parley.ts';
import type { ParleyProcess } from './parley-process.ts';

/** Starts Parley processes on one database. */
export type TestCluster = {
  database: TestDatabase;
  start: (env?: NodeJS.ProcessEnv) => ParleyProcess;
};

/**
 * Creates a database for nodes in separate processes, dropped after the test; `bare` leaves migrations to the nodes.
 */
export async function createTestCluster({ bare = false } = {}): Promise<TestCluster> {
  const database = bare ? await createBareDatabase() : await createTestDatabase();
  onTestFinished(database.drop);
  const shared = { DATABASE_URL: toDatabaseUrl(database.connection), LOG_LEVEL: 'info' };
  return { database, start: (env = {}) => startParley({ env: { ...shared, ...env } }) };
}

async function createBareDatabase(): Promise<TestDatabase> {
  const { admin, user, owner } = inject('testServer');
  const database = `test_${randomBytes(8).toString('hex')}`;
  await runAsAdmin(admin, `create database ${database} owner ${owner}`);
  return {
    connection: withDatabase(user, database),
    drop: () => runAsAdmin(admin, `drop database if exists ${database} with (force)`),
  };
}
