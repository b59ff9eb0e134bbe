import { existsForRow, likeContains, one, unnamedMember } from '#server/core/sql.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Reader, Tx } from '#server/core/database.ts';
import type { Cursor } from '#server/core/cursor.ts';
import { answerStartLength } from '#server/posts/index.ts';

/** Whether the bookmarked post is visible. The bookmark of a hidden post stays, and comes back with it. */
const isPostVisible = sql`(
  ${existsForRow(sql`from question where id = bookmark.question_id`)}
  and (bookmark.answer_id is null or ${existsForRow(sql`from answer where id = bookmark.answer_id`)})
)`;

/** A post that can be bookmarked. */
export type BookmarkTarget = { kind: 'question' | 'answer'; id: number };

/**
 * Keeps a post from being deleted until the transaction ends. Returns the id of its question, undefined if the post
 * does not exist.
 */
export async function lockBookmarkTarget(tx: Tx, { kind, id }: BookmarkTarget): Promise<number | undefined> {
  const question = kind === 'question' ? sql`${id}` : sql`(select question_id from answer where id = ${id})`;
  const { rows } = await sql<{ id: number }>`
    select id from question where id = ${question} for key share`.execute(tx);
  const [row] = rows;
  if (row === undefined || kind === 'question') return row?.id;
  const answer = await sql`select id from answer where id = ${id} for key share`.execute(tx);
  return answer.rows.length > 0 ? row.id : undefined;
}

type BookmarkKey = { target: BookmarkTarget; questionId: number; memberId: number };

const matchesBookmark = ({ target, memberId }: BookmarkKey) =>
  target.kind === 'question'
    ? sql`member_id = ${memberId} and question_id = ${target.id} and answer_id is null`
    : sql`member_id = ${memberId} and answer_id = ${target.id}`;

export async function findBookmark(tx: Tx, key: BookmarkKey) {
  const { rows } = await sql<{ id: number; note: string; list_ids: number[] }>`
    select id, note, ${listIdsOf(sql`bookmark.id`)} as list_ids from bookmark
    where ${matchesBookmark(key)}`.execute(tx);
  return rows[0];
}

const listIdsOf = (bookmarkId: RawBuilder<unknown>) => sql`to_json(array(
  select list_id from bookmark_list_item where bookmark_id = ${bookmarkId} order by list_id
))`;

/**
 * Returns the id.
 * @param added.at when the member bookmarked the post; null and times in the future mean now.
 */
export async function insertBookmark(tx: Tx, added: BookmarkKey & { note: string; at: Date | null }) {
  const { target, questionId, memberId, note, at } = added;
  const answerId = target.kind === 'answer' ? target.id : null;
  const { rows } = await sql<{ id: number }>`
    insert into bookmark (member_id, question_id, answer_id, note, created_at)
    values (${memberId}, ${questionId}, ${answerId}, ${note}, least(${at}::timestamptz, now()))
    returning id`.execute(tx);
  return one(rows).id;
}

/** Returns the id, null if the post was not bookmarked. */
export async function deleteBookmark(tx: Tx, key: BookmarkKey): Promise<number | null> {
  const { rows } = await sql<{ id: number }>`
    delete from bookmark where ${matchesBookmark(key)} returning id`.execute(tx);
  return rows[0]?.id ?? null;
}

