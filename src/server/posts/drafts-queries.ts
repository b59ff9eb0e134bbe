import type { DraftEnd } from '#shared/core/events.ts';
import { sql } from 'kysely';
import type { Queryable, Reader, Tx } from '#server/core/database.ts';
import { one } from '#server/core/sql.ts';
import type { DraftFields } from '#shared/posts/drafts.ts';

export type DraftRow = {
  target: string;
  version: number;
  idempotency_key: string;
  fields: DraftFields | null;
  ended: DraftEnd | null;
  posted_hash: Buffer | null;
  client_id: string | null;
  sequence: number | null;
  updated_at: Date;
};

const columns = sql`target, version, idempotency_key, fields, ended, posted_hash, client_id, sequence, updated_at`;

export type DraftKey = { memberId: number; target: string };

export async function findDraft(db: Reader, { memberId, target }: DraftKey): Promise<DraftRow | undefined> {
  const { rows } = await sql<DraftRow>`
    select ${columns} from draft where member_id = ${memberId} and target = ${target}`.execute(db);
  return rows[0];
}

/** Why a visible question is locked; null if it is not. */
export async function findQuestionLock(
  db: Queryable,
  questionId: number,
): Promise<{ lock_reason: string | null } | undefined> {
  const { rows } = await sql<{ lock_reason: string | null }>`
    select lock_reason from question where id = ${questionId}`.execute(db);
  return rows[0];
}

/**
 * Locks the row of a draft. If there is none, inserts one that looks discarded, so that of two concurrent requests the
 * second waits for the first.
 */
export async function lockOrCreateDraft(
  tx: Tx,
  { memberId, target, key }: DraftKey & { key: string },
): Promise<DraftRow> {
  const { rows } = await sql<DraftRow>`
    insert into draft (member_id, target, idempotency_key, ended) values (${memberId}, ${target}, ${key}, 'discarded')
    on conflict (member_id, target) do update set version = draft.version
    returning ${columns}`.execute(tx);
  return one(rows);
}

export type LockedDraft = DraftKey & Pick<DraftRow, 'idempotency_key' | 'fields'>;

/** Locks existing drafts in a fixed order. */
export function lockDraftsStatement(drafts: readonly DraftKey[]) {
  return sql<LockedDraft>`
    select member_id as "memberId", target, idempotency_key, fields from draft
    where (member_id, target) in (
      select * from unnest(
        ${drafts.map(({ memberId }) => memberId)}::bigint[], ${drafts.map(({ target }) => target)}::text[]
      )
    ) order by member_id, target for update`;
}

/** The state of a draft after it was posted. */
export type PostedDraft = DraftKey & { key: string; postedHash: Buffer };

type EndedDraft = { member_id: number; target: string; version: number };

/** Ends posted drafts, which are locked, alone or in a CTE. Returns their versions. */
export const endDraftsStatement = (drafts: readonly PostedDraft[]) => sql<EndedDraft>`
  update draft set version = nextval('draft_version'), idempotency_key = posted.key, fields = null, ended = 'posted',
    posted_hash = posted.posted_hash, client_id = null, sequence = null, updated_at = now()
  from ${unnestDrafts(drafts)} where draft.member_id = posted.member_id and draft.target = posted.target
  returning draft.member_id, draft.target, version`;

/**
 * The same for drafts that were not stored. If another browser has stored the draft meanwhile, it ends; another draft
 * remains.
 */
export const insertPostedDraftsStatement = (drafts: readonly PostedDraft[]) => sql`
  insert into draft (member_id, target, idempotency_key, ended, posted_hash)
  select member_id, target, key, 'posted', posted_hash from ${unnestDrafts(drafts)} order by member_id, target
  on conflict (member_id, target) do update set version = nextval('draft_version'), fields = null, ended = 'posted',
    posted_hash = excluded.posted_hash, client_id = null, sequence = null, updated_at = now()
  where draft.idempotency_key = excluded.idempotency_key
  returning member_id, target, version`;

/**
 * The events for browsers of members whose drafts ended, for `publishWithChanges`.
 * @param ended a CTE with the rows of the two statements above
 */
export const selectDraftEvents = (ended: string) => sql`
  select 'member:' || member_id as topic, jsonb_build_object(
    'kind', 'draft-changed', 'target', target, 'version', version, 'ended', 'posted', 'clientId', null
  ) as event from ${sql.table(ended)}`;

