import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type RawBuilder, sql } from 'kysely';
import { expect, test } from 'vitest';
import { projectRoot } from '#server/core/paths.ts';
import { findViolations } from '#server/operations/integrity-check.ts';
import { expectOk } from '#tests/support/member.ts';
import { actOnPost, startModeration } from '#tests/support/moderation.ts';

const { server, ann, bob, moderator, community, thread } = await startModeration();
const { db } = server;

/** Stores rows as versions before the migration 0007 did. */
async function store(hiddenBy: number, part: string, rows: RawBuilder<unknown>): Promise<void> {
  await sql`
    insert into hidden_row (hidden_post_id, part, row)
    select ${hiddenBy}, ${part},
      to_jsonb(each) - '{search_vector,answer_key,parent_level,hidden_by,is_placeholder}'::text[]
    from (${rows}) each`.execute(db);
}

async function hiddenPostOf(id: number, kind: string): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    select id from hidden_post where post_id = ${id} and post_kind = ${kind}`.execute(db);
  return rows[0]?.id ?? 0;
}

const ofQuestion = (table: string, id: number) =>
  sql`select * from ${sql.table(table)} where question_id = ${id}`;
const ofPosts = (table: string, id: number) => sql`
  select * from ${sql.table(table)} where question_id = ${id}
  or answer_id in (select id from base_answer where question_id = ${id})
  or reply_id in (select id from base_reply where question_id = ${id})`;

test('an upgrade brings the rows of hidden posts back from JSON, hidden as before', async () => {
  const { id, reply } = await thread();
  const shown = await thread();
  const original = await community();
  expectOk(await actOnPost(moderator, 'hide', 'reply', reply.id));
  expectOk(await actOnPost(moderator, 'hide', 'question', id));
  const hidden = await community();
  const [byReply, byQuestion] = [await hiddenPostOf(reply.id, 'reply'), await hiddenPostOf(id, 'question')];

  await sql`drop index hidden_post_answer`.execute(db);
  await sql`
    create table hidden_row (
      id bigint generated always as identity primary key,
      hidden_post_id bigint not null references hidden_post on delete cascade, part text not null, row jsonb not null
    )`.execute(db);
  const isReply = sql`id = ${reply.id}`;
  await store(byReply, 'reply', sql`select * from base_reply where ${isReply}`);
  for (const part of ['vote', 'revision'])
    await store(byReply, part, sql`select * from ${sql.table(part)} where reply_id = ${reply.id}`);
  await store(byReply, 'notification', sql`select * from base_notification where reply_id = ${reply.id}`);
  await sql`delete from vote where reply_id = ${reply.id}`.execute(db);
  await sql`delete from revision where reply_id = ${reply.id}`.execute(db);
  await sql`delete from base_notification where reply_id = ${reply.id}`.execute(db);
  await sql`
    update base_reply set content = '', deleted_at = now(), hidden_by = null, is_placeholder = false, upvotes = 0,
      downvotes = 0 where ${isReply}`.execute(db);
  await store(byQuestion, 'question', sql`select * from base_question where id = ${id}`);
  await store(
    byQuestion,
    'tag',
    sql`
    select name from base_question_tag join tag on tag.id = tag_id where question_id = ${id} order by position`,
  );
  for (const part of ['answer', 'reply', 'notification'])
    await store(byQuestion, part, sql`${ofQuestion(`base_${part}`, id)} order by id`);
  for (const part of ['vote', 'revision']) await store(byQuestion, part, ofPosts(part, id));
  for (const part of ['question_view', 'question_follow', 'question_mute', 'bookmark'])
    await store(byQuestion, part, ofQuestion(part, id));
  await sql`delete from base_question where id = ${id}`.execute(db);

  const file = path.join(projectRoot, 'migrations', '0008_rows_of_hidden_posts.sql');
  await sql.raw(await readFile(file, 'utf8')).execute(db);
  expect(await community()).toEqual(hidden);
  expect(await findViolations(db)).toEqual([]);
  expect((await bob.read(shown.id)).question.id).toBe(shown.id);
  expectOk(await actOnPost(moderator, 'restore', 'question', id));
  expectOk(await actOnPost(moderator, 'restore', 'reply', reply.id));
  expect(await community()).toEqual(original);
  expect((await ann.read(id)).answers.items[0]?.replies.items[0]).toMatchObject({
    id: reply.id,
    deleted: false,
  });
});
