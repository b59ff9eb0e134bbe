import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { projectRoot } from '#server/core/paths.ts';
import { renderSchemaDocument } from '#tests/support/schema-document.ts';
import { startTestServer } from '#tests/support/server.ts';

const server = await startTestServer();
afterAll(() => server.stop());

/** The names in the first column of the table in the section 'Triggers'. */
async function listDocumentedTriggers(): Promise<string[]> {
  const text = await readFile(path.join(projectRoot, 'ARCHITECTURE.md'), 'utf8');
  const section = /^## Triggers$(.*?)^## /msu.exec(text)?.[1] ?? '';
  const cells = [...section.matchAll(/^\| (`[^|]*) \|/gmu)].map((row) => row[1] ?? '');
  return cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/gu)].map((name) => name[1] ?? ''));
}

test('ARCHITECTURE.md lists every trigger of the database, and no other', async () => {
  const { rows } = await sql<{ name: string }>`
    select tgname as name from pg_trigger join pg_class on pg_class.oid = tgrelid
    where not tgisinternal and relnamespace = 'public'::regnamespace order by 1`.execute(server.db);
  expect(rows.map(({ name }) => name)).toEqual((await listDocumentedTriggers()).toSorted());
});

test('docs/schema.sql describes the schema of the database', async () => {
  await expect(await renderSchemaDocument(server.db)).toMatchFileSnapshot('../../docs/schema.sql');
});
