import { sql } from 'kysely';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import type { TagDocument } from '#shared/discovery/tags.ts';
import { startCachingNode } from '#tests/support/caching-node.ts';
import { expectOk } from '#tests/support/member.ts';
import { startModeration } from '#tests/support/moderation.ts';
import {
  type ArchiveContent,
  questionRow,
  tagTextRow,
  writeArchive,
} from '#tests/support/stack-exchange-archive.ts';
import { importStackExchange } from './stack-exchange-import.ts';

const { server, ann, moderator } = await startModeration();

const site = 'beer.stackexchange.com';
const license = { ContentLicense: 'CC BY-SA 4.0' };
const archive = (description: string, about: string) =>
  ({
    Tags: [
      { Id: 1, TagName: 'malt', Count: 1, ExcerptPostId: 10, WikiPostId: 11 },
      { Id: 2, TagName: 'yeast', Count: 1, ExcerptPostId: 12 },
    ],
    Posts: [
      questionRow(1, { Tags: '<malt><yeast>' }),
      tagTextRow(10, 4, description, license),
      tagTextRow(11, 5, about, license),
      tagTextRow(12, 4, description, license),
    ],
  }) satisfies ArchiveContent;

async function importArchive(content: ArchiveContent): Promise<void> {
  const client = new pg.Client(server.database.connection);
  onTestFinished(() => client.end().catch(() => {}));
  await client.connect();
  await importStackExchange({ client, directory: await writeArchive(content), site });
  await client.end();
}

const source = {
  site,
  url: 'https://beer.stackexchange.com/tags/malt/info',
  license: 'CC BY-SA 4.0',
  isAdapted: false,
};

test('a tag names the source of imported texts, also of changed ones, until a moderator removes them', async () => {
  const node = await startCachingNode(server.database);
  const reader = node.browserOf(ann);
  const read = async () => expectOk(await reader.get<TagDocument>('/tags/malt'));
  const write = async (texts: object) =>
    expectOk(await node.browserOf(moderator).put('/moderation/tags/malt', texts));
  await importArchive(archive('Sprouted grain.', '<p>It is dried.</p>'));
  expect(await read()).toMatchObject({
    description: 'Sprouted grain.',
    about: 'It is dried.',
    descriptionSource: source,
    aboutSource: source,
  });
  await importArchive(archive('Malted grain.', '<p>It is dried.</p>'));
  await expect.poll(read).toMatchObject({ description: 'Malted grain.', descriptionSource: source });

  await write({ description: 'Malted grain.', about: 'It is dried, then ground.' });
  const adapted = { ...source, isAdapted: true };
  expect(await read()).toMatchObject({ descriptionSource: source, aboutSource: adapted });
  await write({ description: '', about: 'It is dried, then ground.' });
  expect(await read()).toMatchObject({ descriptionSource: null, aboutSource: adapted });
  await importArchive(archive('Malt.', '<p>It was dried.</p>'));
  await write({ description: 'Ours', about: 'It is dried, then ground.' });
  expect(await read()).toMatchObject({ description: 'Ours', descriptionSource: null, aboutSource: adapted });
  await node.stop();
});

test('a merged tag loses its texts with their source, and an import does not bring them back', async () => {
  expectOk(
    await moderator.post('/moderation/tag-changes', { kind: 'merge', tag: 'yeast', to: 'malt', reason: '' }),
  );
  await importArchive(archive('Other.', '<p>Other.</p>'));
  expectOk(await moderator.delete('/moderation/tags/malt/synonyms/yeast'));
  expect(expectOk(await ann.get<TagDocument>('/tags/malt'))).toMatchObject({ description: 'Ours' });
  const { rows } = await sql`select description from tag where key = 'yeast'`.execute(server.db);
  expect(rows).toEqual([{ description: null }]);
});
