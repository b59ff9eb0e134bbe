import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { encodeCursor } from '#server/core/cursor.ts';
import { findViolations } from '#server/operations/integrity-check.ts';
import { expectOk, type Member } from '#tests/support/member.ts';
import type { HiddenPost, HiddenPosts, RemovedPosts } from '#shared/moderation/moderation.ts';
import type { Bookmarks, BookmarkLists } from '#shared/engagement/bookmarks.ts';
import type { Follows } from '#shared/engagement/follows.ts';
import type { Notifications } from '#shared/notifications/notifications.ts';
import { createPngPicture } from '#tests/support/pictures.ts';
import {
  actOnPost,
  getHiddenPosts,
  getModeratorMessages,
  type Kind,
  startModeration,
} from '#tests/support/moderation.ts';
import { purgeDeletedPosts } from './moderation-job.ts';

const { server, ann, bob, eve, moderator, community, thread } = await startModeration();
const { db } = server;

/** A question with rows in every table that refers to one. */
async function everything() {
  const all = await thread();
  expectOk(await bob.put(`/questions/${all.id}/mute`, { muted: true }));
  const list = expectOk(await eve.post<{ id: number }>('/bookmark-lists', { name: `List ${all.mark}` }));
  await sql`insert into announcement (question_id) values (${all.id})`.execute(db);
  await sql`insert into held_post (post_kind, post_id, member_id, question_id, content)
    values ('answer', nextval('answer_id_seq'), ${eve.id}, ${all.id}, 'Wait.')`.execute(db);
  await sql`insert into edit_suggestion (question_id, member_id, summary, title, content, tags, base_title, base_content, base_tags)
    select id, ${bob.id}, 'Clearer', 'Better?', content, '{}', title, content, '{}' from question where id = ${all.id}`.execute(
    db,
  );
  await sql`
    with proposal as (insert into tag_proposal (name, key) values (${all.mark}, ${all.mark}) returning id),
    queued as (insert into review_item (tag_proposal_id, open_reports, other_cause) select id, 0, 'tag_proposal' from proposal)
    insert into tag_proposal_question (proposal_id, question_id, member_id)
    select id, ${all.id}, ${ann.id} from proposal`.execute(db);
  // Of the proposal: the next one is only inserted after some minutes.
  await sql`insert into notification (recipient_id, kind, read_at)
    select id, 'review', now() from member where role <> 'member'`.execute(db);
  await sql`insert into close_vote (question_id, member_id) values (${all.id}, ${bob.id})`.execute(db);
  await sql`insert into question_closing (question_id, reason, closed_at) values (${all.id}, 'unclear', now())`.execute(
    db,
  );
  await sql`insert into question_closer (question_id, member_id) values (${all.id}, ${bob.id})`.execute(db);
  await sql`insert into imported_wiki (answer_id, since) values (${all.answer.id}, now())`.execute(db);
  await sql`insert into imported_bounty (question_id, amount, day) values (${all.id}, 50, now())`.execute(db);
  const own = expectOk(await eve.get<Bookmarks>('/bookmarks')).items.filter(
    (each) => each.questionId === all.id,
  );
  for (const { id } of own) expectOk(await eve.put(`/bookmarks/${id}/lists`, { listIds: [list.id] }));
  const picture = await ann.upload(createPngPicture({ width: 4 + all.id }));
  expectOk(
    await ann.put(`/questions/${all.id}`, {
      title: 'Cheap zeppelins?',
      content: `Buy zeppelins ${all.mark} here. ![](${picture})`,
      tags: ['zeppelin'],
    }),
  );
  return all;
}

/** A table that a later version adds, without any code that knows of it. */
async function addTable(questionId: number, answerId: number) {
  await sql`
    create table if not exists later_note (
      id bigint generated always as identity primary key,
      question_id bigint not null references base_question on delete cascade,
      answer_id bigint references base_answer on delete cascade,
      note text not null
    )`.execute(db);
  await sql`create table if not exists later_note_word (
    note_id bigint not null references later_note on delete cascade, word text not null
  )`.execute(db);
  await sql`
    with added as (
      insert into later_note (question_id, answer_id, note) values (${questionId}, ${answerId}, 'New.') returning id
    )
    insert into later_note_word select id, 'new' from added`.execute(db);
}

