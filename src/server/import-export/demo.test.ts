import { sql } from 'kysely';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '#server/core/database.ts';
import { findViolations } from '#server/operations/integrity-check.ts';
import { expectOk } from '#tests/support/member.ts';
import { defaultSettings, startTestServer } from '#tests/support/server.ts';
import type { Bookmarks } from '#shared/engagement/bookmarks.ts';
import type { ReviewQueue } from '#shared/moderation/moderation.ts';
import type { Notifications } from '#shared/notifications/notifications.ts';
import type { QuestionCards } from '#shared/posts/questions.ts';
import type { FollowedTagsSummary } from '#shared/discovery/tags.ts';
import { demoMember, demoModerator, loadDemo } from './demo.ts';

const server = await startTestServer();
afterAll(() => server.stop());
const load = () =>
  loadDemo({ connection: server.database.connection, db: server.db, settings: defaultSettings });

let moderatorPassword = '';
beforeAll(async () => {
  moderatorPassword = (await load()) ?? '';
});

async function signedIn(email: string, password: string) {
  const caller = server.visitor();
  expectOk(await caller.signIn(email, password));
  return caller;
}

test('fills every first page of the demo member', async () => {
  const demo = await signedIn(demoMember.email, demoMember.password);
  const shown = async <Body>(path: string): Promise<Body> => expectOk(await demo.get<Body>(path));
  expect((await shown<QuestionCards>('/feeds/recent')).items.length).toBe(20);
  expect(await shown<FollowedTagsSummary>('/following')).toMatchObject({ total: 4, suggested: [] });
  expect((await shown<QuestionCards>('/following/questions')).items.length).toBeGreaterThan(3);
  const bookmarks = (await shown<Bookmarks>('/bookmarks')).items;
  expect(bookmarks.length).toBeGreaterThan(1);
  expect(bookmarks.some(({ note }) => note !== '')).toBe(true);
  expect((await shown<{ items: unknown[] }>('/drafts')).items).toHaveLength(1);
  const { items, unreadCount } = await shown<Notifications>('/notifications');
  expect(unreadCount).toBeGreaterThan(1);
  expect(items.length).toBeGreaterThan(unreadCount);
});

test('gives the demo moderator reports and a different password in each community', async () => {
  expect(moderatorPassword).toMatch(/^[\w-]{16}$/u);
  const moderator = await signedIn(demoModerator, moderatorPassword);
  expect(expectOk(await moderator.get<ReviewQueue>('/moderation/queue')).items).toHaveLength(2);
  const other = await startTestServer();
  const { connection } = other.database;
  expect(await loadDemo({ connection, db: other.db, settings: defaultSettings })).not.toBe(moderatorPassword);
  await other.stop();
});

test('finishes the demo whose first start was killed after the import', async () => {
  const other = await startTestServer();
  onTestFinished(() => other.stop());
  const { connection } = other.database;
  const closed = openDatabase({ connection });
  await sql`select 1`.execute(closed);
  await closed.destroy();
  await expect(loadDemo({ connection, db: closed, settings: defaultSettings })).rejects.toThrow('destroyed');
  const password = await loadDemo({ connection, db: other.db, settings: defaultSettings });
  const moderator = other.visitor();
  expectOk(await moderator.signIn(demoModerator, password ?? ''));
  expect(expectOk(await moderator.get<ReviewQueue>('/moderation/queue')).items).toHaveLength(2);
});

test('adds nothing twice when the last step of the demo is repeated', async () => {
  const countRows = async () => {
    const { rows } = await sql`
      select (select count(*) from reply) as replies, (select count(*) from draft) as drafts,
        (select count(*) from vote) as votes, (select count(*) from notification where question_id is not null) as notifications`.execute(
      server.db,
    );
    return rows;
  };
  const before = await countRows();
  await sql`delete from review_item`.execute(server.db);
  await sql`delete from report`.execute(server.db);
  moderatorPassword = (await load()) ?? '';
  expect(await countRows()).toEqual(before);
});

test('changes nothing when the demo is loaded again, and keeps every count right', async () => {
  expect(await load()).toBeNull();
  await signedIn(demoModerator, moderatorPassword);
  expect(await findViolations(server.db)).toEqual([]);
});
