import { type RawBuilder, sql } from 'kysely';
import { type Reader, removeStatementTimeout, type Tx } from '#server/core/database.ts';
import { jsonTime, unnamedMember } from '#server/core/sql.ts';
import { importedBadgesJson } from '#server/identity/index.ts';
import {
  bylineJoins,
  closingJson,
  isTagVisible,
  questionTagNames,
  siteHistoryJson,
  sourceJson,
  tagTextSourceJson,
} from '#server/posts/index.ts';
import type { PostKind } from '#shared/core/fields.ts';
import type { ChangeKind } from '#shared/integrations/changes.ts';
import type { ChangeTargets } from './changes-events.ts';

/** Grows with each release that adds fields to the items of the list, or shows other items (docs/decisions/128). */
export const itemVersion = 5;

/**
 * The hash of the statement that builds the items of this version. A test compares it, so that no field is added
 * without a new version.
 */
export const itemDigest = 'ff42f012ce05d2d0';

/** `epoch`: the position at which the list began. `itemVersion`: with which fields all items were recorded. */
export type ChangesState = { epoch: number; timeline: number; lastPosition: number; itemVersion: number };

const stateColumns = sql`epoch, timeline, last_position as "lastPosition", item_version as "itemVersion"`;

export async function findChangesState(db: Reader): Promise<ChangesState | undefined> {
  const { rows } = await sql<ChangesState>`
    select ${stateColumns} from public_change_state`.execute(db);
  return rows[0];
}

