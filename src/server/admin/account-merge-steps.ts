import { sql } from 'kysely';
import { forgetSomeWebhookRequests, lockMembers } from '#server/identity/index.ts';
import { moveSomeVotes } from '#server/engagement/index.ts';
import { markStaleDays, moveNextThread } from '#server/posts/index.ts';
import type { Tx } from '#server/core/database.ts';
import { publishAll } from '#server/core/events.ts';
import { copiedColumns, listMergeColumns, type MergeColumn } from './account-merge-columns.ts';

export type Merge = { fromId: number; intoId: number };

/** What one step has done: rows of any table, and of these posts and votes. */
export type StepResult = { rows: number; posts: number; votes: number };

/** Moves one batch in a transaction. `rows` is 0 if nothing is left. */
export type MergeStep = (tx: Tx, merge: Merge) => Promise<StepResult>;

/** Rows, votes or bookmarks per transaction. */
const batch = { rows: sql.lit(500), votes: 100, small: sql.lit(100) } as const;

/** All steps in their order: votes follow the posts, so that each knows which posts are own ones. */
export function listMergeSteps({ allowsSelfVotes }: { allowsSelfVotes: boolean }): MergeStep[] {
  const countRows =
    (step: (tx: Tx, merge: Merge) => Promise<number>): MergeStep =>
    async (tx, merge) => ({ rows: await step(tx, merge), posts: 0, votes: 0 });
  return [
    // First: the posts name the member as their author.
    countRows((tx, { fromId }) => forgetSomeWebhookRequests(tx, { memberId: fromId, limit: 500 })),
    moveThread,
    async (tx, merge) => {
      const votes = await moveSomeVotes(tx, { ...merge, limit: batch.votes, allowsSelfVotes });
      return { rows: votes, posts: 0, votes };
    },
    ...[
      moveViews,
      moveTagFollows,
      moveTagMutes,
      moveBookmarks,
      moveReports,
      moveEditSuggestions,
      moveUploads,
      moveReceivedNotifications,
      moveOtherNotifications,
      ...listMergeColumns('unlessTaken').map(createUnlessTakenStep),
      ...listMergeColumns('moved').map(createMovingStep),
      // Requests that were running when the merge started may have signed in once more.
      ...listMergeColumns('removed').map(createRemovingStep),
    ].map(countRows),
  ];
}

const moveThread: MergeStep = async (tx, merge) => {
  const moved = await moveNextThread(tx, merge);
  if (moved === null) return { rows: 0, posts: 0, votes: 0 };
  await moveNotifications(tx, merge, sql`question_id = ${moved.questionId}`);
  return { rows: 1, posts: moved.posts, votes: 0 };
};

type Condition = ReturnType<typeof sql>;

/**
 * Moves notifications to and from the merged account. One that would be to oneself, or repeat one of the other account, is
 * deleted. Nothing is sent about them any more.
 */
async function moveNotifications(
  tx: Tx,
  { fromId, intoId }: Merge,
  condition: Condition,
  limit = sql`all`,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with moved as (
      delete from base_notification where id = any(array(
        select id from base_notification
        where ${condition} and (recipient_id = ${fromId} or sender_id = ${fromId}) limit ${limit}
      ))
      returning *
    ), stored as (
      insert into base_notification (id, recipient_id, sender_id, kind, question_id, answer_id, reply_id, created_at,
        read_at, pending_email, pending_push, hidden_by)
      overriding system value
      select id, case recipient_id when ${fromId} then ${intoId} else recipient_id end,
        case sender_id when ${fromId} then ${intoId} else sender_id end, kind, question_id, answer_id, reply_id,
        created_at, read_at, case when recipient_id <> ${fromId} then pending_email end,
        recipient_id <> ${fromId} and pending_push, hidden_by
      from moved
      where sender_id is null
        or not (recipient_id in (${fromId}, ${intoId}) and sender_id in (${fromId}, ${intoId}))
      on conflict do nothing
    )
    select count(*) as count from moved`.execute(tx);
  return rows[0]?.count ?? 0;
}

/** By the index of a recipient's visible notifications. */
const moveReceivedNotifications = (tx: Tx, merge: Merge) =>
  moveNotifications(tx, merge, sql`recipient_id = ${merge.fromId} and hidden_by is null`, batch.rows);

/** The rest: hidden ones, and those sent by votes that were taken back. No index lists them; this reads the table. */
const moveOtherNotifications = (tx: Tx, merge: Merge) => moveNotifications(tx, merge, sql`true`, batch.rows);

/**
 * Moves views. A question that both accounts viewed keeps both views, one of them without a member, as after an account
 * deletion.
 */
async function moveViews(tx: Tx, { fromId, intoId }: Merge): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    select id from base_question where id in (
      select question_id from question_view where member_id = ${fromId} limit ${batch.rows}
    ) order by id for no key update`.execute(tx);
  const ids = rows.map(({ id }) => id);
  await sql`
    with viewed as (
      delete from question_view where member_id = ${fromId} and question_id = any(${ids}::bigint[]) returning *
    ), stored as (
      insert into question_view (question_id, member_id, viewed_at, visited_at)
      select question_id, ${intoId}::bigint, viewed_at, visited_at from viewed
      on conflict do nothing returning question_id
    )
    update base_question set imported_views = imported_views + 1
    where id in (select question_id from viewed) and id not in (select question_id from stored)`.execute(tx);
  return ids.length;
}

