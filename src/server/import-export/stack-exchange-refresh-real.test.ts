import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { databaseFromClient } from '#server/core/database.ts';
import { projectRoot } from '#server/core/paths.ts';
import { findViolations } from '#server/operations/integrity-check.ts';
import { readImportedSite } from '#tests/support/imported-site.ts';
import { createTestCommunity, setupTestDatabase } from '#tests/support/stack-exchange-archive.ts';
import { writeEarlierState } from '#tests/support/stack-exchange-states.ts';

setupTestDatabase();

const data = path.join(projectRoot, '../shared/data');

/** Real archives, with two times between their first and last post. */
const archives = [
  [
    'conlang-meta-2020',
    'conlang.meta.stackexchange.com',
    '2018-06-01T00:00:00.000',
    '2019-06-01T00:00:00.000',
  ],
  [
    'bicycles-meta-2023',
    'bicycles.meta.stackexchange.com',
    '2012-06-01T00:00:00.000',
    '2016-06-01T00:00:00.000',
  ],
] as const;

test.skipIf(!existsSync(data)).each(archives)(
  'three states of %s imported in turn equal the newest one alone',
  async (name, site, early, late) => {
    const directory = path.join(data, name);
    const alone = await createTestCommunity();
    await alone.import(directory, { site });
    const expected = await readImportedSite(alone.client);
    // Everything that an import brings is compared, so these archives must have it.
    for (const [kind, rows] of Object.entries(expected))
      expect([kind, rows.length > 0]).toEqual([kind, true]);
    const community = await createTestCommunity();
    await community.import(await writeEarlierState(directory, early), { site });
    expect(await readImportedSite(community.client)).not.toEqual(expected);
    const second = await community.import(await writeEarlierState(directory, late), { site });
    expect(second.changes.counts).toMatchObject({ scores: expect.any(Number) });
    const third = await community.import(directory, { site });
    expect(third.changes.counts).toMatchObject({
      scores: expect.any(Number),
      titles: expect.any(Number),
      removedQuestions: 1,
      removedAnswers: 1,
      removedComments: 1,
    });
    expect(third.changes.conflicts).toEqual({ total: 0, lines: [] });
    expect(await readImportedSite(community.client)).toEqual(expected);
    expect(await findViolations(databaseFromClient(community.client))).toEqual([]);
    expect((await community.import(directory, { site })).isUnchanged).toBe(true);
  },
  300_000,
);