test.each<Kind>(['question', 'answer', 'reply'])(
  'keeps every row of every table while a %s is hidden, also of tables added later',
  async (kind) => {
    const all = await everything();
    await addTable(all.id, all.answer.id);
    const before = await community();
    // Otherwise this test would show nothing about the table.
    expect(Object.entries(before).filter(([, rows]) => rows.length === 0)).toEqual([]);
    expect(Object.keys(before)).toEqual(
      expect.arrayContaining(['base_reply', 'vote', 'revision', 'bookmark_list_item', 'later_note_word']),
    );
    const id = { question: all.id, answer: all.answer.id, reply: all.reply.id }[kind];
    expectOk(await actOnPost(moderator, 'hide', kind, id));
    expect(await findViolations(db)).toEqual([]);
    const counts = (rows: Record<string, object[]>) =>
      Object.entries(rows).map(([table, { length }]) => [table, length]);
    const derived = /sort_key|answer_score|statistics/;
    expect(counts(await community()).filter(([table]) => !derived.test(String(table)))).toEqual(
      counts(before).filter(([table]) => !derived.test(String(table))),
    );
    expectOk(await actOnPost(moderator, 'restore', kind, id));
    expect(await community()).toEqual(before);
    expect(await findViolations(db)).toEqual([]);
  },
);

test('keeps an answer and a reply hidden that were hidden on their own before their question', async () => {
  const { id, answer, reply, below, comment } = await thread();
  const other = await eve.answer(id, 'A second one.');
  expectOk(await actOnPost(moderator, 'hide', 'reply', reply.id));
  expectOk(await actOnPost(moderator, 'hide', 'answer', other.id));
  const before = await community();
  expectOk(await actOnPost(moderator, 'hide', 'question', id));
  expect((await bob.get(`/replies/${reply.id}`)).status).toBe(404);
  expect(await findViolations(db)).toEqual([]);
  expectOk(await actOnPost(moderator, 'restore', 'question', id));
  expect(await community()).toEqual(before);
  const page = await bob.read(id);
  expect(page.answers.items.map((each) => each.id)).toEqual([answer.id]);
  expect(page.answers.items[0]?.replies.items).toMatchObject([
    { id: reply.id, deleted: true, content: '', authorId: null, upvotes: 0, downvotes: 0, myVote: null },
    { id: below.id },
  ]);
  expect(page.replies.items.map((each) => each.id)).toEqual([comment.id]);
});

test('shows a hidden answer with the present title of its question', async () => {
  const { id, answer, mark } = await thread();
  expectOk(await actOnPost(moderator, 'hide', 'answer', answer.id));
  expectOk(await ann.put(`/questions/${id}`, { title: 'Dear zeppelins?', content: 'Which?', tags: [] }));
  for (const reader of [bob, moderator])
    expect(await getHiddenPosts(reader, id)).toMatchObject([
      { kind: 'answer', title: 'Dear zeppelins?', content: `Zeppelins ${mark} were dear.` },
    ]);
});

test('shows the title of a hidden question to its author, and not to others with a hidden or held post below it', async () => {
  const [author, answerer, waiting] = await server.registerAll('Author', 'Answerer', 'Waiting');
  const id = await author.ask({ title: 'Who lives at this address?' });
  const answer = await answerer.answer(id, 'Someone.');
  await sql`insert into held_post (post_kind, post_id, member_id, question_id, content)
    values ('answer', nextval('answer_id_seq'), ${waiting.id}, ${id}, 'Me.')`.execute(server.db);
  expectOk(await actOnPost(moderator, 'hide', 'answer', answer.id));
  const titles = async (member: Member) =>
    [
      ...expectOk(await member.get<RemovedPosts>('/removed-posts')).items.slice(0, 1),
      ...(await getHiddenPosts(member, id)),
    ].map(({ title }) => title);
  const title = 'Who lives at this address?';
  expect(await titles(answerer)).toEqual([title, title]);
  expect(await titles(waiting)).toEqual([title]);

  expectOk(await actOnPost(moderator, 'hide', 'question', id));
  expect(await titles(answerer)).toEqual(['', '']);
  expect(await titles(waiting)).toEqual(['']);
  expect(await titles(author)).toEqual([title, title]);
  expect(new Set(await titles(moderator))).toEqual(new Set([title]));
});

