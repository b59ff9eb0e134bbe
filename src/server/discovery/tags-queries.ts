import { type RawBuilder, sql } from 'kysely';
import { hasMutedTag, type Mutes } from '#server/engagement/index.ts';
import type { Reader } from '#server/core/database.ts';
import { existsForRow, likeContains } from '#server/core/sql.ts';
import type { Cursor } from '#server/core/cursor.ts';
import {
  bylineJoins,
  isTagVisible,
  questionCardColumns,
  questionCardDocumentColumns,
  type QuestionCardDocumentRow,
  type QuestionCardRow,
  tagIdOf,
  tagTextSourceJson,
} from '#server/posts/index.ts';
import type { TagDocument, TagSort } from '#shared/discovery/tags.ts';

export type TagRow = {
  id: number;
  name: string;
  key: string;
  questions_count: number;
  followers_count: number;
  active_at: Date | null;
  description: string | null;
};

/** The viewer's own state of a tag. */
export type TagViewerRow = { name: string; description: string | null; following: boolean; muted: boolean };

const tagColumns = sql`
  tag.id, tag.name, tag.key, tag.questions_count, tag.active_at, tag.followers_count, tag.description`;

const viewerColumns = (viewerId: number) => sql`
  ${existsForRow(sql`from tag_follow where tag_id = tag.id and member_id = ${viewerId}`)} as following,
  ${existsForRow(sql`from tag_mute where tag_id = tag.id and member_id = ${viewerId}`)} as muted`;

/** Tags with questions, at most `limit`, after the cursor. `query` is a part of the name, or of a synonym, in lower case. */
export type TagWindow = { query: string; sort: TagSort; cursor: Cursor | null; limit: number };

export async function listTags(db: Reader, wanted: TagWindow) {
  const { rows } = await selectTags<TagRow>(wanted, tagColumns).execute(db);
  return rows;
}

/** Returns the viewer's own state of the same tags. */
export async function listTagViewerRows(db: Reader, wanted: TagWindow & { viewerId: number }) {
  const columns = sql`tag.name, tag.description, ${viewerColumns(wanted.viewerId)}`;
  const { rows } = await selectTags<TagViewerRow>(wanted, columns).execute(db);
  return rows;
}

/** The indexes tag_popular, tag_alphabetical and tag_active serve the orders. */
function selectTags<Row>(
  { query, sort, cursor, limit }: TagWindow,
  columns: RawBuilder<unknown>,
): RawBuilder<Row> {
  const { order, afterCursor } = orders[sort];
  const pattern = likeContains(query);
  const named =
    query === ''
      ? sql`true`
      : sql`(tag.key like ${pattern} or tag.id in (
          select synonym_of from tag where synonym_of is not null and key like ${pattern}
        ))`;
  return sql<Row>`
    select ${columns} from tag
    where tag.questions_count > 0 and tag.synonym_of is null and ${named} and ${cursor === null ? sql`true` : afterCursor(cursor)}
    order by ${order} limit ${limit}`;
}

type Order = { order: RawBuilder<unknown>; afterCursor: (cursor: Cursor) => RawBuilder<unknown> };

const orders: Readonly<Record<TagSort, Order>> = {
  popular: {
    order: sql`tag.questions_count desc, tag.id desc`,
    afterCursor: ({ after, id }) => sql`(tag.questions_count, tag.id) < (${after}, ${id})`,
  },
  alphabetical: {
    order: sql`tag.key, tag.id`,
    // Tags are never deleted. After a renaming, the list continues at the new name.
    afterCursor: ({ id }) => sql`(tag.key, tag.id) > ((select key from tag where id = ${id}), ${id})`,
  },
  active: {
    order: sql`tag.active_at desc nulls last, tag.id desc`,
    afterCursor: ({ after, id }) => sql`(tag.active_at, tag.id) < (${new Date(after)}::timestamptz, ${id})`,
  },
};

