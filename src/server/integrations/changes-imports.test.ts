import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { runAccountMerges } from '#server/admin/account-merge.ts';
import { setRole } from '#server/admin/roles.ts';
import { listRuns } from '#server/import-export/import-runs.ts';
import { undoImport } from '#server/import-export/import-undo.ts';
import { importStackExchange } from '#server/import-export/stack-exchange-import.ts';
import { type Change, changesPage, type ChangesPage } from '#shared/integrations/changes.ts';
import { programOf } from '#tests/support/api-tokens.ts';
import { eventually } from '#tests/support/eventually.ts';
import { expectOk, password } from '#tests/support/member.ts';
import { compareMirror, Mirror } from '#tests/support/mirror.ts';
import { startTestServer } from '#tests/support/server.ts';
import {
  answerRow,
  type ArchiveContent,
  questionRow,
  tagTextRow,
  userRow,
  voteRow,
  writeArchive,
} from '#tests/support/stack-exchange-archive.ts';

const server = await startTestServer({}, { changes: { pollMs: 50 } });
const client = new pg.Client(server.database.connection);
await client.connect();
afterAll(async () => {
  await client.end();
  await server.stop();
});
beforeEach(() => server.resetRateLimits());
const ann = await server.register('Ann');
const admin = await server.register('Adele');
await setRole(server.db, { email: admin.email, role: 'admin' });
const program = await programOf(ann, ['read']);
await eventually(async () => (await program.get('/changes')).status === 200);

async function catchUp(mirror: Mirror): Promise<Change[]> {
  const read: Change[] = [];
  await eventually(async () => {
    read.push(...(await mirror.read(program)));
    return (await compareMirror(mirror, server.db)).length === 0;
  });
  return read;
}

const badge = (id: number, user: number, name: string, date: string) => ({
  Id: id,
  UserId: user,
  Name: name,
  Date: `${date}T00:00:00.000`,
  Class: 3,
  TagBased: 'False',
});

/** Moderators and members closed a question. Of the reasons, 104 is 'too broad' and 105 'opinion-based'. */
const closed = (id: number, post: number, reason: number) => ({
  Id: id,
  PostHistoryTypeId: 10,
  PostId: post,
  RevisionGUID: `closing-${id}`,
  CreationDate: `2015-03-0${3 + id}T10:00:00.000`,
  Comment: reason,
});

const archive = {
  Users: [userRow(1, { Location: 'Ghent', WebsiteUrl: 'http://brew.example.org' }), userRow(2)],
  Posts: [
    questionRow(1, { CommunityOwnedDate: '2015-02-01T10:00:00.000' }),
    answerRow(2, 1),
    questionRow(4),
    questionRow(5, { ClosedDate: '2015-03-04T10:00:00.000' }),
    tagTextRow(9, 4, 'About beer.'),
  ],
  Tags: [{ Id: 1, TagName: 'beer', Count: 2, ExcerptPostId: 9 }],
  Votes: [voteRow(1, 2, 9, { BountyAmount: 50 })],
  PostHistory: [closed(1, 5, 104)],
  Badges: [badge(1, 1, 'Student', '2015-01-01'), badge(2, 1, 'Student', '2015-03-01')],
} satisfies ArchiveContent;

/** A newer state of the site. */
const second = {
  ...archive,
  Users: [userRow(1, { Location: 'Bruges' }), userRow(2)],
  Votes: [...archive.Votes, voteRow(2, 4, 8, { BountyAmount: 100 })],
  Badges: [...archive.Badges, badge(3, 2, 'Teacher', '2015-04-01')],
};

const site = 'beer.stackexchange.com';
const importArchive = async (content: ArchiveContent) =>
  importStackExchange({ directory: await writeArchive(content), client, site });

