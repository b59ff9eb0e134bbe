import { type RawBuilder, sql } from 'kysely';
import { hasMutedTag, type Mutes } from '#server/engagement/mutes-filter.ts';
import type { Reader, Tx } from '#server/core/database.ts';
import { existsForRow, likeContains } from '#server/core/sql.ts';
import type { Cursor } from '#server/core/cursor.ts';
import { bylineJoins } from '#server/posts/posts.ts';
import { questionCardColumns, type QuestionCardRow } from '#server/posts/cards.ts';
import { tagKey } from '#shared/posts/tags.ts';
import type { TagSort } from '#shared/discovery/tags.ts';
import { isTagVisible } from '#server/posts/tags-queries.ts';

/** The tags named, in the same order, as they are shown; names seen for the first time become tags. */
export async function ensureTags(tx: Tx, names: readonly string[]) {
  if (names.length === 0) return [];
  // Sorted, so that two transactions with the same names wait for each other in one order.
  const wanted = names
    .map((name) => ({ name, key: tagKey(name) }))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1));
  const keys = wanted.map((tag) => tag.key);
  await sql`
    insert into tag (name, key)
    select * from unnest(${wanted.map((tag) => tag.name)}::text[], ${keys}::text[])
    on conflict (key) do nothing`.execute(tx);
  const { rows } = await sql<{ id: number; name: string; key: string }>`
    select id, name, key from tag where key = any(${keys}::text[])`.execute(tx);
  const byKey = new Map(rows.map((row) => [row.key, row]));
  return names.map((name) => {
    const tag = byKey.get(tagKey(name));
    if (tag === undefined) throw new Error(`tag '${name}' was not stored`);
    return tag;
  });
}

export async function listQuestionTags(tx: Tx, questionId: number) {
  const { rows } = await sql<{ id: number; name: string }>`
    select tag.id, tag.name from question_tag join tag on tag.id = question_tag.tag_id
    where question_tag.question_id = ${questionId} order by question_tag.position`.execute(tx);
  return rows;
}

export async function replaceQuestionTags(
  tx: Tx,
  { questionId, ids }: { questionId: number; ids: readonly number[] },
) {
  await sql`delete from question_tag where question_id = ${questionId}`.execute(tx);
  await sql`
    insert into question_tag (question_id, question_created_at, tag_id, position)
    select question.id, question.created_at, wanted.tag_id, wanted.position - 1
    from question, unnest(${[...ids]}::bigint[]) with ordinality as wanted (tag_id, position)
    where question.id = ${questionId}`.execute(tx);
}

/** The tag of that key, locked against everything else that counts in it. */
export async function lockTag(tx: Tx, key: string) {
  const { rows } = await sql<{ id: number; name: string }>`
    select id, name from tag where key = ${key} for no key update`.execute(tx);
  return rows[0];
}

/** Tags that several statements will count in, locked at once and in the order of their ids. */
export async function lockTags(tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`select id from tag where id = any(${[...ids]}::bigint[]) order by id for no key update`.execute(
    tx,
  );
}

type TagFollow = { tagId: number; memberId: number };

/** Returns false when the member followed it before. */
export async function insertTagFollow(tx: Tx, { tagId, memberId }: TagFollow): Promise<boolean> {
  const { rows } = await sql`
    insert into tag_follow (tag_id, member_id) values (${tagId}, ${memberId})
    on conflict do nothing returning tag_id`.execute(tx);
  return rows.length > 0;
}

/** Returns false when the member did not follow it. */
export async function deleteTagFollow(tx: Tx, { tagId, memberId }: TagFollow): Promise<boolean> {
  const { rows } = await sql`
    delete from tag_follow where tag_id = ${tagId} and member_id = ${memberId} returning tag_id`.execute(tx);
  return rows.length > 0;
}

export async function getFollowersCount(tx: Tx, tagId: number): Promise<number> {
  const { rows } = await sql<{ followers: number }>`
    select followers_count as followers from tag where id = ${tagId}`.execute(tx);
  return rows[0]?.followers ?? 0;
}

/** Adds to the number of questions of each tag and returns it; the rows are locked in id order. */
export async function changeTagQuestionCounts(tx: Tx, { ids, by }: { ids: readonly number[]; by: 1 | -1 }) {
  if (ids.length === 0) return [];
  const { rows } = await sql<{ name: string; questions_count: number }>`
    update tag set questions_count = questions_count + ${by}
    where id in (select id from tag where id = any(${[...ids]}::bigint[]) order by id for no key update)
    returning name, questions_count`.execute(tx);
  return rows;
}

