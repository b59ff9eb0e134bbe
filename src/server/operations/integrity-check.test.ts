import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { VoteDirection } from '#shared/core/fields.ts';
import { type NotificationKind, notificationKinds } from '#shared/notifications/notification-kinds.ts';
import type { NotificationCategory } from '#shared/notifications/preferences.ts';
import { findViolations } from './integrity-check.ts';
import { type ApiResponse, expectOk, type Member, type PostPath } from '#tests/support/member.ts';
import { setRole } from '#server/admin/roles.ts';
import { runActivityRemovals } from '#server/moderation/activity-removal.ts';
import { updateStatistics } from '#server/discovery/statistics.ts';
import { actOnMember, actOnPost } from '#tests/support/moderation.ts';
import { rebuildStatistics } from '#tests/support/statistics.ts';
import { startTestServer } from '#tests/support/server.ts';

const server = await startTestServer();
const secondNode = await server.startSecondNode();
afterAll(async () => {
  await secondNode.stop();
  await server.stop();
});

const names = ['Ann', 'Bob', 'Eve', 'Kim', 'Lea'];
const members: Member[] = [];
for (const [index, name] of names.entries()) {
  const member = await server.register(name);
  members.push(index % 2 ? member.onServer(secondNode.address) : member);
}
const moderator = await server.register('Olga');
await setRole(server.db, { email: moderator.email, role: 'moderator' });

/** An action of a member. Numbers choose a member, or one of the existing posts. */
type Step =
  | { do: 'ask'; who: number; tags: string[] }
  | { do: 'edit'; kind: PostPath; post: number; text: string; tags: string[] }
  | { do: 'answer' | 'comment'; who: number; post: number }
  | { do: 'reply'; who: number; post: number; parent: number | null }
  | { do: 'vote'; who: number; kind: PostPath; post: number; vote: VoteDirection | null }
  | { do: 'view'; who: number; post: number }
  | { do: 'accept'; post: number; answer: number | null }
  | { do: 'follow'; who: number; post: number; following: boolean }
  | { do: 'follow tag' | 'mute tag'; who: number; tag: string; on: boolean }
  | { do: 'report'; who: number; kind: PostPath; post: number; reason: 'spam' | null }
  | { do: 'delete'; kind: PostPath; post: number }
  | { do: 'hide' | 'restore'; kind: PostPath; post: number }
  | { do: 'remove_activity' | 'restore_activity'; who: number };

const isModeration = (step: Step) =>
  ['hide', 'restore', 'remove_activity', 'restore_activity'].includes(step.do);

const pick = fc.nat(30);
const who = fc.nat(names.length - 1);
const kind = fc.constantFrom<PostPath[]>('questions', 'answers', 'replies');
const tag = fc.constantFrom('a', 'B', 'c', 'D', 'e', 'F');
const tags = fc.uniqueArray(tag, { maxLength: 5 });
const is = <Verb extends Step['do']>(verb: Verb) => fc.constant(verb);

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: is('ask'), who, tags }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: is('edit'), kind, post: pick, text: fc.constantFrom('one', 'two'), tags }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constantFrom('answer' as const, 'comment' as const), who, post: pick }),
  },
  { weight: 6, arbitrary: fc.record({ do: is('reply'), who, post: pick, parent: fc.option(pick) }) },
  {
    weight: 12,
    arbitrary: fc.record({
      do: is('vote'),
      who,
      kind,
      post: pick,
      vote: fc.constantFrom('up' as const, 'down' as const, null),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: is('view'), who, post: pick }) },
  { weight: 2, arbitrary: fc.record({ do: is('accept'), post: pick, answer: fc.option(pick) }) },
  { weight: 2, arbitrary: fc.record({ do: is('follow'), who, post: pick, following: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('follow tag' as const, 'mute tag' as const),
      who,
      tag,
      on: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: is('report'),
      who,
      kind,
      post: pick,
      reason: fc.constantFrom('spam' as const, 'spam' as const, null),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: is('delete'), kind, post: pick }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constantFrom('hide' as const, 'restore' as const), kind, post: pick }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constantFrom('remove_activity' as const, 'restore_activity' as const),
      who,
    }),
  },
);

/** The rounds run one after the other. The requests of one round run concurrently. */
const rounds = fc.array(fc.array(step, { minLength: 8, maxLength: 16, size: 'max' }), {
  minLength: 6,
  maxLength: 10,
  size: 'max',
});

/** Creates posts that later steps can use. */
const beginning: Step[] = [
  { do: 'ask', who: 0, tags: ['a', 'B'] },
  { do: 'ask', who: 1, tags: ['B', 'a', 'c'] },
];

