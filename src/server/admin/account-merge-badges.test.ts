import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { eventually } from '#tests/support/eventually.ts';
import type { Profile } from '#shared/identity/profiles.ts';
import { addImportedProfile } from '#tests/support/imported-profile.ts';
import { expectOk, password } from '#tests/support/member.ts';
import { startTestServer } from '#tests/support/server.ts';
import { runAccountMerges } from './account-merge.ts';
import { setRole } from './roles.ts';

const server = await startTestServer();
/** Runs the background jobs. */
const worker = await server.startSecondNode({}, {});
afterAll(async () => {
  await worker.stop();
  await server.stop();
});
const admin = await server.register('Adele');
await setRole(server.db, { email: admin.email, role: 'admin' });
const [bob, ada] = [await server.register('Bob'), await server.register('Ada')];

const profileOf = async (id: number) => expectOk(await bob.get<Profile>(`/members/${id}`));

/** An imported profile with its badges: name, class, awards and the year of the first and the last. */
async function addProfile(
  site: string,
  key: string,
  badges: [string, string | null, number, number, number][],
) {
  const name = `Ada on ${site} ${key}`;
  const id = await addImportedProfile(server.db, { site, key, name });
  for (const [badge, badgeClass, awards, first, last] of badges)
    await sql`
      insert into imported_badge (member_id, source_id, source_key, name, class, awards, first_at, last_at)
      select id, source_id, source_key, ${badge}, ${badgeClass}, ${awards}, make_timestamptz(${first}, 1, 1, 0, 0, 0, 'UTC'),
        make_timestamptz(${last}, 1, 1, 0, 0, 0, 'UTC')
      from member where id = ${id}`.execute(server.db);
  return { id, name };
}

async function mergeInto(from: { id: number; name: string }, into: number): Promise<void> {
  expectOk(await admin.post(`/admin/members/${from.id}/merge`, { into, name: from.name, password }));
  await runAccountMerges(
    { db: server.db, settings: { allowsSelfVotes: true } },
    { until: Date.now() + 60_000, waitSeconds: -1 },
  );
}

test('a profile shows the badges of its site by class, and the account that it is merged into gets them', async () => {
  const beer = await addProfile('beer.example', '5', [
    ['Student', 'bronze', 1, 2012, 2012],
    ['Popular Question', 'bronze', 9, 2012, 2018],
    ['Early', null, 1, 2011, 2011],
    ['Great Answer', 'gold', 2, 2015, 2016],
    ['Guru', 'silver', 3, 2014, 2014],
  ]);
  expect((await profileOf(beer.id)).importedBadges).toEqual([
    {
      site: 'beer.example',
      total: 5,
      gold: 2,
      silver: 3,
      bronze: 10,
      badges: [
        ['Great Answer', 'gold', 2, '2015', '2016'],
        ['Guru', 'silver', 3, '2014', '2014'],
        ['Popular Question', 'bronze', 9, '2012', '2018'],
        ['Student', 'bronze', 1, '2012', '2012'],
        ['Early', null, 1, '2011', '2011'],
      ].map(([name, badgeClass, awards, first, last]) => ({
        name,
        class: badgeClass,
        awards,
        firstAt: `${first}-01-01T00:00:00.000Z`,
        lastAt: `${last}-01-01T00:00:00.000Z`,
      })),
    },
  ]);
  const second = await addProfile('beer.example', '6', [['Student', 'bronze', 1, 2010, 2010]]);
  const wine = await addProfile('wine.example', '5', [['Teacher', 'bronze', 1, 2013, 2013]]);
  await sql`update member set location = 'Lyon', website = 'https://wine.example/' where id = ${wine.id}`.execute(
    server.db,
  );
  expectOk(await ada.put('/settings', { displayName: 'Ada', bio: null, showEmail: false, location: 'Bonn' }));
  for (const each of [beer, second, wine]) await mergeInto(each, ada.id);
  const merged = await profileOf(ada.id);
  expect(merged).toMatchObject({ location: 'Bonn', website: 'https://wine.example/', reputation: 360 });
  expect(merged.importedBadges).toMatchObject([
    { site: 'beer.example', total: 5, bronze: 11 },
    { site: 'wine.example', total: 1, gold: 0 },
  ]);
  expect(merged.importedBadges[0]?.badges.find(({ name }) => name === 'Student')).toMatchObject({
    awards: 2,
    firstAt: '2010-01-01T00:00:00.000Z',
    lastAt: '2012-01-01T00:00:00.000Z',
  });

  expectOk(await ada.post('/account-deletion', { password, posts: 'keep' }));
  await sql`update account_deletion set started_at = now() - interval '1 hour'`.execute(server.db);
  await worker.backgroundJobs?.enqueueDueJobs();
  await eventually(async () => (await profileOf(ada.id)).importedBadges.length === 0);
  expect(await profileOf(ada.id)).toMatchObject({ location: null, website: null });
  const { rows } = await sql`select from imported_badge`.execute(server.db);
  expect(rows).toEqual([]);
});

test('a profile lists at most 100 badges of a site, and says how many there are', async () => {
  const many = await addProfile(
    'cooking.example',
    '1',
    Array.from({ length: 130 }, (_, at) => [`Badge ${at}`, at === 129 ? 'gold' : 'bronze', 1, 2012, 2012]),
  );
  const [badges] = (await profileOf(many.id)).importedBadges;
  expect(badges).toMatchObject({ total: 130, gold: 1, bronze: 129 });
  expect(badges?.badges).toHaveLength(100);
  expect(badges?.badges[0]).toMatchObject({ name: 'Badge 129' });
});