/** The time of a question's latest answer, or of the question itself. */
export async function getLatestPostTime(tx: Tx, questionId: number): Promise<Date> {
  const { rows } = await sql<{ at: Date }>`
    select greatest(
      question.created_at,
      (select max(created_at) from answer where question_id = question.id)
    ) as at
    from question where question.id = ${questionId}`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw new Error('the locked question is gone');
  return row.at;
}

/** The tags were last active at `at`, if nothing later happened in them. */
export async function updateTagActivity(tx: Tx, { ids, at }: { ids: readonly number[]; at: Date }) {
  if (ids.length === 0) return;
  await sql`
    update tag set active_at = greatest(active_at, ${at}::timestamptz)
    where id in (select id from tag where id = any(${[...ids]}::bigint[]) order by id for no key update)`.execute(
    tx,
  );
}

/** The same for all tags of questions. */
export const updateTagActivityStatement = ({
  questionIds,
  at,
}: {
  questionIds: readonly number[];
  at: Date;
}) => sql`
  update tag set active_at = greatest(active_at, ${at}::timestamptz)
  where id in (
    select id from tag where id in (
      select tag_id from question_tag where question_id = any(${[...questionIds]}::bigint[])
    ) order by id for no key update
  )`;

/** Of a topic with no more questions each is looked at for its latest answer. */
const maxQuestionsScanned = sql.lit(500);

/**
 * Looks again for the latest post of those tags whose latest was the one of time `at`, which is gone. In a topic with many
 * questions an answer later than the newest question, if there is one, is among the latest of all answers.
 */
export async function recomputeTagActivity(tx: Tx, { ids, at }: { ids: readonly number[]; at: Date }) {
  if (ids.length === 0) return;
  await sql`
    update tag set active_at = case when questions_count <= ${maxQuestionsScanned} then (
      select max(greatest(question_created_at, (select max(created_at) from answer where question_id = link.question_id)))
      from question_tag link where link.tag_id = tag.id
    ) else (
      select greatest(newest.question_created_at, (
        select answer.created_at from answer
        where answer.created_at > newest.question_created_at
          and ${existsForRow(sql`from question_tag where question_id = answer.question_id and tag_id = tag.id`)}
        order by answer.created_at desc, answer.id desc limit 1
      ))
      from (
        select question_created_at from question_tag where tag_id = tag.id order by question_created_at desc, question_id desc limit 1
      ) newest
    ) end
    where id in (select id from tag where id = any(${[...ids]}::bigint[]) order by id for no key update)
      and active_at <= ${at}::timestamptz`.execute(tx);
}

export type TagRow = {
  id: number;
  name: string;
  key: string;
  questions_count: number;
  followers_count: number;
  active_at: Date | null;
  following: boolean;
  muted: boolean;
};

const tagColumns = (viewerId: number) => sql`
  tag.id, tag.name, tag.key, tag.questions_count, tag.active_at, tag.followers_count,
  ${existsForRow(sql`from tag_follow where tag_id = tag.id and member_id = ${viewerId}`)} as following,
  ${existsForRow(sql`from tag_mute where tag_id = tag.id and member_id = ${viewerId}`)} as muted`;

/**
 * Topics with questions, 'limit' at most, behind the cursor; `query` is a part of the name, already without case. The
 * indexes tag_popular, tag_alphabetical and tag_active serve the orders.
 */
export async function listTags(
  db: Reader,
  wanted: { viewerId: number; query: string; sort: TagSort; cursor: Cursor | null; limit: number },
) {
  const { viewerId, query, sort, cursor, limit } = wanted;
  const { order, behind } = orders[sort];
  const named = query === '' ? sql`true` : sql`tag.key like ${likeContains(query)}`;
  const { rows } = await sql<TagRow>`
    select ${tagColumns(viewerId)} from tag
    where tag.questions_count > 0 and ${named} and ${cursor === null ? sql`true` : behind(cursor)}
    order by ${order} limit ${limit}`.execute(db);
  return rows;
}

type Order = { order: RawBuilder<unknown>; behind: (cursor: Cursor) => RawBuilder<unknown> };