const postKinds = { questions: 'question', answers: 'answer', replies: 'reply' } as const;

type Post = { id: number; author: Member; answerId?: number; questionId?: number };

/** The posts of one run. Deleted ones stay, so that they are used again. */
class Community {
  readonly posts: Record<PostPath, Post[]> = { questions: [], answers: [], replies: [] };
  requests = 0;
  readonly failures: string[] = [];

  async play(round: Step[]): Promise<void> {
    await Promise.all(round.map((step) => this.#take(step)));
  }

  async #take(step: Step): Promise<void> {
    const response = await this.#ask(step);
    if (response === undefined) return;
    this.requests++;
    // 409: a moderator has hidden or restored it already.
    const refusals = [400, 403, 404, 409];
    if (response.status >= 300 && !refusals.includes(response.status))
      this.failures.push(`${JSON.stringify(step)}: ${response.status} ${response.detail}`);
  }

  async #ask(step: Step): Promise<ApiResponse | undefined> {
    switch (step.do) {
      case 'ask':
        return this.#post(step.who, 'questions', '/questions', {
          title: 'Why?',
          content: 'So.',
          tags: step.tags,
        });
      case 'answer':
        return this.#on('questions', step.post, (question) =>
          this.#post(step.who, 'answers', `/questions/${question.id}/answers`, { content: 'So.' }),
        );
      case 'comment':
        return this.#on('questions', step.post, (question) =>
          this.#post(step.who, 'replies', `/questions/${question.id}/replies`, { content: 'So?' }),
        );
      case 'reply':
        return this.#on('answers', step.post, (answer) => this.#reply(step, answer.id));
      case 'vote':
        return this.#on(step.kind, step.post, ({ id }) =>
          this.#member(step.who).put(`/${step.kind}/${id}/vote`, { vote: step.vote }),
        );
      case 'view':
        return this.#on('questions', step.post, ({ id }) =>
          this.#member(step.who).put(`/questions/${id}/view`),
        );
      case 'accept':
        return this.#on('questions', step.post, ({ id, author }) => {
          const below = this.posts.answers.filter((answer) => answer.questionId === id);
          const answer = step.answer === null ? undefined : below[step.answer % Math.max(1, below.length)];
          return author.put(`/questions/${id}/accepted-answer`, { answerId: answer?.id ?? null });
        });
      case 'follow':
        return this.#on('questions', step.post, ({ id }) =>
          this.#member(step.who).put(`/questions/${id}/follow`, { following: step.following }),
        );
      case 'follow tag':
        return this.#member(step.who).put(`/tags/${step.tag}/follow`, { following: step.on });
      case 'mute tag':
        return this.#member(step.who).put(`/tags/${step.tag}/mute`, { muted: step.on });
      case 'report':
        return this.#on(step.kind, step.post, ({ id }) =>
          this.#member(step.who).put(`/${step.kind}/${id}/report`, { reason: step.reason }),
        );
      case 'edit':
        return this.#on(step.kind, step.post, ({ id, author }) => {
          const { text, tags } = step;
          const draft = step.kind === 'questions' ? { title: text, content: text, tags } : { content: text };
          return author.put(`/${step.kind}/${id}`, draft);
        });
      case 'delete':
        return this.#on(step.kind, step.post, ({ id, author }) => author.delete(`/${step.kind}/${id}`));
      case 'hide':
      case 'restore':
        return this.#on(step.kind, step.post, ({ id }) =>
          actOnPost(moderator, step.do, postKinds[step.kind], id),
        );
      case 'remove_activity':
      case 'restore_activity':
        return actOnMember(moderator, step.do, this.#member(step.who).id);
    }
  }

  #member(index: number): Member {
    const member = members[index];
    if (member === undefined) throw new Error(`member ${index} does not exist`);
    return member;
  }

  #on(kind: PostPath, index: number, act: (post: Post) => Promise<ApiResponse | undefined>) {
    const there = this.posts[kind];
    const post = there[index % Math.max(1, there.length)];
    return post === undefined ? Promise.resolve(undefined) : act(post);
  }

  #reply(step: Step & { do: 'reply' }, answerId: number) {
    const below = this.posts.replies.filter((reply) => reply.answerId === answerId);
    const parent = step.parent === null ? undefined : below[step.parent % Math.max(1, below.length)];
    const body = { content: 'So!', parentReplyId: parent?.id ?? null };
    return this.#post(step.who, 'replies', `/answers/${answerId}/replies`, body);
  }

  async #post(who: number, kind: PostPath, path: string, body: object) {
    const author = this.#member(who);
    const response = await author.post<{ id: number; answerId?: number | null; questionId?: number }>(
      path,
      body,
    );
    if (response.status !== 201) return response;
    const { id, answerId, questionId } = response.body;
    this.posts[kind].push({
      id,
      author,
      ...(answerId != null && { answerId }),
      ...(questionId !== undefined && { questionId }),
    });
    return response;
  }
}