const unnestDrafts = (drafts: readonly PostedDraft[]) => sql`unnest(
    ${drafts.map(({ memberId }) => memberId)}::bigint[], ${drafts.map(({ target }) => target)}::text[],
    ${drafts.map(({ key }) => key)}::text[], ${drafts.map(({ postedHash }) => postedHash)}::bytea[]
  ) as posted (member_id, target, key, posted_hash)`;

/** Locks the row of a draft if it exists. */
export async function lockExistingDraft(
  tx: Tx,
  { memberId, target }: DraftKey,
): Promise<DraftRow | undefined> {
  const { rows } = await sql<DraftRow>`
    select ${columns} from draft where member_id = ${memberId} and target = ${target} for update`.execute(tx);
  return rows[0];
}

export async function updateDraft(
  tx: Tx,
  draft: DraftKey & { key: string; fields: DraftFields; clientId: string; sequence: number },
): Promise<DraftRow> {
  const { memberId, target, key, fields, clientId, sequence } = draft;
  const { rows } = await sql<DraftRow>`
    update draft set version = nextval('draft_version'), idempotency_key = ${key}, fields = ${JSON.stringify(fields)}::jsonb,
      ended = null, posted_hash = null, client_id = ${clientId}, sequence = ${sequence}, updated_at = now()
    where member_id = ${memberId} and target = ${target} returning ${columns}`.execute(tx);
  return one(rows);
}

/** Ends a locked draft. Returns its version. It keeps its browser and sequence, which recognize late saves. */
export async function discardLockedDraft(tx: Tx, { memberId, target }: DraftKey): Promise<number> {
  const { rows } = await sql<{ version: number }>`
    update draft set version = nextval('draft_version'), fields = null, ended = 'discarded', posted_hash = null,
      updated_at = now()
    where member_id = ${memberId} and target = ${target} returning version`.execute(tx);
  return one(rows).version;
}

/** Ends a posted draft, which is locked. Returns its version. */
export async function endPostedDraft(tx: Tx, draft: PostedDraft): Promise<number> {
  const { rows } = await endDraftsStatement([draft]).execute(tx);
  return one(rows).version;
}

/** Deletes the oldest drafts above `maxDrafts`, and ended drafts above the same number or older than `days`. */
export function deleteOldDraftsStatement({
  memberIds,
  maxDrafts,
  days,
}: {
  memberIds: readonly number[];
  maxDrafts: number;
  days: number;
}) {
  return sql<never>`
    delete from draft where (member_id, target) in (
      select member_id, target from (
        select member_id, target, ended, updated_at, row_number() over (
          partition by member_id, ended is null order by updated_at desc, version desc
        ) as rank
        from draft where member_id = any(${[...memberIds]}::bigint[])
      ) ranked
      where rank > ${maxDrafts} or (ended is not null and updated_at < now() - make_interval(days => ${days}))
    )`;
}

export type DraftListRow = {
  target: string;
  version: number;
  title: string | null;
  content: string;
  updated_at: Date;
  question_id: number | null;
  question_title: string | null;
};

/**
 * All drafts of a member with their questions, latest first. Each text is cut after `limit` characters.
 * @param clientId only drafts that this client saved; null for all
 */
export async function listDrafts(
  db: Reader,
  { memberId, clientId, limit }: { memberId: number; clientId: string | null; limit: number },
) {
  const { rows } = await sql<DraftListRow>`
    with mine as (
      select target, version, fields ->> 'title' as title, left(ltrim(fields ->> 'content'), ${limit}) as content, updated_at,
        case when target ~ '^(answer|(reply|edit):question):' then substring(target from '\\d+$')::bigint end as question,
        case when target ~ '^(reply|edit):answer:' then substring(target from '\\d+$')::bigint end as answer,
        case when target ~ '^(reply|edit):reply:' then substring(target from '\\d+$')::bigint end as reply
      from draft where member_id = ${memberId} and ended is null and (${clientId}::text is null or client_id = ${clientId})
    )
    select target, version, mine.title, coalesce(mine.content, '') as content, mine.updated_at,
      question.id as question_id, question.title as question_title
    from mine
    left join answer on answer.id = mine.answer
    left join reply on reply.id = mine.reply
    left join question on question.id = coalesce(mine.question, answer.question_id, reply.question_id)
    order by mine.updated_at desc, version desc`.execute(db);
  return rows;
}
