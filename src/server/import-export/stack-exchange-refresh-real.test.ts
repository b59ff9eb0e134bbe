import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { databaseFromClient } from '#server/core/database.ts';
import { projectRoot } from '#server/core/paths.ts';
import { findViolations } from '#server/operations/integrity-check.ts';
import { readImportedSite } from '#tests/support/imported-site.ts';
import { createTestCommunity, setupTestDatabase } from '#tests/support/stack-exchange-archive.ts';
import { writeEarlierState } from '#tests/support/stack-exchange-states.ts';
import { importStackExchange } from './stack-exchange-import.ts';

setupTestDatabase();

const data = path.join(projectRoot, '../shared/data');

/** Real archives, with times between their first and last post. */
const archives = [
  [
    'conlang-meta-2020',
    'conlang.meta.stackexchange.com',
    ['2018-06-01T00:00:00.000', '2019-06-01T00:00:00.000'],
  ],
  ['bicycles-meta-2023', 'bicycles.meta.stackexchange.com', ['2012-06-01T00:00:00.000']],
] as const;

test.skipIf(!existsSync(data)).each(archives)(
  'states of %s imported in turn equal the newest one alone',
  async (name, site, earlierTimes) => {
    const directory = path.join(data, name);
    const alone = await createTestCommunity();
    // The archive names the meta, which is a site of its own.
    expect((await importStackExchange({ directory, client: alone.client })).site).toBe(site);
    const expected = await readImportedSite(alone.client);
    // Everything that an import brings is compared, so these archives must have it.
    for (const [kind, rows] of Object.entries(expected))
      expect([kind, rows.length > 0]).toEqual([kind, true]);
    const community = await createTestCommunity();
    const earlier = [];
    for (const time of earlierTimes) {
      earlier.push(await community.import(await writeEarlierState(directory, time), { site }));
      expect(await readImportedSite(community.client)).not.toEqual(expected);
    }
    for (const { changes } of earlier.slice(1))
      expect(changes.counts).toMatchObject({ scores: expect.any(Number) });
    const newest = await community.import(directory, { site });
    expect(newest.changes.counts).toMatchObject({
      scores: expect.any(Number),
      titles: expect.any(Number),
      removedQuestions: 1,
      removedAnswers: 1,
      removedComments: 1,
    });
    expect(newest.changes.conflicts).toEqual({ total: 0, lines: [] });
    expect(await readImportedSite(community.client)).toEqual(expected);
    expect(await findViolations(databaseFromClient(community.client))).toEqual([]);
    const before = await community.digest();
    expect((await community.import(directory, { site })).isUnchanged).toBe(true);
    expect(await community.digest()).toEqual(before);
  },
  300_000,
);