/** Seconds this may take: PARLEY_PROPERTY_SECONDS for long runs, PARLEY_PROPERTY_SEED to repeat one. */
const seconds = Number(process.env['PARLEY_PROPERTY_SECONDS'] ?? 8);
const firstSeed = Number(process.env['PARLEY_PROPERTY_SEED'] ?? Date.now() % 1_000_000_000);

test(
  'keeps every count equal to its rows and fails no request, whatever members do concurrently',
  async () => {
    await choosePreferences();
    let [requests, runs] = [0, 0];
    const deadlocksBefore = await deadlocks();
    const property = fc.asyncProperty(rounds, async (all) => {
      const isModerated = runs % 2 === 1;
      const community = new Community();
      await community.play(beginning);
      for (const [index, round] of all.entries())
        await Promise.all([
          index === 0 ? rebuildStatistics(server.db) : null,
          community.play(isModerated ? round : round.filter((step) => !isModeration(step))),
          updateStatistics(server.db, Infinity),
          runActivityRemovals(server.db, Infinity),
        ]);
      runs++;
      requests += community.requests;
      expect(community.failures).toEqual([]);
      expect(await findViolations(server.db)).toEqual([]);
      expect(await listUnwantedNotifications()).toEqual([]);
    });
    const end = Date.now() + seconds * 1000;
    for (let run = 0; run < 2 || Date.now() < end; run++)
      await fc.assert(property.beforeEach(emptyTheCommunity), {
        numRuns: 1,
        seed: firstSeed + run,
        // The order of concurrent requests varies, so a smaller example would prove nothing.
        endOnFailure: true,
      });
    const resolved = (await deadlocks()) - deadlocksBefore;
    console.log(`${runs} runs, ${requests} requests, ${resolved} deadlocks resolved by retrying`);
    expect(requests).toBeGreaterThan(10);
  },
  (seconds + 100) * 1000,
);

/** What each member chose. Bob gets no votes and replies; Eve's address is not confirmed; Kim and Lea have a device. */
const choices: Readonly<
  Record<string, Partial<Record<NotificationCategory, { inApp?: false; email?: 'daily'; push?: boolean }>>>
> = {
  Ann: { answers: { email: 'daily' }, votes: { email: 'daily' }, mentions: { email: 'daily' } },
  Bob: { replies: { inApp: false }, votes: { inApp: false } },
  Eve: { answers: { email: 'daily' }, replies: { email: 'daily' } },
  Kim: {},
  Lea: { answers: { push: false }, votes: { push: true } },
};
const [withAddress, withDevice] = [new Set(['Ann']), new Set(['Kim', 'Lea'])];

async function choosePreferences() {
  for (const [index, name] of names.entries()) {
    const id = members[index]?.id;
    await sql`update member set email_verified = ${withAddress.has(name)} where id = ${id}`.execute(
      server.db,
    );
    if (withDevice.has(name))
      await sql`
        insert into push_subscription (member_id, session_id, endpoint, p256dh, auth)
        select member_id, id, 'https://push.example.org/' || id, 'key', 'auth' from session where member_id = ${id}`.execute(
        server.db,
      );
    for (const [category, choice] of Object.entries(choices[name] ?? {}))
      await sql`
        insert into notification_preference (member_id, category, in_app, email, push)
        values (${id}, ${category}, ${choice.inApp ?? true}, ${choice.email ?? 'off'}, ${choice.push ?? true})`.execute(
        server.db,
      );
  }
}

/** The notifications that differ from what their recipients chose. */
async function listUnwantedNotifications() {
  const { rows } = await sql<{ name: string; kind: NotificationKind; email: string | null; push: boolean }>`
    select display_name as name, kind, pending_email as email, pending_push as push
    from notification join member on member.id = recipient_id`.execute(server.db);
  return rows.filter(({ name, kind, email, push }) => {
    const { category } = notificationKinds[kind];
    const choice = choices[name]?.[category];
    const wantedEmail = withAddress.has(name) ? (choice?.email ?? null) : null;
    const wantedPush = withDevice.has(name) && (choice?.push ?? category !== 'votes');
    return choice?.inApp === false || email !== wantedEmail || push !== wantedPush;
  });
}