test('leaves the title of a hidden question of another member out of messages', async () => {
  const [author, answerer, waiting] = await server.registerAll('Author', 'Answerer', 'Waiting');
  const title = 'Who lives at this address?';
  const id = await author.ask({ title });
  const answer = await answerer.answer(id, 'Someone.');
  const own = await author.answer(id, 'I know.');
  const held = await sql<{ post_id: number }>`
    insert into held_post (post_kind, post_id, member_id, question_id, content)
    values ('answer', nextval('answer_id_seq'), ${waiting.id}, ${id}, 'Me.') returning post_id`.execute(db);
  const getMessages = async (member: Member) =>
    (await getModeratorMessages(member)).map((message) => [message.kind, message.title]);
  for (const post of [answer, own]) expectOk(await actOnPost(moderator, 'hide', 'answer', post.id));
  const [hidden] = await getModeratorMessages(answerer);
  expect(hidden).toMatchObject({ kind: 'hidden', title });
  expectOk(await answerer.put(`/hidden-posts/${hidden?.objectableId}/objection`, { text: 'It is right.' }));

  expectOk(await actOnPost(moderator, 'hide', 'question', id));
  expectOk(await actOnPost(moderator, 'decline_objection', 'answer', answer.id));
  expectOk(await actOnPost(moderator, 'reject', 'answer', held.rows[0]?.post_id ?? 0));
  expect(await getMessages(answerer)).toEqual([
    ['hidden', null],
    ['objection_declined', null],
  ]);
  expect(await getMessages(waiting)).toEqual([['rejected', null]]);
  expect(await getMessages(author)).toEqual([
    ['hidden', title],
    ['hidden', title],
  ]);
  expectOk(await actOnPost(moderator, 'restore', 'question', id));
  expect(await getMessages(answerer)).toEqual([
    ['hidden', title],
    ['objection_declined', null],
  ]);
  expect(await getMessages(waiting)).toEqual([['rejected', null]]);
});

test('lists all hidden and held posts of a question to moderators, the latest first, page by page, each once', async () => {
  const { id, answer } = await thread();
  const ids: number[] = [];
  for (let i = 0; i < 52; i++) {
    await server.resetRateLimits();
    const { id: reply } = await bob.replyToAnswer(answer.id);
    expectOk(await actOnPost(moderator, 'hide', 'reply', reply));
    ids.unshift(reply);
  }
  await sql`insert into held_post (post_kind, post_id, member_id, question_id, content)
    select 'answer', nextval('answer_id_seq'), ${eve.id}, ${id}, 'Wait.' from generate_series(1, 52)`.execute(
    db,
  );
  const readAll = async () => {
    const posts: HiddenPost[] = [];
    let cursor: string | null = null;
    do {
      const page: HiddenPosts = expectOk(
        await moderator.get<HiddenPosts>(
          `/questions/${id}/hidden${cursor === null ? '' : `?cursor=${cursor}`}`,
        ),
      );
      expect(page.items.length).toBeLessThanOrEqual(50);
      posts.push(...page.items);
      cursor = page.nextCursor;
    } while (cursor !== null);
    return posts;
  };
  const posts = await readAll();
  const afterLast = encodeCursor({ after: 0, id: 1 });
  expect(expectOk(await moderator.get(`/questions/${id}/hidden?cursor=${afterLast}`))).toEqual({
    items: [],
    nextCursor: null,
  });
  expect(posts.slice(0, 52).map(({ status }) => status)).toEqual(Array.from({ length: 52 }, () => 'held'));
  expect(posts.slice(52).map(({ postId }) => postId)).toEqual(ids);
  await sql`update hidden_post set created_at = '2026-01-01' where question_id = ${id}`.execute(db);
  await sql`update held_post set created_at = '2026-01-01' where question_id = ${id}`.execute(db);
  const keysOf = (list: HiddenPost[]) => list.map((each) => `${each.status} ${each.postId}`).toSorted();
  expect(keysOf(await readAll())).toEqual(keysOf(posts));
});

test('does not let a hidden reply be restored by its deleted parent, and shows both when it is restored', async () => {
  const { id, answer, reply, below } = await thread();
  expectOk(await actOnPost(moderator, 'hide', 'reply', below.id));
  expectOk(await eve.delete(`/replies/${reply.id}`));
  expect((await bob.read(id)).answers.items[0]?.replies.items).toEqual([]);
  expect(await findViolations(db)).toEqual([]);
  expectOk(await actOnPost(moderator, 'restore', 'reply', below.id));
  const replies = async () => (await bob.read(id)).answers.items[0]?.replies.items;
  expect(await replies()).toMatchObject([
    { id: reply.id, deleted: true },
    { id: below.id, deleted: false },
  ]);
  expectOk(await actOnPost(moderator, 'delete', 'reply', below.id));
  expect(await replies()).toEqual([]);
  await sql`update hidden_post set purge_at = now() - interval '1 minute' where post_id = ${below.id}`.execute(
    db,
  );
  await purgeDeletedPosts(db);
  const { rows } = await sql`select from base_reply where answer_id = ${answer.id}`.execute(db);
  expect(rows).toEqual([]);
  expect(await findViolations(db)).toEqual([]);
});

