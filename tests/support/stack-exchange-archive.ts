import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { createTestDatabase, type TestDatabase } from './database.ts';
import {
  importStackExchange,
  type ImportOptions,
  type ImportSummary,
} from '#server/import-export/stack-exchange-import.ts';

export type Attributes = Readonly<Record<string, string | number>>;

/** Rows by file: `{ Posts: [{ Id: 1, … }] }`. A string is the content of the file. */
export type ArchiveContent = Readonly<Record<string, readonly Attributes[] | string>>;

/** Writes an archive to a directory that is removed after the test. Returns the directory. */
export async function writeArchive(files: ArchiveContent, name = 'archive'): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), 'parley-archive-'));
  onTestFinished(() => rm(parent, { recursive: true }));
  const directory = join(parent, name);
  await mkdir(directory);
  for (const [file, rows] of Object.entries(files)) {
    await writeFile(join(directory, `${file}.xml`), typeof rows === 'string' ? rows : archiveXml(file, rows));
  }
  return directory;
}

/** The format of the archives: a byte order mark, Windows line endings, one row per line. */
export function archiveXml(file: string, rows: readonly Attributes[]): string {
  const root = file.toLowerCase();
  const lines = rows.map((row) => `  <row ${attributes(row)} />`);
  return ['\uFEFF<?xml version="1.0" encoding="utf-8"?>', `<${root}>`, ...lines, `</${root}>`].join('\r\n');
}

function attributes(row: Attributes): string {
  return Object.entries(row)
    .map(
      ([name, value]) =>
        `${name}="${String(value).replace(/[&<>"\r\n]/gu, (sign) => `&#${sign.codePointAt(0)};`)}"`,
    )
    .join(' ');
}

export function questionRow(id: number, more: Attributes = {}): Attributes {
  return {
    Id: id,
    PostTypeId: 1,
    CreationDate: '2015-01-01T10:00:00.000',
    Score: 0,
    ViewCount: 7,
    Title: `Title of ${id}`,
    Body: `<p>Question ${id}</p>\n`,
    Tags: '<beer>',
    OwnerUserId: 1,
    ...more,
  };
}

export function answerRow(id: number, parent: number, more: Attributes = {}): Attributes {
  return {
    Id: id,
    PostTypeId: 2,
    ParentId: parent,
    CreationDate: '2015-01-02T10:00:00.000',
    Score: 0,
    Body: `<p>Answer ${id}</p>\n`,
    OwnerUserId: 2,
    ...more,
  };
}

/** The excerpt (kind 4) or the wiki (kind 5) of a tag. */
export function tagTextRow(id: number, kind: 4 | 5, body: string, more: Attributes = {}): Attributes {
  return {
    Id: id,
    PostTypeId: kind,
    CreationDate: '2015-01-01T10:00:00.000',
    Score: 0,
    Body: body,
    ...more,
  };
}

export function commentRow(id: number, post: number, more: Attributes = {}): Attributes {
  return {
    Id: id,
    PostId: post,
    Score: 0,
    Text: `Comment ${id}`,
    CreationDate: '2015-01-03T10:00:00',
    UserId: 2,
    ...more,
  };
}

export function voteRow(id: number, post: number, kind: number, more: Attributes = {}): Attributes {
  return { Id: id, PostId: post, VoteTypeId: kind, CreationDate: '2015-01-03T00:00:00.000', ...more };
}

export function userRow(id: number, more: Attributes = {}): Attributes {
  return {
    Id: id,
    Reputation: 100 + id,
    CreationDate: '2014-01-01T00:00:00.000',
    DisplayName: `Member ${id}`,
    ...more,
  };
}

export function versionRow(id: number, post: number, text: string, more: Attributes = {}): Attributes {
  return {
    Id: id,
    PostHistoryTypeId: 2,
    PostId: post,
    CreationDate: '2015-01-01T10:00:00.000',
    Text: text,
    ...more,
  };
}

/** A community for one test. */
export interface TestCommunity {
  client: pg.Client;
  connect: () => Promise<pg.Client>;
  import: (directory: string, options?: Partial<ImportOptions>) => Promise<ImportSummary>;
  /** Imports .7z files, whose names may name the site. */
  importPaths: (paths: readonly string[]) => Promise<ImportSummary>;
  /** All rows of a query. */
  rows: (sql: string) => Promise<Record<string, unknown>[]>;
  /** All data of the community, to detect changes. */
  everything: () => Promise<Record<string, unknown>>;
  /** The same as one digest per table, for large communities. */
  digest: () => Promise<Record<string, unknown>>;
}

let database: TestDatabase;

/** Creates the database for the communities of a test file. */
export function setupTestDatabase(): void {
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());
}

/** An empty community in the file's database (`setupTestDatabase`), without data of earlier tests. */
export async function createTestCommunity(): Promise<TestCommunity> {
  const watcher = await emptyDatabase(await connect());
  const client = await connect();
  const rows = async (sql: string) => (await watcher.query<Record<string, unknown>>(sql)).rows;
  return {
    client,
    connect,
    import: (directory, options = {}) =>
      importStackExchange({ directory, client, site: 'beer.stackexchange.com', ...options }),
    importPaths: (paths) => importStackExchange({ paths, client }),
    rows,
    everything: async () => {
      const held: Record<string, unknown> = {};
      for (const table of tables) held[table] = await rows(`select * from ${table} t order by t`);
      return held;
    },
    digest: async () => {
      const held: Record<string, unknown> = {};
      for (const table of tables) {
        [held[table]] = await rows(
          `select count(*), md5(string_agg(t::text, '|' order by t::text)) from ${table} t`,
        );
      }
      return held;
    },
  };
}

/**
 * Deletes the data of earlier tests. A large community is replaced by a new database, because its deletion takes as long
 * as its import. Returns a connection to the empty database.
 */
async function emptyDatabase(connection: pg.Client): Promise<pg.Client> {
  const { rowCount } = await connection.query('select from member limit 200');
  if ((rowCount ?? 0) === 200) {
    await database.drop();
    database = await createTestDatabase();
    return connect();
  }
  await connection.query(
    'delete from event; delete from base_question; delete from hidden_post; delete from tag_follow; delete from tag; ' +
      'delete from upload; delete from account_merge; delete from imported_row; delete from import_run; delete from member; ' +
      'delete from member_statistics_change; delete from member_daily_statistics; delete from member_statistics; ' +
      'delete from import_source',
  );
  return connection;
}

async function connect(): Promise<pg.Client> {
  const client = new pg.Client(database.connection);
  // A connection that a test cuts emits an error here as well.
  client.on('error', () => {});
  await client.connect();
  onTestFinished(() => client.end().catch(() => {}));
  return client;
}

const tables = [
  'import_source',
  'imported_row',
  'member',
  'account',
  'question',
  'answer',
  'reply',
  'tag',
  'question_tag',
  'question_follow',
  'vote',
];
