import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { inject } from 'vitest';
import { withClient } from './database-client.ts';
import { eventually } from './eventually.ts';

/** Connections of the test run to PostgreSQL, created by global-setup.ts. */
export type TestPostgresServer = {
  /** Connects as a user who may create databases. */
  admin: pg.ClientConfig;
  /** Connects as the user of the tests; its name quoted for SQL. */
  user: pg.ClientConfig;
  owner: string;
  /** The migrated, empty database that every test database is copied from. */
  template: string;
  /** Whether it is deleted after the run, with all databases. */
  isTemporary: boolean;
};

declare module 'vitest' {
  export interface ProvidedContext {
    testServer: TestPostgresServer;
  }
}

export type TestDatabase = { connection: pg.ClientConfig; drop: () => Promise<void> };

/** Creates a migrated, empty database. Drop it after the tests of the file. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { admin, user, owner, template, isTemporary } = inject('testServer');
  // Copying files takes half of the time of writing them to the write-ahead log as well.
  const database = `test_${randomBytes(8).toString('hex')}`;
  await runAsAdmin(
    admin,
    `create database ${database} template ${template} owner ${owner} strategy file_copy`,
  );
  // Tests never cut the power, and waiting for the disk takes most of the time of a write.
  await runAsAdmin(admin, `alter database ${database} set synchronous_commit = off`);
  return {
    connection: withDatabase(user, database),
    async drop() {
      const dropped = runAsAdmin(admin, `drop database if exists ${database} with (force)`);
      // The next file need not wait for the checkpoint, and the server may end before.
      if (isTemporary) dropped.catch(() => {});
      else await dropped;
    },
  };
}

/** The same connection to another database. In a connection string, the database is the path. */
export function withDatabase(connection: pg.ClientConfig, database: string): pg.ClientConfig {
  const { connectionString } = connection;
  if (connectionString === undefined) return { ...connection, database };
  const url = new URL(connectionString);
  url.pathname = `/${database}`;
  return { ...connection, connectionString: url.href };
}

export async function runAsAdmin(admin: pg.ClientConfig, statement: string): Promise<void> {
  await withClient(admin, (client) => client.query(statement));
}

/**
 * Sets whether the temporary PostgreSQL of a run writes to the disk at once. It does not by default: tests never cut the
 * power, and a new database is some 1,000 files.
 */
export async function setFsync(admin: pg.ClientConfig, value: 'on' | 'off'): Promise<void> {
  await runAsAdmin(admin, `alter system set fsync = ${value}`);
  await runAsAdmin(admin, 'select pg_reload_conf()');
  // New connections have it a moment later.
  await eventually(() =>
    withClient(admin, async (client) => {
      const { rows } = await client.query<{ fsync: string }>('show fsync');
      return rows[0]?.fsync === value;
    }),
  );
}
