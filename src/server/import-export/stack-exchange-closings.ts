import type { ClientBase } from 'pg';
import { transactionOfClient } from '#server/core/database.ts';
import { insertLogEntry } from '#server/moderation/index.ts';
import type { ClosingReason } from '#shared/posts/closing-reasons.ts';
import { parseInteger } from './stack-exchange-fields.ts';
import type { ImportSource } from './stack-exchange-sources.ts';
import { lockedReason } from './stack-exchange-tally.ts';
import type { ArchiveRow } from './stack-exchange-xml.ts';

/** Kinds of history entries (https://meta.stackexchange.com/q/2677). */
export const closedKind = 10;
export const lockKinds = { locked: 14, unlocked: 15 } as const;

/** Close reasons by number; those below 100 are from before 2013. */
const reasons: ReadonlyMap<number, ClosingReason> = new Map([
  [1, 'duplicate'],
  [2, 'off-topic'],
  [3, 'not-constructive'],
  [4, 'not-a-question'],
  [7, 'too-localized'],
  [10, 'general-reference'],
  [20, 'noise'],
  [101, 'duplicate'],
  [102, 'off-topic'],
  [103, 'unclear'],
  [104, 'too-broad'],
  [105, 'opinion-based'],
]);

/** The number of each reason, as archives have it today; none for 'other'. */
export const closeReasonNumbers: Readonly<Partial<Record<ClosingReason, number>>> = Object.fromEntries(
  [...reasons].map(([number, reason]) => [reason, number]),
);

/** A closing as it is staged: the reason, and the numbers of those who voted for it. */
export type StagedClosing = { reason: ClosingReason; voters: number[] };

/** Reads a closing of the history. The number of the reason is the comment; in old archives it has its own attribute. */
export function parseClosing(row: ArchiveRow): StagedClosing {
  const number = parseInteger(row['CloseReasonId'] ?? row['Comment']);
  return { reason: reasons.get(number ?? 0) ?? 'other', voters: parseVoters(row['Text'] ?? '') };
}

/** `{"Voters": [{"Id": 5, …}]}`; in old archives only the list. */
function parseVoters(text: string): number[] {
  try {
    const parsed = JSON.parse(text) as { Voters?: unknown } | unknown[] | null;
    const voters = Array.isArray(parsed) ? parsed : parsed?.Voters;
    if (!Array.isArray(voters)) return [];
    const ids = voters.map((voter) => (voter as { Id?: unknown } | null)?.Id);
    return [...new Set(ids.filter((id): id is number => Number.isSafeInteger(id)))];
  } catch {
    return [];
  }
}

/**
 * Sets the closings of new questions, and with `isRefresh` those of existing ones, to the archive's. Runs after the marks
 * of duplicates. The table `archive_closing` has the questions that are closed on the site, `archive_reclosed` the existing
 * ones that changed. Returns the number of new questions that are closed, not as duplicates of a question here.
 */
export async function applyClosings(client: ClientBase, isRefresh: boolean): Promise<number> {
  await client.query(`
    create temporary table archive_closing on commit drop as
    select *, is_duplicate or reason = 'duplicate' and has_original as is_mark from (
      select placed.id as question_id, placed.is_new, event.id as event_id, event.voters, post.closed as closed_at,
        coalesce(event.reason, known.reason, 'other') as reason, question.duplicate_of is not null as is_duplicate,
        exists (
          select from archive_duplicate mark join archive_question original on original.key = mark.original
          where mark.question = post.id) as has_original
      from archive_question placed
      join archive_post post on post.id = placed.key and post.kind = 1 and post.closed is not null
      join question on question.id = placed.id and question.lock_reason is null
      left join question_closing known on known.question_id = placed.id
      left join lateral (
        select id, text::json ->> 'reason' as reason, text::json -> 'voters' as voters from archive_history
        where post_id = post.id and kind = ${closedKind} order by created desc, id desc limit 1) event on true
      where placed.is_new or ${String(isRefresh)}) closed;
    create unique index archive_closing_question on archive_closing (question_id);
    create temporary table archive_reclosed (question_id bigint primary key) on commit drop;
    analyze archive_closing;`);
  const added = await client.query(`
    insert into question_closing select question_id, reason, closed_at from archive_closing where is_new and not is_mark`);
  if (isRefresh) await changeClosings(client);
  await client.query(`
    insert into question_closer
    select distinct question_id, member.id from archive_closing closing
    cross join lateral json_array_elements_text(voters) voter join archive_member member on member.key = voter::bigint
    where is_new or question_id in (select question_id from archive_reclosed)
      or question_id in (select question_id from archive_remark where applied)
    on conflict do nothing`);
  return added.rowCount ?? 0;
}