/** The id of what has this number in the archive. */
async function idOf(table: 'question' | 'answer' | 'member', key: string): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    select id from ${sql.table(table)} where source_key = ${key}`.execute(server.db);
  return rows[0]?.id ?? 0;
}

test('badges, places, community wikis and bounties of imports reach a mirror, and their changes', async () => {
  const mirror = new Mirror();
  await catchUp(mirror);
  await importArchive(archive);
  await catchUp(mirror);
  const member = `member ${await idOf('member', '1')}`;
  const question = `question ${await idOf('question', '1')}`;
  const answer = `answer ${await idOf('answer', '2')}`;
  expect(mirror.items.get(member)).toMatchObject({
    location: 'Ghent',
    website: 'http://brew.example.org/',
    importedBadges: [
      {
        site,
        total: 1,
        bronze: 2,
        badges: [{ name: 'Student', awards: 2, firstAt: '2015-01-01T00:00:00.000Z' }],
      },
    ],
  });
  expect(mirror.items.get(question)).toMatchObject({
    siteHistory: { communityWikiAt: '2015-02-01T10:00:00.000Z', bounties: [] },
  });
  expect(mirror.items.get(answer)).toMatchObject({
    siteHistory: { communityWikiAt: null, bounties: [{ amount: 50, day: '2015-01-03' }] },
  });
  expect([...mirror.items.values()]).toContainEqual(
    expect.objectContaining({
      name: 'beer',
      description: 'About beer.',
      descriptionSource: {
        site,
        url: `https://${site}/tags/beer/info`,
        license: 'CC BY-SA 3.0',
        isAdapted: false,
      },
      aboutSource: null,
    }),
  );
  const page = expectOk(await program.get<ChangesPage>('/changes'));
  expect(changesPage.strict().parse(page)).toEqual(page);

  await importArchive(second);
  const changed = await catchUp(mirror);
  expect(changed.map(({ kind, id }) => `${kind} ${id}`).toSorted()).toEqual(
    [member, `member ${await idOf('member', '2')}`, `question ${await idOf('question', '4')}`].toSorted(),
  );
  expect(mirror.items.get(member)).toMatchObject({ location: 'Bruges', website: null });
});

test('a mirror learns why the site closed a question, and when that changes', async () => {
  const mirror = new Mirror();
  await catchUp(mirror);
  const key = `question ${await idOf('question', '5')}`;
  expect(mirror.items.get(key)).toMatchObject({
    closing: { reason: 'too-broad', closedAt: '2015-03-04T10:00:00.000Z' },
  });
  expect(mirror.items.get(`question ${await idOf('question', '4')}`)).toMatchObject({ closing: null });
  await importArchive({ ...second, PostHistory: [closed(1, 5, 104), closed(2, 5, 105)] });
  expect((await catchUp(mirror)).map(({ kind, id }) => `${kind} ${id}`)).toEqual([key]);
  expect(mirror.items.get(key)).toMatchObject({
    closing: { reason: 'opinion-based', closedAt: '2015-03-04T10:00:00.000Z' },
  });
});

test('the badges of a claimed profile move in a mirror, and go when the import is undone', async () => {
  const mirror = new Mirror();
  await catchUp(mirror);
  const [from, key] = [await idOf('member', '1'), `member ${ann.id}`];
  expectOk(await admin.post(`/admin/members/${from}/merge`, { into: ann.id, name: 'Member 1', password }));
  await runAccountMerges(
    { db: server.db, settings: { allowsSelfVotes: true } },
    { until: Date.now() + 60_000, waitSeconds: -1 },
  );
  await catchUp(mirror);
  expect(mirror.gone.has(`member ${from}`)).toBe(true);
  expect(mirror.items.get(key)).toMatchObject({ location: 'Bruges', importedBadges: [{ total: 1 }] });
  for (const { id } of (await listRuns(client)).toReversed()) await undoImport(client, id);
  await catchUp(mirror);
  expect(mirror.items.get(key)).toMatchObject({ importedBadges: [] });
});

test('after an upgrade, everything is listed once more with its new fields, under the same cursor', async () => {
  const id = await ann.ask();
  const mirror = new Mirror();
  await catchUp(mirror);
  // As a server of an earlier version left the list.
  await sql`update public_change set digest = 1 where kind = 'member'`.execute(server.db);
  await sql`update public_change_state set item_version = 1`.execute(server.db);
  await eventually(
    async () => (await program.get<ChangesPage>(`/changes?cursor=${mirror.cursor}`)).body.changes.length > 0,
  );
  const changed = await catchUp(mirror);
  expect(changed.map(({ kind }) => kind)).toContain('member');
  expect(changed).not.toContainEqual(expect.objectContaining({ kind: 'question', id }));
  expect(await mirror.read(program)).toEqual([]);
});