export async function findTagByKey(db: Reader, key: string) {
  const { rows } = await sql<TagRow & Pick<TagDocument, 'about' | 'descriptionSource' | 'aboutSource'>>`
    select ${tagColumns}, tag.about, ${tagTextSourceJson('description')} as "descriptionSource",
      ${tagTextSourceJson('about')} as "aboutSource"
    from tag where tag.id = ${tagIdOf(key)} and ${isTagVisible}`.execute(db);
  return rows[0];
}

/** Returns the viewer's own state of a tag. */
export async function findTagViewerRow(db: Reader, { key, viewerId }: { key: string; viewerId: number }) {
  const { rows } = await sql<TagViewerRow>`
    select tag.name, tag.description, ${viewerColumns(viewerId)} from tag where tag.id = ${tagIdOf(key)} and ${isTagVisible}`.execute(
    db,
  );
  return rows[0];
}

/** Returns the tags with these keys or synonyms, also those that are not visible. */
export async function listNamedTags(
  db: Reader,
  { keys, viewerId }: { keys: readonly string[]; viewerId: number },
) {
  const { rows } = await sql<
    TagViewerRow & { named: string; key: string; is_synonym: boolean; is_visible: boolean }
  >`
    select named.key as named, named.synonym_of is not null as is_synonym, tag.key, tag.name, tag.description,
      ${isTagVisible} as is_visible, ${viewerColumns(viewerId)}
    from tag named join tag on tag.id = coalesce(named.synonym_of, named.id)
    where named.key = any(${[...keys]}::text[])`.execute(db);
  return rows;
}

/** Tags that a member follows, by name, after the tag with the id `afterId`. */
export async function listFollowedTags(
  db: Reader,
  { viewerId, afterId, limit }: { viewerId: number; afterId: number | null; limit: number },
) {
  const { rows } = await sql<TagRow & TagViewerRow>`
    select ${tagColumns}, ${viewerColumns(viewerId)} from tag_follow follow join tag on tag.id = follow.tag_id
    where follow.member_id = ${viewerId} and ${isTagVisible}
      and ${afterId === null ? sql`true` : orders.alphabetical.afterCursor({ after: 0, id: afterId })}
    order by ${orders.alphabetical.order} limit ${limit}`.execute(db);
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

/** Questions with a tag after the cursor, at most `limit`. */
type TagQuestionsWindow = { key: string; cursor: Cursor | null; limit: number };

/** Questions with a tag, newest first. */
export async function listTagQuestionCards(db: Reader, wanted: TagQuestionsWindow) {
  const joined = sql`${questionCardDocumentColumns} from ${taggedQuestions} ${bylineJoins}`;
  const { rows } = await selectTagQuestions<QuestionCardDocumentRow>(wanted, joined).execute(db);
  return rows;
}

/** Returns the views of the same questions by id. */
export async function readTagQuestionViews(db: Reader, wanted: TagQuestionsWindow) {
  const { rows } = await sql<{ views: Record<string, number> }>`
    select coalesce(json_object_agg(id, views), '{}') as views from (
      ${selectTagQuestions(wanted, sql`post.id, post.views from ${taggedQuestions}`)}
    ) shown`.execute(db);
  return rows[0]?.views ?? {};
}

const taggedQuestions = sql`question_tag link join question post on post.id = link.question_id`;

/** The index question_tag_newest serves the order. */
function selectTagQuestions<Row>(
  { key, cursor, limit }: TagQuestionsWindow,
  columnsAndTables: RawBuilder<unknown>,
): RawBuilder<Row> {
  const afterCursor =
    cursor === null
      ? sql`true`
      : sql`(link.question_created_at, link.question_id) < (${new Date(cursor.after)}::timestamptz, ${cursor.id})`;
  return sql<Row>`
    select ${columnsAndTables}
    where link.tag_id = ${tagIdOf(key)} and ${afterCursor}
    order by link.question_created_at desc, link.question_id desc limit ${limit}`;
}

/** Questions of a tag that are read at most to find those that are not muted. */
const newestWindow = 30;

/**
 * Returns the newest questions of each of several tags, `limit` per tag, without those that the member's mutes leave
 * out. The tags are passed as JSON and the limits as literals, so that PostgreSQL uses one plan for any number of tags.
 * Planning takes as long as the query.
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
