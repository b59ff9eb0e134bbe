import { projectRoot } from '#server/core/paths.ts';
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import type { TestProject } from 'vitest/node';
import { openDatabase } from '#server/core/database.ts';
import { startEmbeddedPostgres } from '#server/postgres/embedded.ts';
import { migrate } from '#server/postgres/migrations.ts';
import { runAsAdmin, setFsync, type TestPostgresServer, withDatabase } from './database.ts';

type RunningServer = Omit<TestPostgresServer, 'template'> & { stop: () => Promise<void> };

type Prepared = { server: TestPostgresServer; stop: () => Promise<void> };

/** The projects of a run share one PostgreSQL, but each loads this file anew. */
const shared = globalThis as { testPostgres?: { prepared: Promise<Prepared>; projects: number } | undefined };

/**
 * Starts one PostgreSQL for the whole run, embedded or at TEST_DATABASE_URL (whose user must be allowed to create
 * databases), with a migrated database that every test file copies.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const postgres = (shared.testPostgres ??= { prepared: prepare(), projects: 0 });
  postgres.projects++;
  project.provide('testServer', (await postgres.prepared).server);
  return async () => {
    postgres.projects--;
    if (postgres.projects > 0) return;
    shared.testPostgres = undefined;
    await (await postgres.prepared).stop();
  };
}

async function prepare(): Promise<Prepared> {
  const url = process.env['TEST_DATABASE_URL'];
  const running = url === undefined ? await ownServer() : givenServer(url);
  const template = `template_${randomBytes(8).toString('hex')}`;
  await runAsAdmin(running.admin, `create database ${template} owner ${running.owner}`);
  const db = openDatabase({ connection: withDatabase(running.user, template) });
  await migrate(db, path.join(projectRoot, 'migrations'));
  await db.destroy();
  const { stop, ...server } = running;
  return {
    server: { ...server, template },
    async stop() {
      await runAsAdmin(server.admin, `drop database ${template} with (force)`);
      await stop();
    },
  };
}

async function ownServer(): Promise<RunningServer> {
  const parent = await mkdtemp(path.join(os.tmpdir(), 'parley-tests-'));
  // The embedded PostgreSQL creates the data directory itself, for the user it runs as.
  await chmod(parent, 0o711);
  const embedded = await startEmbeddedPostgres({
    dataDirectory: path.join(parent, 'data'),
    isTemporary: true,
    log: pino({ level: 'error' }),
  });
  await setFsync(embedded.superuser, 'off');
  return {
    admin: embedded.superuser,
    user: embedded.connection,
    owner: embedded.connection.user,
    isTemporary: true,
    async stop() {
      await embedded.stop();
      await rm(parent, { recursive: true, force: true });
    },
  };
}

function givenServer(url: string): RunningServer {
  const connection = { connectionString: url };
  const owner = pg.escapeIdentifier(new pg.Client(connection).user ?? 'postgres');
  return { admin: connection, user: connection, owner, isTemporary: false, stop: () => Promise.resolve() };
}
