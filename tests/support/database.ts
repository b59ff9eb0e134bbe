import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { inject } from 'vitest';
import { withClient } from './database-client.ts';

/** How the tests of one run reach PostgreSQL; made by global-setup.ts. */
export type TestPostgresServer = {
  /** A connection of a user who may create databases. */
  admin: pg.ClientConfig;
  /** A connection of the user the tests work as, and that user's name as SQL. */
  user: pg.ClientConfig;
  owner: string;
  /** The database every test database is copied from: migrated and empty. */
  template: string;
};

declare module 'vitest' {
  export interface ProvidedContext {
    testServer: TestPostgresServer;
  }
}

export type TestDatabase = { connection: pg.ClientConfig; drop: () => Promise<void> };

/** A database of the caller's own, migrated and empty. Drop it when the tests of the file are done. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { admin, user, owner, template } = inject('testServer');
  const database = `test_${randomBytes(8).toString('hex')}`;
  await runAsAdmin(admin, `create database ${database} template ${template} owner ${owner}`);
  // No test here cuts the power, and waiting for the disk is most of what writing costs.
  await runAsAdmin(admin, `alter database ${database} set synchronous_commit = off`);
  return {
    connection: withDatabase(user, database),
    drop: () => runAsAdmin(admin, `drop database if exists ${database} with (force)`),
  };
}

/** The same connection to another database. In a connection string, the database is its path. */
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