test('leaves an empty placeholder for a reply that is deleted permanently while there are replies below it', async () => {
  const { id, reply, below } = await thread();
  expectOk(await actOnPost(moderator, 'delete', 'reply', reply.id));
  await sql`update hidden_post set purge_at = now() - interval '1 minute' where post_id = ${reply.id}`.execute(
    db,
  );
  await purgeDeletedPosts(db);
  expect((await bob.read(id)).answers.items[0]?.replies.items).toMatchObject([
    { id: reply.id, deleted: true, content: '' },
    { id: below.id },
  ]);
  const { rows } = await sql`
    select content from base_reply where id = ${reply.id} and hidden_by is null
    union all select content from revision where reply_id = ${reply.id}`.execute(db);
  expect(rows).toEqual([{ content: '' }]);
  expect(await findViolations(db)).toEqual([]);
});

test('reaches nothing that belongs to a hidden question, and refuses to write there', async () => {
  const { id, answer, reply, mark } = await everything();
  const own = expectOk(await eve.get<Bookmarks>('/bookmarks')).items.filter((each) => each.questionId === id);
  expect(own).toHaveLength(2);
  const unread = expectOk(await ann.get<Notifications>('/notifications')).unreadCount;
  expectOk(await actOnPost(moderator, 'hide', 'question', id));
  expect(expectOk(await eve.get<Follows>('/follows')).questions).not.toContain(id);
  expect(
    expectOk(await eve.get<Bookmarks>('/bookmarks')).items.filter((each) => each.questionId === id),
  ).toEqual([]);
  const lists = expectOk(await eve.get<BookmarkLists>('/bookmark-lists')).items;
  expect(lists.find(({ name }) => name === `List ${mark}`)?.count).toBe(0);
  for (const member of [ann, bob, eve])
    expect(
      expectOk(await member.get<Notifications>('/notifications')).items.filter(({ link }) =>
        link.includes(`/question/${id}`),
      ),
    ).toEqual([]);
  expect(expectOk(await ann.get<Notifications>('/notifications')).unreadCount).toBeLessThan(unread);
  const refused = [
    await eve.put(`/questions/${id}/vote`, { vote: 'up' }),
    await eve.put(`/answers/${answer.id}/vote`, { vote: null }),
    await bob.put(`/replies/${reply.id}/vote`, { vote: 'up' }),
    await bob.put(`/questions/${id}/view`),
    await eve.put(`/questions/${id}/follow`, { following: false }),
    await bob.put(`/questions/${id}/mute`, { muted: false }),
    await eve.put(`/questions/${id}/bookmark`, { bookmarked: false }),
    await eve.put(`/bookmarks/${own[0]?.id}/note`, { note: 'Changed.' }),
    await eve.post(`/questions/${id}/answers`, { content: 'More.' }),
    await eve.post(`/questions/${id}/replies`, { content: 'More.', parentReplyId: null }),
    await ann.put(`/questions/${id}`, { title: 'Other', content: 'Other.', tags: [] }),
    await bob.put(`/answers/${answer.id}`, { content: 'Other.' }),
    await ann.delete(`/questions/${id}`),
    await ann.get(`/questions/${id}/revisions`),
    await ann.get(`/answers/${answer.id}/revisions`),
  ];
  expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 404));
});

