import { sql } from 'kysely';
import { afterAll, beforeEach } from 'vitest';
import { type ApiClient, expectOk, type Member } from './member.ts';
import { startTestServer } from './server.ts';
import type {
  ModerationLog,
  ReviewQueue,
  ReportState,
  HiddenPost,
  ModeratorMessage,
} from '#shared/moderation/moderation.ts';
import { setRole } from '#server/admin/roles.ts';
import { updateStatistics } from '#server/discovery/statistics.ts';

export type Kind = 'question' | 'answer' | 'reply';
export const paths = { question: 'questions', answer: 'answers', reply: 'replies' } as const;

export const report = (member: Member, kind: Kind, id: number, reason: string | null = 'spam', note = '') =>
  member.put<ReportState>(`/${paths[kind]}/${id}/report`, { reason, note });
export const actOnPost = (member: Member, action: string, kind: Kind, id: number, more: object = {}) =>
  member.post('/moderation/post-actions', { action, kind, id, reason: 'It is an advertisement.', ...more });
export const actOnMember = (member: Member, action: string, memberId: number, more: object = {}) =>
  member.post('/moderation/member-actions', {
    action,
    memberId,
    reason: 'Nothing but advertisements.',
    ...more,
  });
export const getReviewQueue = async (moderator: Member) =>
  expectOk(await moderator.get<ReviewQueue>('/moderation/queue')).items;
export const getModerationLog = async (viewer: ApiClient) =>
  expectOk(await viewer.get<ModerationLog>('/moderation/log')).items;
export const getHiddenPosts = async (member: Member, questionId: number) =>
  expectOk(await member.get<{ items: HiddenPost[] }>(`/questions/${questionId}/hidden`)).items;
export const getModeratorMessages = async (member: Member) =>
  expectOk(await member.get<{ items: ModeratorMessage[] }>('/moderator-messages')).items;

/** Starts a server with three members and two moderators, for the tests of one file. */
export async function startModeration() {
  const server = await startTestServer();
  afterAll(() => server.stop());
  beforeEach(() => server.resetRateLimits());
  const ann = await server.register('Ann');
  const bob = await server.register('Bob');
  const eve = await server.register('Eve');
  const moderator = await registerModerator('Olga');
  const otherModerator = await registerModerator('Otto');
  let threads = 0;
  return {
    server,
    ann,
    bob,
    eve,
    moderator: moderator,
    other: otherModerator,
    community: snapshotCommunity,
    thread,
  };

  async function registerModerator(name: string): Promise<Member> {
    const member = await server.register(name);
    await setRole(server.db, { email: member.email, role: 'moderator' });
    return member;
  }

  /**
   * Every row that belongs to a question, of all tables whose foreign keys lead to one (also of tables added later) except
   * the review queue, and the members and tags with their counts and statistics.
   */
  async function snapshotCommunity(): Promise<Record<string, object[]>> {
    await updateStatistics(server.db, Number.POSITIVE_INFINITY);
    const { rows: tables } = await sql<{ name: string }>`
      with recursive below as (
        select 'base_question'::regclass::oid as id
        union select conrelid from pg_constraint join below on confrelid = below.id where contype = 'f'
      )
      select id::regclass::text as name from below where id <> 'review_item'::regclass
      union select unnest(array['member', 'tag', 'member_daily_statistics', 'member_statistics', 'tag_weekly_statistics'])
      order by name`.execute(server.db);
    const read = async (table: string) => {
      const { rows } = await sql<{ row: object }>`
        select to_jsonb(each) - 'popularity' as row from ${sql.table(table)} each
        order by to_jsonb(each)::text`.execute(server.db);
      return [table, rows.map(({ row }) => row)] as const;
    };
    return Object.fromEntries(await Promise.all(tables.map(({ name }) => read(name))));
  }

  /** A question of Ann's with answers, replies and votes. */
  async function thread() {
    const mark = `number ${++threads}`;
    const content = `Buy zeppelins ${mark} here.`;
    const id = await ann.ask({ title: 'Cheap zeppelins?', content, tags: ['zeppelin'] });
    const answer = await bob.answer(id, 'Zeppelins are dear.');
    const reply = await eve.replyToAnswer(answer.id, { content: `They float ${mark}.` });
    const below = await ann.replyToAnswer(answer.id, { to: reply, content: 'Do they?' });
    const comment = await bob.replyToQuestion(id);
    await bob.vote('questions', id, 'up');
    await eve.vote('answers', answer.id, 'up');
    await ann.vote('replies', reply.id, 'down');
    await bob.put(`/questions/${id}/view`);
    await eve.put(`/questions/${id}/follow`, { following: true });
    await eve.bookmark('questions', id);
    await eve.bookmark('answers', answer.id);
    expectOk(await bob.put(`/answers/${answer.id}`, { content: `Zeppelins ${mark} were dear.` }));
    expectOk(await ann.put(`/questions/${id}/accepted-answer`, { answerId: answer.id }));
    return { id, answer, reply, below, comment, mark };
  }
}