async function changeClosings(client: ClientBase): Promise<void> {
  await client.query(`
    insert into archive_reclosed
    select placed.id from archive_question placed
    join archive_post post on post.id = placed.key and post.kind = 1
    join question on question.id = placed.id and question.lock_reason is null
    left join question_closing known on known.question_id = placed.id
    left join archive_closing closing on closing.question_id = placed.id and not is_mark
    where not placed.is_new
      and (known.reason, known.closed_at) is distinct from (closing.reason, closing.closed_at);
    delete from question_closing where question_id in (select question_id from archive_reclosed);
    insert into question_closing
    select question_id, reason, closed_at from archive_closing join archive_reclosed using (question_id) where not is_mark;
    delete from question_closer where question_id in (
      select question_id from archive_reclosed union select question_id from archive_remark where applied)`);
}

/** The reason of a lock that an import set. */
const lockReason = (site: string) => `Locked on ${site}`;

/** SQL: whether the last entry about locks is a lock; null for posts without one. */
const isLockedThere = (post: string) => `(
  select kind = ${lockKinds.locked} from archive_history
  where post_id = ${post} and kind in (${lockKinds.locked}, ${lockKinds.unlocked})
  order by created desc, id desc limit 1)`;

/** Locks the new questions that are locked on the site, after everything was added to them. */
export async function lockNewQuestions(client: ClientBase, site: string): Promise<void> {
  await client.query(
    `update question set lock_reason = $1 from archive_question placed
     where placed.is_new and question.id = placed.id and ${isLockedThere('placed.key')}`,
    [lockReason(site)],
  );
}

/**
 * Unlocks the questions that an import locked, until `lockAgain`: only a lock of a moderator here keeps changes of the site
 * away. Those that the site unlocked since stay unlocked, and the moderation log says so; returns how many. Runs before existing posts are compared.
 */
export async function unlockImported(
  client: ClientBase,
  { source, isRefresh }: { source: ImportSource; isRefresh: boolean },
): Promise<number> {
  await client.query(
    `create temporary table archive_unlocked (
       id bigint primary key, key bigint not null, reason text not null, is_released boolean) on commit drop`,
  );
  await client.query(
    `with locked as (
       select id, source_key::bigint as key, lock_reason from question
       where source_id = $1 and lock_reason = any($2::text[]) order by id for no key update),
     unlocked as (update question set lock_reason = null from locked where locked.id = question.id)
     insert into archive_unlocked
     select id, key, lock_reason, ${String(isRefresh)} and not coalesce(${isLockedThere('key')}, true) from locked`,
    [source.id, [source.site, ...source.formerSites].map(lockReason)],
  );
  const { rows } = await client.query<{ id: string; author: string | null; reason: string }>(
    `select id, author_id as author, reason from archive_unlocked join question using (id) where is_released order by id`,
  );
  for (const { id, author, reason } of rows)
    await insertLogEntry(transactionOfClient(client), {
      moderatorId: null,
      action: 'unlock',
      reason: `Unlocked on ${source.site}`,
      post: { kind: 'question', id: Number(id), questionId: Number(id) },
      memberId: author === null ? null : Number(author),
      before: { lockReason: reason },
    });
  return rows.length;
}

/** Locks the questions again, also those that the import has hidden. Runs after everything else. */
export async function lockAgain(client: ClientBase): Promise<void> {
  await client.query(`
    update base_question question set lock_reason = reason from archive_unlocked unlocked
    where unlocked.id = question.id and not is_released`);
}

/** SQL: the outcome of entries about closings and locks; the query has `history`, `location` and `archive_post post`. */
export const closingOutcome = `
  case
    when history.kind in (${lockKinds.locked}, ${lockKinds.unlocked}) then case
      when post.kind = 2 then 'locks of answers, which Parley does not have'
      when history.kind = ${lockKinds.locked} and new_post.key is not null and history.line = (
        select line from archive_history latest where latest.post_id = history.post_id
          and latest.kind in (${lockKinds.locked}, ${lockKinds.unlocked})
        order by created desc, id desc limit 1) then 'taken'
      when history.kind = ${lockKinds.locked} and new_post.key is null then 'locks of questions that were imported before'
      else 'locks that ended' end
    when closing.question_id is null or closing.event_id <> history.id then case
      when post.closed is not null and question.lock_reason is not null and not placed.is_new then '${lockedReason}'
      else 'earlier closings' end
    when closing.is_new then 'taken'
    when reclosed.question_id is not null then 'updated'
    else 'known' end`;
