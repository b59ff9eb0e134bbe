import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '#server/core/database.ts';
import type { PostRef } from '#shared/core/fields.ts';

/**
 * Stores the rows of a post and of everything below it, so that they can be deleted from their tables and restored
 * later. Leaves out generated columns.
 */
export async function snapshotRows(
  tx: Tx,
  { hiddenPostId, post }: { hiddenPostId: number; post: PostRef },
): Promise<void> {
  for (const [part, rows] of Object.entries(snapshotQueries[post.kind](sql`${post.id}::bigint`)))
    await sql`
      insert into hidden_row (hidden_post_id, part, row)
      select ${hiddenPostId}, ${part}, to_jsonb(each) - '{title_vector,search_vector,answer_key,parent_level}'::text[]
      from (${rows}) each`.execute(tx);
}

type RowQuery = RawBuilder<unknown>;

const selectVotes = (kind: PostRef['kind'], ids: RowQuery) =>
  sql`select * from vote where ${sql.ref(`${kind}_id`)} in (${ids})`;
const selectRevisions = (kind: PostRef['kind'], ids: RowQuery) =>
  sql`select * from revision where ${sql.ref(`${kind}_id`)} in (${ids})`;
const selectListEntries = (bookmarks: RowQuery) =>
  sql`select * from bookmark_list_item where bookmark_id in (select id from (${bookmarks}) bookmarks)`;

const snapshotQueries: Readonly<Record<PostRef['kind'], (id: RowQuery) => Record<string, RowQuery>>> = {
  question(id) {
    const answers = sql`select id from answer where question_id = ${id}`;
    const replies = sql`select id from reply where question_id = ${id}`;
    const bookmarks = sql`select * from bookmark where question_id = ${id}`;
    return {
      question: sql`select * from question where id = ${id}`,
      tag: sql`
        select tag.name from question_tag join tag on tag.id = tag_id where question_id = ${id} order by position`,
      answer: sql`select * from answer where question_id = ${id} order by id`,
      reply: sql`select * from reply where question_id = ${id} order by level, id`,
      vote: sql`
        ${selectVotes('question', sql`${id}`)} union all ${selectVotes('answer', answers)}
        union all ${selectVotes('reply', replies)}`,
      question_view: sql`select * from question_view where question_id = ${id}`,
      question_follow: sql`select * from question_follow where question_id = ${id}`,
      question_mute: sql`select * from question_mute where question_id = ${id}`,
      bookmark: bookmarks,
      bookmark_list_item: selectListEntries(bookmarks),
      revision: sql`
        select * from (
          ${selectRevisions('question', sql`${id}`)} union all ${selectRevisions('answer', answers)}
          union all ${selectRevisions('reply', replies)}
        ) version order by id`,
      notification: sql`select * from notification where question_id = ${id} order by id`,
      repeated_by: sql`select id from question where duplicate_of = ${id}`,
    };
  },
  answer(id) {
    const replies = sql`select id from reply where answer_id = ${id}`;
    const bookmarks = sql`select * from bookmark where answer_id = ${id}`;
    return {
      answer: sql`select * from answer where id = ${id}`,
      reply: sql`select * from reply where answer_id = ${id} order by level, id`,
      vote: sql`${selectVotes('answer', sql`${id}`)} union all ${selectVotes('reply', replies)}`,
      bookmark: bookmarks,
      bookmark_list_item: selectListEntries(bookmarks),
      revision: sql`
        select * from (
          ${selectRevisions('answer', sql`${id}`)} union all ${selectRevisions('reply', replies)}
        ) version order by id`,
      notification: sql`select * from notification where answer_id = ${id} order by id`,
      accepted_by: sql`select id from question where accepted_answer_id = ${id}`,
    };
  },
  reply: (id) => ({
    // Deleting the last reply below a deleted reply also deletes that placeholder. So the placeholders above are stored
    // too.
    above: sql`
      with recursive above as (
        select parent.* from reply child join reply parent on parent.id = child.parent_reply_id where child.id = ${id}
        union all
        select parent.* from above child join reply parent on parent.id = child.parent_reply_id
      )
      select * from above order by level`,
    reply: sql`select * from reply where id = ${id}`,
    vote: selectVotes('reply', sql`${id}`),
    revision: sql`select * from revision where reply_id = ${id} order by id`,
    notification: sql`select * from notification where reply_id = ${id} order by id`,
  }),
};

/**
 * Restores stored rows to their tables. Leaves out rows that exist already, and rows of members who no longer exist.
 */