test('the activity of a question goes back when its latest answer is hidden, and forward when it is shown again', async () => {
  const id = await ann.ask({ title: 'Is an old airship cheaper?', tags: ['airship'] });
  await sql`
    with aged as (
      update base_question set created_at = now() - interval '30 days', active_at = now() - interval '30 days'
      where id = ${id} returning id, created_at
    )
    update base_question_tag set question_created_at = aged.created_at from aged where question_id = aged.id`.execute(
    db,
  );
  const answer = await bob.answer(id, 'Buy ours.');
  expectOk(await bob.put(`/answers/${answer.id}`, { content: 'Buy ours today.' }));
  const comment = await eve.replyToAnswer(answer.id, { content: 'Is it spam?' });
  const readActivity = async () => {
    const { rows } = await sql<{ age: number; follows: boolean }>`
      select extract(day from now() - active_at)::int as age,
        exists (select from tag_question_sort_key key where key.question_id = question.id) as follows
      from question where id = ${id}`.execute(db);
    return rows;
  };
  expect(await readActivity()).toEqual([{ age: 0, follows: true }]);
  expectOk(await actOnPost(moderator, 'hide', 'answer', answer.id));
  expect(await readActivity()).toEqual([{ age: 30, follows: false }]);
  expectOk(await actOnPost(moderator, 'restore', 'answer', answer.id));
  expect(await readActivity()).toEqual([{ age: 0, follows: true }]);
  const { rows } = await sql<{ latest: boolean }>`
    select active_at = (select created_at from reply where id = ${comment.id}) as latest from question where id = ${id}`.execute(
    db,
  );
  expect(rows).toEqual([{ latest: true }]);
  // The statistics have the question on the day on which it was asked.
  expect((await findViolations(db)).filter(({ rule }) => rule.includes('sort_key'))).toEqual([]);
});

test('a topic whose questions are all hidden has no activity to read', async () => {
  const id = await ann.ask({ title: 'Where is the hidden hangar?', tags: ['hangar'] });
  expectOk(await bob.get('/tags/hangar/activity'));
  expectOk(await actOnPost(moderator, 'hide', 'question', id));
  expect(await bob.get('/tags/hangar/activity')).toMatchObject({ status: 404 });
});

const markDuplicate = async (id: number, duplicateOf: number) =>
  expectOk(await actOnPost(moderator, 'duplicate', 'question', id, { duplicateOf }));
const hideQuestion = async (id: number) => expectOk(await actOnPost(moderator, 'hide', 'question', id));
const restoreQuestion = async (id: number) => expectOk(await actOnPost(moderator, 'restore', 'question', id));
const originalsOf = async (...ids: number[]) =>
  Promise.all(ids.map(async (id) => (await ann.read(id)).question.duplicateOf));
/** Of the rule about duplicates: other tests of this file leave dated posts. */
const findChains = async () => (await findViolations(db)).filter(({ rule }) => rule.includes('duplicate_of'));

test('a hidden duplicate gets the new original when its original becomes a duplicate', async () => {
  const [one, two, three] = [await ann.ask(), await bob.ask(), await eve.ask()];
  await markDuplicate(one, two);
  await hideQuestion(one);
  await markDuplicate(two, three);
  expect(await findChains()).toEqual([]);
  await restoreQuestion(one);
  expect(await originalsOf(one, two, three)).toEqual([three, three, null]);
});

test('a restored original also gets the duplicates that its former duplicates got meanwhile', async () => {
  const [one, two, three, four] = [await ann.ask(), await bob.ask(), await eve.ask(), await ann.ask()];
  await markDuplicate(one, two);
  await hideQuestion(two);
  expect(await originalsOf(one)).toEqual([null]);
  for (const id of [three, four]) await markDuplicate(id, one);
  await hideQuestion(four);
  await restoreQuestion(two);
  expect(await originalsOf(one, two, three)).toEqual([two, null, two]);
  expect(await findChains()).toEqual([]);
  await restoreQuestion(four);
  expect(await originalsOf(four)).toEqual([two]);
});

test('a restored original that is a duplicate now gives its duplicates to its own original', async () => {
  const [one, two, three] = [await ann.ask(), await bob.ask(), await eve.ask()];
  await markDuplicate(two, three);
  await hideQuestion(three);
  await markDuplicate(one, two);
  await hideQuestion(two);
  await restoreQuestion(three);
  await restoreQuestion(two);
  expect(await originalsOf(one, two, three)).toEqual([three, three, null]);
  expect(await findChains()).toEqual([]);
});

test('a restored original whose former duplicate is its original now stays a duplicate of it', async () => {
  const [one, two, three] = [await ann.ask(), await bob.ask(), await eve.ask()];
  await markDuplicate(two, three);
  await hideQuestion(three);
  await markDuplicate(one, two);
  await hideQuestion(two);
  await restoreQuestion(three);
  await markDuplicate(three, one);
  await restoreQuestion(two);
  expect(await originalsOf(one, two, three)).toEqual([null, one, one]);
});