/** Makes other nodes wait that want to build the list, too. */
export async function lockChangesBuild(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('public changes', 0))`.execute(tx);
}

export async function lockChangesState(tx: Tx): Promise<ChangesState | undefined> {
  const { rows } = await sql<ChangesState>`
    select ${stateColumns} from public_change_state for update`.execute(tx);
  return rows[0];
}

/** The timeline of the database server, as the reader of events saw it last. */
export async function findReaderTimeline(tx: Tx, name: string): Promise<number | undefined> {
  const { rows } = await sql<{ timeline: number }>`
    select (snapshot ->> 'timeline')::int as timeline from event_reader where name = ${name}`.execute(tx);
  return rows[0]?.timeline;
}

/** SQL of the next free position before the first one: positions grow with the clock, and never repeat. */
const clockPosition = sql`(extract(epoch from clock_timestamp()) * 1000000)::bigint`;

/** Builds the list of everything that is public. In a large community, it takes longer than a request may. */
export async function buildChanges(tx: Tx, timeline: number): Promise<void> {
  await removeStatementTimeout(tx);
  await sql`delete from public_change`.execute(tx);
  await sql`
    with start as materialized (
      insert into public_change_state (epoch, timeline, last_position, item_version)
      select now, ${timeline}, now, ${itemVersion} from (select ${clockPosition} as now) clock
      on conflict (is_only_row) do update set epoch = greatest(excluded.epoch, public_change_state.last_position + 1),
        timeline = excluded.timeline, last_position = greatest(excluded.epoch, public_change_state.last_position + 1),
        item_version = excluded.item_version
      returning epoch
    )
    insert into public_change (kind, id, question_id, answer_id, position)
    select kind, id, question_id, answer_id, epoch + row_number() over (order by ${kindOrder}, id)
    from start, (${everythingVisible}) visible`.execute(tx);
  await sql`
    update public_change_state
    set last_position = greatest(last_position, (select max(position) from public_change))`.execute(tx);
}

/**
 * Gives a new position to each target that differs from what was recorded of it. The caller has locked the state.
 */
export async function recordChanges(tx: Tx, targets: ChangeTargets): Promise<void> {
  if (targets.all) await removeStatementTimeout(tx);
  await sql`
    with target as materialized (${targets.all ? selectEverything : selectTargets(targets)}),
    present as materialized (
      select kind, id, question_id, answer_id, hashtextextended(item::text, 0) as digest
      from (${selectItems(sql`target`)}) item
    ), changed as materialized (
      select target.kind, target.id, coalesce(present.question_id, known.question_id) as question_id,
        coalesce(present.answer_id, known.answer_id) as answer_id, coalesce(present.digest, 0) as digest,
        row_number() over (order by ${kindOrder}, target.id) as n
      from target left join present using (kind, id) left join public_change known using (kind, id)
      -- What was deleted before it was recorded was never listed.
      where (present.id is not null or known.id is not null)
        and known.digest is distinct from coalesce(present.digest, 0)
    ), moved as (
      update public_change_state set last_position = greatest(last_position, ${clockPosition})
        + (select count(*) from changed)
      where exists (select from changed)
      returning last_position - (select count(*) from changed) as base
    )
    insert into public_change (kind, id, question_id, answer_id, digest, position)
    select kind, id, question_id, answer_id, digest, base + n from changed, moved
    on conflict (kind, id) do update set digest = excluded.digest, position = excluded.position`.execute(tx);
}

/** Notes that all items are recorded with the fields of this version. */
export async function saveItemVersion(tx: Tx): Promise<void> {
  await sql`update public_change_state set item_version = ${itemVersion}`.execute(tx);
}

const kindOrder = sql`array_position(array['member', 'tag', 'question', 'answer', 'reply'], kind)`;

const isMemberVisible = sql`application is null and deleted_at is null`;
const isTagListed = sql`tag.synonym_of is null and ${isTagVisible}`;

const everythingVisible = sql`
  select 'member' as kind, id, null::bigint as question_id, null::bigint as answer_id from member where ${isMemberVisible}
  union all select 'tag', id, null, null from tag where ${isTagListed}
  union all select 'question', id, null, null from question
  union all select 'answer', id, question_id, null from answer
  union all select 'reply', id, question_id, answer_id from thread_reply`;

const selectEverything = sql`
  select kind, id from (${everythingVisible}) visible union select kind, id from public_change`;

function selectTargets(targets: ChangeTargets): RawBuilder<unknown> {
  const { moved } = targets;
  const ids = (list: readonly number[]) => sql`any(${[...new Set(list)]}::bigint[])`;
  const named = (kind: ChangeKind, list: readonly number[]) =>
    sql`select ${sql.lit(kind)} as kind, unnest(${[...new Set(list)]}::bigint[]) as id`;
  const parts = [
    named('member', targets.members),
    named('tag', targets.tags),
    named('question', [...targets.questions, ...targets.threads]),
    named('answer', [...targets.answers, ...targets.answerThreads]),
    named('reply', [...targets.replies, ...targets.replyThreads]),
    // The names of merged tags lead to others.
    sql`select 'tag', unnest(array[id, synonym_of]) from tag where key = any(${[...new Set(targets.tagKeys)]}::text[])`,
    sql`select kind, id from public_change where question_id = ${ids(targets.threads)}`,
    sql`select 'answer', id from answer where question_id = ${ids(targets.threads)}`,
    sql`select 'reply', id from thread_reply where question_id = ${ids(targets.threads)}`,
    sql`select kind, id from public_change where answer_id = ${ids(targets.answerThreads)}`,
    sql`select 'reply', id from thread_reply where answer_id = ${ids(targets.answerThreads)}`,
  ];
  if (targets.replyThreads.length > 0) parts.push(selectSiblings(ids(targets.replyThreads)));
  const movedPosts = sql`unnest(${moved.map((each) => each.questionId)}::bigint[],
    ${moved.map((each) => each.authorId)}::bigint[]) moved (question_id, author_id)`;
  for (const kind of ['answer', 'reply'] as const)
    parts.push(sql`
      select ${sql.lit(kind)}, id from ${movedPosts} join ${sql.table(kind)} using (question_id, author_id)`);
  return sql`
    select kind, id from (${sql.join(parts, sql` union all `)}) named where id is not null group by kind, id`;
}

/** The replies to the same answer, or to the same question itself. */
function selectSiblings(replyIds: RawBuilder<unknown>): RawBuilder<unknown> {
  const parents = sql`(
    select question_id, answer_id from public_change where kind = 'reply' and id = ${replyIds}
    union select question_id, answer_id from thread_reply where id = ${replyIds}
  ) parent`;
  return sql`
    select 'reply', reply.id from ${parents} join thread_reply reply on reply.answer_id = parent.answer_id
    union all select 'reply', reply.id from ${parents}
    join thread_reply reply on reply.question_id = parent.question_id and reply.answer_id is null
    where parent.answer_id is null
    union all select 'reply', known.id from ${parents} join public_change known on known.answer_id = parent.answer_id
    union all select 'reply', known.id from ${parents}
    join public_change known on known.question_id = parent.question_id and known.kind = 'reply'
    where parent.answer_id is null and known.answer_id is null`;
}

/** A row of a page of changes. `item`: JSON; null when it is gone. */
export type ChangeRow = { kind: ChangeKind; id: number; position: number; item: string | null };

/** Reads changes after a position, in order, with what is public of each now. */
export async function listChanges(
  db: Reader,
  { after, kinds, limit }: { after: number; kinds: readonly ChangeKind[]; limit: number },
): Promise<ChangeRow[]> {
  const parts = kinds.map(
    (kind) => sql`(
      select kind, id, position from public_change where kind = ${sql.lit(kind)} and position > ${after}
      order by position limit ${sql.lit(limit)}
    )`,
  );
  const { rows } = await sql<ChangeRow>`
    with page as materialized (
      select kind, id, position from (${sql.join(parts, sql` union all `)}) each
      order by position limit ${sql.lit(limit)}
    ), present as (${selectItems(sql`page`)})
    select page.kind, page.id, page.position, present.item::text as item
    from page left join present using (kind, id) order by page.position`.execute(db);
  return rows;
}

/** What is public of the rows of a query with `kind` and `id`: nothing of those that are gone. */
export const selectItems = (wanted: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  select wanted.kind, wanted.id, null::bigint as question_id, null::bigint as answer_id, ${memberItem} as item
  from ${wanted} wanted join member on member.id = wanted.id
  where wanted.kind = 'member' and ${isMemberVisible}
  union all select wanted.kind, wanted.id, null, null, ${tagItem}
  from ${wanted} wanted join tag on tag.id = wanted.id where wanted.kind = 'tag' and ${isTagListed}
  union all select wanted.kind, wanted.id, null, null, ${questionItem}
  from ${wanted} wanted join question post on post.id = wanted.id ${bylineJoins} where wanted.kind = 'question'
  union all select wanted.kind, wanted.id, post.question_id, null, ${answerItem}
  from ${wanted} wanted join answer post on post.id = wanted.id ${bylineJoins} where wanted.kind = 'answer'
  union all select wanted.kind, wanted.id, post.question_id, post.answer_id, ${replyItem}
  from ${wanted} wanted join thread_reply post on post.id = wanted.id ${bylineJoins} where wanted.kind = 'reply'`;