export async function countBookmarks(db: Reader, memberId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from bookmark where member_id = ${memberId} and ${isPostVisible}`.execute(db);
  return rows[0]?.count ?? 0;
}

export type BookmarkRow = {
  id: number;
  question_id: number;
  answer_id: number | null;
  title: string;
  excerpt: string;
  excerpt_cut: boolean;
  answer_start: string | null;
  author_id: number | null;
  author_name: string;
  author_avatar: string | null;
  author_is_bot: boolean;
  note: string;
  list_ids: number[];
  created_at: Date;
};

/** Newest first, after the cursor. A query or a list reads at most all bookmarks of the member. */
export async function listBookmarks(
  db: Reader,
  wanted: { memberId: number; listId: number | null; query: string; cursor: Cursor | null; limit: number },
) {
  const { memberId, listId, query, cursor, limit } = wanted;
  const listed =
    listId === null
      ? sql``
      : sql`and ${existsForRow(sql`from bookmark_list_item where list_id = ${listId} and bookmark_id = bookmark.id`)}`;
  const pattern = likeContains(query);
  const matches =
    query === ''
      ? sql``
      : sql`and (note ilike ${pattern} or (select title from question where id = question_id) ilike ${pattern})`;
  const afterCursor =
    cursor === null
      ? sql``
      : sql`and (created_at, id) < (${new Date(cursor.after)}::timestamptz, ${cursor.id})`;
  const { rows } = await sql<BookmarkRow>`
    select saved.id, saved.question_id, saved.answer_id, saved.note, saved.created_at,
      question.title, question.excerpt, question.excerpt_cut, left(answer.content, ${sql.lit(answerStartLength)}) as answer_start,
      author.id as author_id,
      coalesce(
        author.display_name,
        case when answer.id is null then question.imported_author_name else answer.imported_author_name end,
        ${unnamedMember}
      ) as author_name,
      author.avatar as author_avatar, coalesce(author.is_bot, false) as author_is_bot,
      ${listIdsOf(sql`saved.id`)} as list_ids
    from (
      select * from bookmark where member_id = ${memberId} and ${isPostVisible} ${listed} ${matches} ${afterCursor}
      order by created_at desc, id desc limit ${limit}
    ) saved
    join question on question.id = saved.question_id
    left join answer on answer.id = saved.answer_id
    left join member author
      on author.id = case when answer.id is null then question.author_id else answer.author_id end
    order by saved.created_at desc, saved.id desc`.execute(db);
  return rows;
}

/** Returns false if the member has no such bookmark. */
export async function updateBookmarkNote(
  tx: Tx,
  { id, memberId, note }: { id: number; memberId: number; note: string },
): Promise<boolean> {
  const { rows } = await sql`
    update bookmark set note = ${note} where id = ${id} and member_id = ${memberId} and ${isPostVisible}
    returning id`.execute(tx);
  return rows.length > 0;
}

/**
 * Puts a bookmark into those of the lists that belong to its member. Returns their ids, undefined if there is no such
 * bookmark.
 */
export async function replaceBookmarkLists(
  tx: Tx,
  { id, memberId, listIds }: { id: number; memberId: number; listIds: readonly number[] },
): Promise<number[] | undefined> {
  const own = await sql`
    select id from bookmark where id = ${id} and member_id = ${memberId} and ${isPostVisible}`.execute(tx);
  if (own.rows.length === 0) return undefined;
  await sql`delete from bookmark_list_item where bookmark_id = ${id}`.execute(tx);
  const { rows } = await sql<{ list_id: number }>`
    insert into bookmark_list_item (list_id, bookmark_id, member_id)
    select id, ${id}, member_id from bookmark_list
    where member_id = ${memberId} and id = any(${[...listIds]}::bigint[])
    returning list_id`.execute(tx);
  return rows.map((row) => row.list_id);
}

export async function listBookmarkLists(db: Reader, memberId: number) {
  const { rows } = await sql<{ id: number; name: string; count: number }>`
    select id, name, (
      select count(*) from bookmark_list_item join bookmark on bookmark.id = bookmark_id
      where list_id = list.id and ${isPostVisible}
    ) as count
    from bookmark_list list where member_id = ${memberId} order by key`.execute(db);
  return rows;
}

export async function ownsList(
  db: Reader,
  { id, memberId }: { id: number; memberId: number },
): Promise<boolean> {
  const { rows } = await sql`
    select id from bookmark_list where id = ${id} and member_id = ${memberId}`.execute(db);
  return rows.length > 0;
}

export async function countLists(tx: Tx, memberId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from bookmark_list where member_id = ${memberId}`.execute(tx);
  return rows[0]?.count ?? 0;
}

type List = { memberId: number; name: string; key: string };

export async function findListByKey(tx: Tx, { memberId, key }: List): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    select id from bookmark_list where member_id = ${memberId} and key = ${key}`.execute(tx);
  return rows[0]?.id;
}

export async function insertList(tx: Tx, { memberId, name, key }: List): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into bookmark_list (member_id, name, key) values (${memberId}, ${name}, ${key})
    returning id`.execute(tx);
  return one(rows).id;
}

/** Returns false if the member has no such list. */
export async function renameList(tx: Tx, { id, memberId, name, key }: List & { id: number }) {
  const { rows } = await sql`
    update bookmark_list set name = ${name}, key = ${key}
    where id = ${id} and member_id = ${memberId} returning id`.execute(tx);
  return rows.length > 0;
}

/** Returns false if the member has no such list. */
export async function deleteList(tx: Tx, { id, memberId }: { id: number; memberId: number }) {
  const { rows } = await sql`
    delete from bookmark_list where id = ${id} and member_id = ${memberId} returning id`.execute(tx);
  return rows.length > 0;
}