const orders: Readonly<Record<TagSort, Order>> = {
  popular: {
    order: sql`tag.questions_count desc, tag.id desc`,
    behind: ({ after, id }) => sql`(tag.questions_count, tag.id) < (${after}, ${id})`,
  },
  alphabetical: {
    order: sql`tag.key, tag.id`,
    // Tags keep their names and are never deleted.
    behind: ({ id }) => sql`(tag.key, tag.id) > ((select key from tag where id = ${id}), ${id})`,
  },
  active: {
    order: sql`tag.active_at desc nulls last, tag.id desc`,
    behind: ({ after, id }) => sql`(tag.active_at, tag.id) < (${new Date(after)}::timestamptz, ${id})`,
  },
};

/** What is a member's own of topics. */
export async function listViewerTagStates(
  db: Reader,
  { ids, viewerId }: { ids: readonly number[]; viewerId: number },
) {
  const wanted = sql`any(${[...ids]}::bigint[])`;
  const { rows } = await sql<{ id: number; following: boolean; muted: boolean }>`
    select tag_id as id, bool_or(following) as following, bool_or(not following) as muted from (
      select tag_id, true as following from tag_follow where member_id = ${viewerId} and tag_id = ${wanted}
      union all select tag_id, false from tag_mute where member_id = ${viewerId} and tag_id = ${wanted}
    ) own group by tag_id`.execute(db);
  return rows;
}

export async function findTagByKey(db: Reader, { key, viewerId }: { key: string; viewerId: number }) {
  const { rows } = await sql<TagRow>`
    select ${tagColumns(viewerId)} from tag where tag.key = ${key} and ${isTagVisible}`.execute(db);
  return rows[0];
}

/** The topics a member follows, by name. */
export async function listFollowedTags(
  db: Reader,
  { viewerId, offset, limit }: { viewerId: number; offset: number; limit: number },
) {
  const { rows } = await sql<TagRow>`
    select ${tagColumns(viewerId)} from tag_follow follow join tag on tag.id = follow.tag_id
    where follow.member_id = ${viewerId} and ${isTagVisible} order by tag.key limit ${limit} offset ${offset}`.execute(
    db,
  );
  return rows;
}

export async function listFollowedTagNames(
  db: Reader,
  { viewerId, limit }: { viewerId: number; limit: number },
) {
  const { rows } = await sql<{ name: string; total: number }>`
    select tag.name, count(*) over () as total
    from tag_follow follow join tag on tag.id = follow.tag_id
    where follow.member_id = ${viewerId} and ${isTagVisible}
    order by follow.created_at, tag.id limit ${limit}`.execute(db);
  return rows;
}

/** A topic's questions, newest first; served in order by the index question_tag_newest. */
export async function listTagQuestions(
  db: Reader,
  { key, cursor, limit }: { key: string; cursor: Cursor | null; limit: number },
) {
  const behind =
    cursor === null
      ? sql`true`
      : sql`(link.question_created_at, link.question_id) < (${new Date(cursor.after)}::timestamptz, ${cursor.id})`;
  const { rows } = await sql<QuestionCardRow>`
    select ${questionCardColumns} from question_tag link join question post on post.id = link.question_id ${bylineJoins}
    where link.tag_id = (select id from tag where key = ${key}) and ${behind}
    order by link.question_created_at desc, link.question_id desc limit ${limit}`.execute(db);
  return rows;
}

/** How far back a topic's questions are looked through for those that are not left out. */
const newestWindow = 30;

/**
 * The newest questions of each of several topics, `limit` a topic, without what the member's mutes leave out. The topics
 * come as JSON and the limits in the text: how many they are changes nothing in the plan, and PostgreSQL, which would plan
 * for each number of them anew (that takes as long as the query), keeps one.
 */
export async function listNewestQuestionsByTag(
  db: Reader,
  { ids, limit, mutes }: { ids: readonly number[]; limit: number; mutes: Mutes | null },
) {
  const newest = mutes === null ? limit : newestWindow;
  const shown = mutes === null ? sql`true` : sql`not ${hasMutedTag(mutes)}`;
  const { rows } = await sql<QuestionCardRow & { tag_id: number }>`
    select wanted.tag_id, card.* from (
      select each::bigint as tag_id from jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb) each
    ) wanted
    cross join lateral (
      select ${questionCardColumns} from (
        select question_id, question_created_at from question_tag
        where tag_id = wanted.tag_id order by question_created_at desc, question_id desc limit ${sql.lit(newest)}
      ) link
      join question post on post.id = link.question_id ${bylineJoins}
      where ${shown} order by link.question_created_at desc, link.question_id desc limit ${sql.lit(limit)}
    ) card`.execute(db);
  return rows;
}