async function lockTags(tx: Tx, table: string, memberId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from tag where id in (
      select tag_id from ${sql.table(table)} where member_id = ${memberId} limit ${batch.small}
    ) order by id for no key update`.execute(tx);
  return rows.map(({ id }) => id);
}

/** A tag that the other account mutes is not followed. */
async function moveTagFollows(tx: Tx, { fromId, intoId }: Merge): Promise<number> {
  const ids = await lockTags(tx, 'tag_follow', fromId);
  const { rows } = await sql<{ name: string; count: number }>`
    with followed as (
      delete from tag_follow where member_id = ${fromId} and tag_id = any(${ids}::bigint[]) returning tag_id, created_at
    ), stored as (
      insert into tag_follow (tag_id, member_id, created_at)
      select tag_id, ${intoId}::bigint, created_at from followed
      where not exists (select from tag_mute where tag_mute.tag_id = followed.tag_id and member_id = ${intoId})
      on conflict do nothing returning tag_id
    )
    update tag set followers_count = followers_count - 1
    where id in (select tag_id from followed) and id not in (select tag_id from stored)
    returning name, followers_count as count`.execute(tx);
  await publishAll(
    tx,
    rows.map(({ name: tag, count: followersCount }) => ({
      topic: 'tags' as const,
      event: { kind: 'tag-followers-changed' as const, tag, followersCount },
    })),
  );
  return ids.length;
}

/** A tag that the other account follows is not muted. */
async function moveTagMutes(tx: Tx, { fromId, intoId }: Merge): Promise<number> {
  const ids = await lockTags(tx, 'tag_mute', fromId);
  await sql`
    with muted as (
      delete from tag_mute where member_id = ${fromId} and tag_id = any(${ids}::bigint[]) returning tag_id, created_at
    )
    insert into tag_mute (tag_id, member_id, created_at)
    select tag_id, ${intoId}::bigint, created_at from muted
    where not exists (select from tag_follow where tag_follow.tag_id = muted.tag_id and member_id = ${intoId})
    on conflict do nothing`.execute(tx);
  return ids.length;
}

/** Moves bookmarks with their lists. Of a post that both saved, the note of the other account stays if there is one. */
async function moveBookmarks(tx: Tx, { fromId, intoId }: Merge): Promise<number> {
  await lockMembers(tx, [fromId, intoId]);
  await sql`
    insert into bookmark_list (member_id, name, key, created_at)
    select ${intoId}::bigint, name, key, created_at from bookmark_list where member_id = ${fromId}
    on conflict (member_id, key) do nothing`.execute(tx);
  const { rows } = await sql<{ id: number }>`
    select id from bookmark where member_id = ${fromId} order by id limit ${batch.small}`.execute(tx);
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) {
    const { numAffectedRows = 0n } = await sql`
      delete from bookmark_list where member_id = ${fromId}`.execute(tx);
    return Number(numAffectedRows);
  }
  const isSamePost = sql`target.member_id = ${intoId} and target.question_id = gone.question_id
    and target.answer_id is not distinct from gone.answer_id`;
  await sql`
    insert into bookmark (member_id, question_id, answer_id, note, created_at)
    select ${intoId}::bigint, question_id, answer_id, note, created_at from bookmark
    where id = any(${ids}::bigint[]) order by id on conflict do nothing`.execute(tx);
  await sql`
    update bookmark target set note = gone.note from bookmark gone
    where gone.id = any(${ids}::bigint[]) and ${isSamePost} and target.note = ''`.execute(tx);
  await sql`
    insert into bookmark_list_item (list_id, bookmark_id, member_id)
    select list.id, target.id, ${intoId}::bigint
    from bookmark gone join bookmark target on ${isSamePost}
    join bookmark_list_item item on item.bookmark_id = gone.id
    join bookmark_list former on former.id = item.list_id
    join bookmark_list list on list.member_id = ${intoId} and list.key = former.key
    where gone.id = any(${ids}::bigint[]) on conflict do nothing`.execute(tx);
  await sql`delete from bookmark where id = any(${ids}::bigint[])`.execute(tx);
  return ids.length;
}

/**
 * Moves reports. Of two reports of one post, an open one stays, or else that of the other account; an open one less is
 * counted for the review queue.
 */
async function moveReports(tx: Tx, { fromId, intoId }: Merge): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    select id from report where member_id = ${fromId} order by id limit ${batch.small} for update`.execute(
    tx,
  );
  const ids = rows.map(({ id }) => id);
  const isSame = sql`mine.id = any(${ids}::bigint[]) and theirs.member_id = ${intoId}
    and theirs.post_kind = mine.post_kind and theirs.post_id = mine.post_id`;
  await sql`
    with removed as (
      delete from report theirs using report mine
      where ${isSame} and theirs.closed_at is not null and mine.closed_at is null
      returning theirs.created_at
    )
    ${markStaleDays(sql`select created_at from removed`)}`.execute(tx);
  await sql`
    with removed as (
      delete from report mine using report theirs
      where ${isSame} and (theirs.closed_at is null or mine.closed_at is not null)
      returning mine.post_kind, mine.post_id, mine.closed_at, mine.created_at
    ), counted as (
      update review_item item set open_reports = open_reports - 1 from removed
      where removed.closed_at is null and item.post_kind = removed.post_kind and item.post_id = removed.post_id
    )
    ${markStaleDays(sql`select created_at from removed`)}`.execute(tx);
  await sql`update report set member_id = ${intoId} where id = any(${ids}::bigint[])`.execute(tx);
  return ids.length;
}

