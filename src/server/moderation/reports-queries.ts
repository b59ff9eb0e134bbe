import { sql } from 'kysely';
import type { Reader, Tx } from '#server/core/database.ts';
import { markStaleDays } from '#server/posts/index.ts';
import type { ReportReason } from '#shared/moderation/moderation.ts';
import type { PostRef } from '#shared/core/fields.ts';

type OwnReport = { post: PostRef; memberId: number };
type ReportText = { reason: ReportReason; note: string };

/** The post cannot be deleted until the transaction ends. Lock its question before. */
export async function lockPostKey(tx: Tx, { kind, id }: PostRef): Promise<void> {
  await sql`select id from ${sql.table(kind)} where id = ${id} for key share`.execute(tx);
}

export async function findOwnReport(db: Reader, { post, memberId }: OwnReport) {
  const { rows } = await sql<{ reason: ReportReason; closed: boolean }>`
    select reason, closed_at is not null as closed from report
    where post_kind = ${post.kind} and post_id = ${post.id} and member_id = ${memberId}`.execute(db);
  return rows[0];
}

export async function insertReport(
  tx: Tx,
  { post, authorId, memberId, reason, note }: OwnReport & ReportText & { authorId: number | null },
) {
  await sql`
    insert into report (member_id, post_kind, post_id, author_id, reason, note)
    values (${memberId}, ${post.kind}, ${post.id}, ${authorId}, ${reason}, ${note})`.execute(tx);
}

export async function updateReport(tx: Tx, { post, memberId, reason, note }: OwnReport & ReportText) {
  await sql`
    update report set reason = ${reason}, note = ${note}
    where post_kind = ${post.kind} and post_id = ${post.id} and member_id = ${memberId}
      and closed_at is null`.execute(tx);
}

export async function deleteReport(tx: Tx, { post, memberId }: OwnReport) {
  await sql`
    with withdrawn as (
      delete from report
      where post_kind = ${post.kind} and post_id = ${post.id} and member_id = ${memberId}
        and closed_at is null
      returning created_at
    )
    ${markStaleDays(sql`select created_at from withdrawn`)}`.execute(tx);
}

export async function incrementOpenReports(tx: Tx, { kind, id }: PostRef) {
  await sql`
    insert into review_item as item (post_kind, post_id, open_reports) values (${kind}, ${id}, 1)
    on conflict (post_kind, post_id) do update set open_reports = item.open_reports + 1`.execute(tx);
}

/** Deletes the row with the last open report, unless the post waits for another reason too. */
export async function decrementOpenReports(tx: Tx, { kind, id }: PostRef, by: number) {
  // Two that run at the same time must not both find two open reports.
  await sql`select from review_item where post_kind = ${kind} and post_id = ${id} for update`.execute(tx);
  const { rows } = await sql`
    delete from review_item
    where post_kind = ${kind} and post_id = ${id} and open_reports = ${by} and other_cause is null returning id`.execute(
    tx,
  );
  if (rows.length > 0) return;
  await sql`
    update review_item set open_reports = open_reports - ${by} where post_kind = ${kind} and post_id = ${id}`.execute(
    tx,
  );
}

/** Closes the open reports with this reason, or all of them. Returns how many there were. */
export async function closeReports(
  tx: Tx,
  wanted: { post: PostRef; reason: ReportReason | null; outcome: 'dismissed' | 'resolved' },
): Promise<number> {
  const { post, reason, outcome } = wanted;
  const { rows } = await sql`
    update report set closed_at = now(), outcome = ${outcome}
    where post_kind = ${post.kind} and post_id = ${post.id} and closed_at is null
      and ${reason === null ? sql`true` : sql`reason = ${reason}`} returning id`.execute(tx);
  return rows.length;
}
