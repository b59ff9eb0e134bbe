import { expect, test } from 'vitest';
import {
  type ArchiveContent,
  createTestCommunity,
  questionRow,
  setupTestDatabase,
  type TestCommunity,
  userRow,
  writeArchive,
} from '#tests/support/stack-exchange-archive.ts';

setupTestDatabase();

const withUsers = (...Users: ReturnType<typeof userRow>[]) =>
  writeArchive({ Users, Posts: [questionRow(1)] } satisfies ArchiveContent);

const readPlaces = async ({ rows }: TestCommunity) =>
  Object.fromEntries(
    (await rows('select source_key as key, location, website from member')).map(
      ({ key, location, website }) => [Number(key), [location, website]],
    ),
  );

test('profiles show the location and the website of the archive, if it is one', async () => {
  const community = await createTestCommunity();
  await community.import(
    await withUsers(
      userRow(1, { Location: ' Corvallis,\u202E OR ', WebsiteUrl: 'http://stackoverflow.com' }),
      userRow(2, { Location: '', WebsiteUrl: 'javascript:alert(1)' }),
      userRow(3, { Location: 'x'.repeat(150), WebsiteUrl: `http://example.org/${'x'.repeat(200)}` }),
    ),
  );
  expect(await readPlaces(community)).toEqual({
    1: ['Corvallis, OR', 'http://stackoverflow.com/'],
    2: [null, null],
    3: ['x'.repeat(100), null],
  });
});

test('a newer archive brings them up to date, except what a moderator changed here', async () => {
  const community = await createTestCommunity();
  await community.import(
    await withUsers(
      userRow(1, { Location: 'Bonn', WebsiteUrl: 'https://one.example/' }),
      userRow(2, { Location: 'Lyon' }),
      userRow(3, { Location: 'Oslo', WebsiteUrl: 'https://three.example/' }),
    ),
  );
  await community.rows(`update member set website = null where source_key = '1'`);
  const { changes } = await community.import(
    await withUsers(
      userRow(1, { Location: 'Berlin', WebsiteUrl: 'https://other.example/' }),
      userRow(2, { Location: 'Lyon', WebsiteUrl: 'https://two.example/' }),
    ),
  );
  expect(changes.counts).toEqual({ places: 2, emptied: 1 });
  expect(changes.conflicts.lines).toEqual([expect.stringMatching(/^\/profile\/\d+ profile changed here$/u)]);
  expect(await readPlaces(community)).toEqual({
    1: ['Berlin', null],
    2: ['Lyon', 'https://two.example/'],
    3: [null, null],
  });
});

test('profiles of an import from before locations were known get theirs with the next one', async () => {
  const community = await createTestCommunity();
  const archive = () => withUsers(userRow(1, { Location: 'Bonn' }));
  await community.import(await archive());
  await community.rows(
    `update member set location = null; update imported_row set location_hash = null, website_hash = null`,
  );
  await community.import(await archive());
  expect(await readPlaces(community)).toEqual({ 1: ['Bonn', null] });
  expect((await community.import(await archive())).isUnchanged).toBe(true);
});