/** As on the profile, which does not show the texts of an account whose activity is removed. */
const unlessRemoved = (text: RawBuilder<unknown>) => sql`case when not exists (
    select from activity_removal where member_id = member.id and state <> 'restored'
  ) then ${text} end`;

const memberItem = sql`json_build_object(
  'id', member.id, 'displayName', coalesce(display_name, ${unnamedMember}), 'avatar', avatar, 'isBot', is_bot,
  'bio', ${unlessRemoved(sql`bio`)}, 'location', ${unlessRemoved(sql`location`)}, 'website', ${unlessRemoved(sql`website`)},
  'createdAt', ${jsonTime(sql`member.created_at`)}, 'reputation', greatest(0, reputation),
  'questionsCount', questions_count, 'answersCount', answers_count, 'importedBadges', ${importedBadgesJson}
)`;

const tagItem = sql`json_build_object(
  'id', tag.id, 'name', tag.name, 'description', tag.description, 'about', tag.about,
  'descriptionSource', ${tagTextSourceJson('description')}, 'aboutSource', ${tagTextSourceJson('about')},
  'questionsCount', tag.questions_count, 'followersCount', tag.followers_count
)`;

const postFields = (kind: PostKind, shown = sql`true`) => sql`
  'id', post.id, 'content', post.content,
  'authorId', case when ${shown} then post.author_id end,
  'authorName', case when ${shown} and post.author_id is null then coalesce(post.imported_author_name, ${unnamedMember}) end,
  'createdAt', ${jsonTime(sql`post.created_at`)}, 'editedAt', ${jsonTime(sql`post.edited_at`)},
  'upvotes', post.upvotes, 'downvotes', post.downvotes, ${sourceJson(kind, shown)}`;

const questionItem = sql`json_build_object(
  ${postFields('question')}, 'title', post.title, 'tags', ${questionTagNames},
  'acceptedAnswerId', post.accepted_answer_id, 'lockReason', post.lock_reason, 'duplicateOf', post.duplicate_of,
  'closing', ${closingJson}, 'siteHistory', ${siteHistoryJson('question')}
)`;

const answerItem = sql`json_build_object(
  ${postFields('answer')}, 'questionId', post.question_id, 'siteHistory', ${siteHistoryJson('answer')}
)`;

const replyItem = sql`json_build_object(
  ${postFields('reply', sql`post.deleted_at is null`)}, 'questionId', post.question_id, 'answerId', post.answer_id,
  'parentReplyId', post.parent_reply_id, 'deleted', post.deleted_at is not null
)`;