async function emptyTheCommunity() {
  await server.resetRateLimits();
  for (const table of [
    'report',
    'review_item',
    'base_question',
    'hidden_post',
    'activity_removal',
    'tag_follow',
    'tag_mute',
    'tag',
    'event',
  ] as const)
    await sql`delete from ${sql.table(table)}`.execute(server.db);
  await sql`update member set reputation = 0, questions_count = 0, answers_count = 0`.execute(server.db);
  await sql`truncate member_daily_statistics, member_statistics, member_statistics_change, tag_weekly_statistics, tag_statistics_change`.execute(
    server.db,
  );
}

async function deadlocks(): Promise<number> {
  const { rows } = await sql<{ deadlocks: number }>`
    select deadlocks from pg_stat_database where datname = current_database()`.execute(server.db);
  return rows[0]?.deadlocks ?? 0;
}

describe('the check of all counts', () => {
  const [ann, bob] = [members[0] as Member, members[1] as Member];
  beforeEach(emptyTheCommunity);

  test.each([
    ['question.upvotes', sql`update question set upvotes = 5`],
    ['question.views', sql`update question set views = 5`],
    ['question.answer_count', sql`update question set answer_count = 0`],
    ['answer.downvotes', sql`update answer set downvotes = 1`],
    ['reply.upvotes', sql`delete from vote where reply_id is not null`],
    ['answer_score.score', sql`update answer_score set score = 7`],
    ['question_sort_key.upvotes', sql`update question_sort_key set upvotes = 7`],
    [
      'question_sort_key.answer_count',
      sql`update question_sort_key set active_at = now() + interval '1 day'`,
    ],
    [
      'a notification of an accepted answer is from the question author to the answer author',
      sql`update notification set kind = 'accepted' where kind = 'answer'`,
    ],
    ['member.questions_count', sql`update member set questions_count = 9`],
    ['member.answers_count', sql`update member set answers_count = 9`],
    ['member.reputation', sql`update member set reputation = 1000`],
    ['member_daily_statistics', sql`update member_statistics_change set answers = 7`],
    [
      'member_daily_statistics',
      sql`insert into member_daily_statistics select id, current_date - 3, 0, 1, 0, 0 from member`,
    ],
    ['member_statistics.upvotes', sql`update member_statistics_change set upvotes = 7`],
    ['member_statistics.views', sql`insert into member_statistics select id, 0, 7 from member`],
    ['tag_weekly_statistics', sql`update tag_statistics_change set questions = 7`],
    ['tag_weekly_statistics', sql`delete from tag_statistics_change`],
    [
      'tag_question_sort_key.active_at',
      sql`update tag_question_sort_key set active_at = now() - interval '1 day'`,
    ],
    ['tag_question_sort_key.active_at', sql`delete from tag_question_sort_key`],
    ['an open report is about a post that exists', sql`update report set post_id = post_id + 1000`],
    ['an open report has an entry in the review queue', sql`delete from review_item`],
    ['tag.questions_count', sql`update tag set questions_count = 0`],
    ['tag.followers_count', sql`update tag set followers_count = 7`],
    ['question.tag_text', sql`update question set tag_text = 'other'`],
    [
      'question.duplicate_of is no duplicate',
      sql`
        with original as (
          insert into question (author_id, title, content, excerpt, excerpt_cut, duplicate_of)
          select author_id, title, content, excerpt, excerpt_cut, id from question returning *
        )
        insert into question (author_id, title, content, excerpt, excerpt_cut, duplicate_of)
        select author_id, title, content, excerpt, excerpt_cut, id from original`,
    ],
    ['question_tag.position counts from 0', sql`update question_tag set position = 3`],
    ['a deleted reply has replies below it', sql`update reply set content = '', deleted_at = now()`],
    [
      'a deleted reply keeps no votes, versions or notifications',
      sql`update reply set content = '', deleted_at = now()`,
    ],
  ])('finds a wrong %s', async (rule, damage) => {
    const id = await ann.ask({ tags: ['right'] });
    const reply = await bob.replyToAnswer((await bob.answer(id)).id);
    await ann.vote('replies', reply.id, 'up');
    expectOk(await bob.put(`/questions/${id}/report`, { reason: 'spam' }));
    expectOk(await bob.put('/tags/right/follow', { following: true }));
    expect(await findViolations(server.db)).toEqual([]);
    await damage.execute(server.db);
    const violations = await findViolations(server.db);
    expect(violations.map((broken) => broken.rule)).toContain(rule);
    await emptyTheCommunity();
  });
});
