import { type RawBuilder, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '#shared/posts/answers.ts';
import type { Reply } from '#shared/posts/replies.ts';
import { startTestServer } from '#tests/support/server.ts';

const server = await startTestServer();
afterAll(() => server.stop());
const ann = await server.register('Ann');
const bob = await server.register('Bob');

let question: number;
let otherQuestion: number;
let answer: Answer;
let otherAnswer: Answer;
/** Replies of levels 0 to 3 below `answer`. */
let chain: Reply[];

beforeAll(async () => {
  question = await ann.ask({ tags: ['one', 'two'] });
  otherQuestion = await ann.ask();
  [answer, otherAnswer] = [await ann.answer(question), await ann.answer(question)];
  chain = [await ann.replyToAnswer(answer.id)];
  for (let level = 1; level <= 3; level++)
    chain.push(await ann.replyToAnswer(answer.id, { to: chain[level - 1] as Reply }));
  await bob.vote('questions', question, 'up');
  await bob.vote('answers', answer.id, 'up');
  await bob.vote('replies', (chain[0] as Reply).id, 'up');
});

const replyBelow = (
  parent: Reply | undefined,
  level: number,
  on: { answerId: number | null } = chain[0] as Reply,
) => sql`
  insert into reply (question_id, answer_id, parent_reply_id, level, author_id, content)
  values (${question}, ${on.answerId}, ${parent?.id ?? null}, ${level}, ${ann.id}, 'Past the API')`;

const secondVote = (column: string, id: number) => sql`
  insert into vote (member_id, ${sql.ref(column)}, direction) values (${bob.id}, ${id}, 'down')`;

/** Runs SQL directly, without the API: the database itself rejects rows that no code may write. */
describe('the database rejects', () => {
  test.each<[string, string, () => RawBuilder<unknown>]>([
    ['a second vote of a member on a question', 'vote_question', () => secondVote('question_id', question)],
    ['a second vote of a member on an answer', 'vote_answer', () => secondVote('answer_id', answer.id)],
    ['a second vote of a member on a reply', 'vote_reply', () => secondVote('reply_id', chain[0]!.id)],
    [
      'a vote on two posts',
      'vote_check',
      () => sql`update vote set answer_id = ${answer.id} where question_id = ${question}`,
    ],
    [
      'a vote on nothing',
      'vote_check',
      () => sql`insert into vote (member_id, direction) values (${bob.id}, 'up')`,
    ],
    ['an unknown vote direction', 'vote_direction_check', () => sql`update vote set direction = 'sideways'`],
    ['a vote on a missing question', 'vote_question_id_fkey', () => secondVote('question_id', 999_999)],
    ['a reply of level 4', 'reply_level_check', () => replyBelow(chain[3], 4)],
    ['a reply whose level does not match its parent', 'reply_parent_reply_id', () => replyBelow(chain[0], 2)],
    ['a reply of level 0 with a parent', 'reply_check', () => replyBelow(chain[0], 0)],
    ['a reply of level 1 without a parent', 'reply_check', () => replyBelow(undefined, 1)],
    [
      'a parent reply to another answer',
      'reply_parent_reply_id',
      () => replyBelow(chain[0], 1, { answerId: otherAnswer.id }),
    ],
    [
      'a parent reply to an answer, for a reply to the question',
      'reply_parent_reply_id',
      () => replyBelow(chain[0], 1, { answerId: null }),
    ],
    [
      'a reply with an answer of another question',
      'reply_',
      () => sql`update reply set question_id = ${otherQuestion} where id = ${chain[3]!.id}`,
    ],
    [
      'a blank reply that is not deleted',
      'reply_check',
      () => sql`update reply set content = '' where id = ${chain[0]!.id}`,
    ],
    [
      'a deleted reply with content',
      'reply_check',
      () => sql`update reply set deleted_at = now() where id = ${chain[0]!.id}`,
    ],
    [
      'the deletion of a reply with replies',
      'reply_parent_reply_id',
      () => sql`delete from reply where id = ${chain[0]!.id}`,
    ],
    ['negative upvotes of a question', 'question_check', () => sql`update question set upvotes = -1`],
    ['negative downvotes of an answer', 'answer_check', () => sql`update answer set downvotes = -1`],
    ['negative upvotes of a reply', 'reply_check', () => sql`update reply set upvotes = -1`],
    ['negative views', 'question_check', () => sql`update question set views = -1`],
    [
      'a negative answer count',
      'question_answer_count_check',
      () => sql`update question set answer_count = -1`,
    ],
    [
      'a negative question count of a member',
      'member_questions_count_check',
      () => sql`update member set questions_count = -1`,
    ],
    [
      'a negative answer count of a member',
      'member_answers_count_check',
      () => sql`update member set answers_count = -1`,
    ],
    [
      'a negative question count of a tag',
      'tag_questions_count_check',
      () => sql`update tag set questions_count = -1`,
    ],
    [
      'an email address with capital letters',
      'member_email_check',
      () => sql`update member set email = 'Ann@example.org' where id = ${ann.id}`,
    ],
    [
      'an email address with spaces around it',
      'member_email_check',
      () => sql`update member set email = ' ann@example.org' where id = ${ann.id}`,
    ],
    [
      'a duplicate email address',
      'member_email_key',
      () => sql`update member set email = ${bob.email} where id = ${ann.id}`,
    ],
    [
      'a member without name and email address',
      'member_check',
      () => sql`insert into member (display_name) values (null)`,
    ],
    [
      'a sixth tag',
      'question_tag_position_check',
      () => sql`update question_tag set position = 5 where position = 0`,
    ],
    [
      'a duplicate tag on a question',
      'question_tag_question_id_tag_id_key',
      () => sql`
      insert into question_tag (question_id, tag_id, position, question_created_at)
      select question_id, tag_id, 4, question_created_at from question_tag where position = 0`,
    ],
    [
      'a duplicate tag in different case',
      'tag_key_key',
      () => sql`insert into tag (name, key) values ('ONE', 'one')`,
    ],
    [
      'a duplicate view',
      'question_view_pkey',
      () => sql`
      insert into question_view (question_id, member_id) values (${question}, ${bob.id}), (${question}, ${bob.id})`,
    ],
    [
      'an accepted answer of another question',
      'question_accepted_answer',
      () => sql`update question set accepted_answer_id = ${answer.id} where id = ${otherQuestion}`,
    ],
    [
      'an unknown kind of notification',
      'notification_kind_check',
      () => sql`update notification set kind = 'whatever'`,
    ],
    [
      'two notifications about one acceptance',
      'notification_accepted_once',
      () => sql`
      insert into notification (recipient_id, sender_id, kind, question_id, answer_id)
      select ${ann.id}, ${bob.id}, kind, ${question}, ${answer.id}
      from unnest(array['accepted', 'accepted_followed']) kind`,
    ],
    [
      'a last visit before the first one',
      'question_view_check',
      () => sql`
      insert into question_view (question_id, member_id, visited_at)
      values (${otherQuestion}, ${bob.id}, now() - interval '1 day')`,
    ],
    ['an empty title', 'question_title_check', () => sql`update question set title = ''`],
    ['a post without an author', 'answer_check', () => sql`update answer set author_id = null`],
    [
      'a notification whose sender is its recipient',
      'notification_check',
      () => sql`update notification set sender_id = recipient_id`,
    ],
    ['the deletion of a member with posts', 'fkey', () => sql`delete from member where id = ${ann.id}`],
  ])('%s', async (_, constraint, statement) => {
    await expect(statement().execute(server.db)).rejects.toMatchObject({
      code: expect.stringMatching(/^23/),
      constraint: expect.stringContaining(constraint),
    });
  });
});

test('every timestamp column has a time zone', async () => {
  const { rows } = await sql<{ type: string; count: number }>`
    select data_type as type, count(*) as count from information_schema.columns
    where table_schema = 'public' and (data_type like 'timestamp%' or data_type in ('date', 'time'))
      -- The days and weeks of statistics are in UTC.
      and (column_name, data_type) not in (('day', 'date'), ('week', 'date'), ('start', 'date'))
    group by data_type`.execute(server.db);
  expect(rows).toEqual([{ type: 'timestamp with time zone', count: expect.any(Number) }]);
});