export async function restoreRows(tx: Tx, hiddenPostId: number, kind: PostRef['kind']): Promise<void> {
  if (kind === 'question') await insertRows(tx, { hiddenPostId, part: 'question' });
  if (kind !== 'reply') await insertRows(tx, { hiddenPostId, part: 'answer' });
  if (kind === 'reply') await restoreReplyRows(tx, hiddenPostId);
  else await insertRows(tx, { hiddenPostId, part: 'reply' });
  await moveRemovedVotes(tx, hiddenPostId);
  await insertRows(tx, {
    hiddenPostId,
    part: 'vote',
    where: sql`${memberExists('member_id')} and not ${isActivityRemoved}`,
  });
  for (const part of ['question_view', 'question_follow', 'question_mute', 'bookmark'])
    await insertRows(tx, { hiddenPostId, part, where: memberExists('member_id') });
  await insertRows(tx, {
    hiddenPostId,
    part: 'bookmark_list_item',
    where: sql`exists (select from bookmark_list where id = stored.list_id)
      and exists (select from bookmark where id = stored.bookmark_id)`,
  });
  await insertRows(tx, { hiddenPostId, part: 'revision' });
  await insertRows(tx, {
    hiddenPostId,
    part: 'notification',
    where: sql`${memberExists('recipient_id')} and ${memberExists('sender_id')}`,
  });
  // Members have already received these notifications, so they are neither emailed nor pushed again.
  await sql`
    update notification set pending_email = null, pending_push = false
    where id in (${selectSnapshotIds(hiddenPostId, 'notification')})`.execute(tx);
}

/** Returns the stored ids of one part. */
export async function listSnapshotIds(tx: Tx, hiddenPostId: number, part: string): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`${selectSnapshotIds(hiddenPostId, part)}`.execute(tx);
  return rows.map((row) => row.id);
}

export async function listSnapshotTags(tx: Tx, hiddenPostId: number): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select row ->> 'name' as name from hidden_row
    where hidden_post_id = ${hiddenPostId} and part = 'tag' order by id`.execute(tx);
  return rows.map((row) => row.name);
}

const selectSnapshotIds = (hiddenPostId: number, part: string) => sql<{ id: number }>`
  select (row ->> 'id')::bigint as id from hidden_row where hidden_post_id = ${hiddenPostId} and part = ${part}`;

const memberExists = (column: string) =>
  sql`exists (select from member where id = ${sql.ref(`stored.${column}`)})`;

/** SQL condition: all activity of the voter is removed at present. */
const isActivityRemoved = sql`exists (
  select from activity_removal where activity_removal.member_id = stored.member_id and activity_removal.state in ('removing', 'removed')
)`;

/** Votes of members whose activity is removed are restored with that activity, not now. */
async function moveRemovedVotes(tx: Tx, hiddenPostId: number): Promise<void> {
  await sql`
    insert into removed_vote (activity_removal_id, post_kind, post_id, direction, created_at)
    select activity_removal.id,
      case when stored.question_id is not null then 'question' when stored.answer_id is not null then 'answer' else 'reply' end,
      coalesce(stored.question_id, stored.answer_id, stored.reply_id), stored.direction, stored.created_at
    from hidden_row hidden, jsonb_populate_record(null::vote, hidden.row) stored
    join activity_removal on activity_removal.member_id = stored.member_id and activity_removal.state in ('removing', 'removed')
    where hidden.hidden_post_id = ${hiddenPostId} and hidden.part = 'vote' on conflict do nothing`.execute(
    tx,
  );
}

/**
 * If others replied to it, a placeholder stayed in its place and is filled now. Placeholders above it are created
 * again.
 */
async function restoreReplyRows(tx: Tx, hiddenPostId: number): Promise<void> {
  await sql`
    update hidden_row set row = row || jsonb_build_object(
      'content', '', 'deleted_at', now(), 'edited_at', null,
      'upvotes', row -> 'imported_upvotes', 'downvotes', row -> 'imported_downvotes'
    ) where hidden_post_id = ${hiddenPostId} and part = 'above'`.execute(tx);
  await insertRows(tx, { hiddenPostId, part: 'above', table: 'reply' });
  await sql`
    update reply set content = stored.content, deleted_at = null, edited_at = stored.edited_at, updated_at = stored.updated_at
    from hidden_row hidden, jsonb_populate_record(null::reply, hidden.row) stored
    where hidden.hidden_post_id = ${hiddenPostId} and hidden.part = 'reply' and reply.id = stored.id`.execute(
    tx,
  );
  await insertRows(tx, { hiddenPostId, part: 'reply' });
}

/** Columns added to the table since then get their defaults. Stored columns that no longer exist are left out. */
async function insertRows(
  tx: Tx,
  wanted: { hiddenPostId: number; part: string; table?: string; where?: RawBuilder<unknown> },
): Promise<void> {
  const { hiddenPostId, part, table = part, where = sql`true` } = wanted;
  const { rows } = await sql<{ name: string }>`
    select attname as name from pg_attribute
    where attrelid = ${table}::regclass and attnum > 0 and not attisdropped and attgenerated = ''
      and attname in (
        select jsonb_object_keys(row) from (
          select row from hidden_row where hidden_post_id = ${hiddenPostId} and part = ${part} limit 1
        ) first
      )
    order by attnum`.execute(tx);
  if (rows.length === 0) return;
  const columns = rows.map(({ name }) => sql.ref(name));
  const values = rows.map(({ name }) => sql.ref(`stored.${name}`));
  await sql`
    insert into ${sql.table(table)} (${sql.join(columns)}) overriding system value
    select ${sql.join(values)}
    from hidden_row hidden, jsonb_populate_record(null::${sql.table(table)}, hidden.row) stored
    where hidden.hidden_post_id = ${hiddenPostId} and hidden.part = ${part} and ${where}
    order by hidden.id on conflict do nothing`.execute(tx);
}