/** Open suggestions are withdrawn: the other account may have one for the same post, or be its author now. */
async function moveEditSuggestions(tx: Tx, { fromId, intoId }: Merge): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update edit_suggestion set member_id = ${intoId}, base_title = null, base_content = null, base_tags = null,
      status = case status when 'open' then 'withdrawn' else status end, decided_at = coalesce(decided_at, now())
    where id = any(array(
      select id from edit_suggestion where member_id = ${fromId} limit ${batch.rows}
    ))`.execute(tx);
  return Number(numAffectedRows);
}

/** A picture that both uploaded stays for the posts that show it, without an owner. */
async function moveUploads(tx: Tx, { fromId, intoId }: Merge): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update upload mine set member_id = case when not exists (
      select from upload theirs
      where theirs.member_id = ${intoId} and theirs.kind = mine.kind and theirs.content_hash = mine.content_hash
    ) then ${intoId}::bigint end
    where id = any(array(
      select id from upload where member_id = ${fromId} limit ${batch.rows}
    ))`.execute(tx);
  return Number(numAffectedRows);
}

const createUnlessTakenStep =
  ({ table, column }: MergeColumn) =>
  async (tx: Tx, { fromId, intoId }: Merge): Promise<number> => {
    const columns = sql.join((copiedColumns[table] ?? []).map((name) => sql.ref(name)));
    const { rows } = await sql<{ count: number }>`
      with moved as (
        delete from ${sql.table(table)} where ctid = any(array(
          select ctid from ${sql.table(table)} where ${sql.ref(column)} = ${fromId} limit ${batch.rows}
        ))
        returning *
      ), stored as (
        insert into ${sql.table(table)} (${sql.ref(column)}, ${columns})
        select ${intoId}::bigint, ${columns} from moved on conflict do nothing
      )
      select count(*) as count from moved`.execute(tx);
    return rows[0]?.count ?? 0;
  };

const createMovingStep =
  ({ table, column }: MergeColumn) =>
  async (tx: Tx, { fromId, intoId }: Merge): Promise<number> => {
    const { numAffectedRows = 0n } = await sql`
      update ${sql.table(table)} set ${sql.ref(column)} = ${intoId} where ctid = any(array(
        select ctid from ${sql.table(table)} where ${sql.ref(column)} = ${fromId} limit ${batch.rows}
      ))`.execute(tx);
    return Number(numAffectedRows);
  };

const createRemovingStep =
  ({ table, column }: MergeColumn) =>
  async (tx: Tx, { fromId }: Merge): Promise<number> => {
    const { numAffectedRows = 0n } = await sql`
      delete from ${sql.table(table)} where ${sql.ref(column)} = ${fromId}`.execute(tx);
    return Number(numAffectedRows);
  };
