import { unnamedMember } from '#server/core/sql.ts';
import { sql } from 'kysely';
import type { Reader, Tx } from '#server/core/database.ts';
import { markStaleDays } from '#server/posts/index.ts';
import type { ReportReason } from '#shared/moderation/moderation.ts';
import type { PostRef } from '#shared/core/fields.ts';

type OwnReport = { post: PostRef; memberId: number };
type ReportText = { reason: ReportReason; note: string };

/** Whether the question exists. It then cannot be deleted until the transaction ends. */
export async function lockQuestionKey(tx: Tx, id: number): Promise<boolean> {
  const { rows } = await sql`select id from question where id = ${id} for key share`.execute(tx);
  return rows.length > 0;
}

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

export async function insertReport(tx: Tx, { post, memberId, reason, note }: OwnReport & ReportText) {
  await sql`
    insert into report (member_id, post_kind, post_id, reason, note)
    values (${memberId}, ${post.kind}, ${post.id}, ${reason}, ${note})`.execute(tx);
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
    insert into reported_post as reported (post_kind, post_id, open_reports) values (${kind}, ${id}, 1)
    on conflict (post_kind, post_id) do update set open_reports = reported.open_reports + 1`.execute(tx);
}

/** Deletes the row with the last open report. */
export async function decrementOpenReports(tx: Tx, { kind, id }: PostRef) {
  const { rows } = await sql`
    delete from reported_post where post_kind = ${kind} and post_id = ${id} and open_reports = 1 returning id`.execute(
    tx,
  );
  if (rows.length > 0) return;
  await sql`
    update reported_post set open_reports = open_reports - 1 where post_kind = ${kind} and post_id = ${id}`.execute(
    tx,
  );
}

export async function deleteReportedPost(tx: Tx, { kind, id }: PostRef) {
  await sql`delete from reported_post where post_kind = ${kind} and post_id = ${id}`.execute(tx);
}

/** Whether the entry of the review queue still exists. It is then locked until the transaction ends. */
export async function lockReportedPost(
  tx: Tx,
  { id, post }: { id: number; post: PostRef },
): Promise<boolean> {
  const { rows } = await sql`
    select id from reported_post
    where id = ${id} and post_kind = ${post.kind} and post_id = ${post.id} for update`.execute(tx);
  return rows.length > 0;
}

/** Returns the number of reports that were open. */
export async function closeReports(
  tx: Tx,
  { post, outcome }: { post: PostRef; outcome: 'dismissed' | 'resolved' },
): Promise<number> {
  const { rows } = await sql`
    update report set closed_at = now(), outcome = ${outcome}
    where post_kind = ${post.kind} and post_id = ${post.id} and closed_at is null returning id`.execute(tx);
  return rows.length;
}

export type ReportedPostRow = {
  id: number;
  post_kind: PostRef['kind'];
  post_id: number;
  open_reports: number;
  first_reported_at: Date;
  question_id: number;
  title: string;
  content: string;
  author_id: number | null;
  author_name: string;
  created_at: Date;
  locked: boolean;
  reasons: { reason: ReportReason; count: number }[];
  notes: string[];
};

/** Notes shown per post at most. */
const maxNotes = 20;

/** Posts with open reports, most reports first, after the cursor. The index reported_post_queue serves the order. */
export async function listReportedPosts(
  db: Reader,
  { afterCursor, limit }: { afterCursor: { openReports: number; id: number } | null; limit: number },
) {
  const after =
    afterCursor === null
      ? sql`true`
      : sql`(open_reports, id) < (${afterCursor.openReports}, ${afterCursor.id})`;
  const { rows } = await sql<ReportedPostRow>`
    select reported.*, question.id as question_id, question.title, question.lock_reason is not null as locked,
      coalesce(reply.content, answer.content, question.content) as content,
      post.author_id, post.created_at,
      coalesce(author.display_name, post.imported_author_name, ${unnamedMember}) as author_name,
      array(
        select jsonb_build_object('reason', reason, 'count', count(*)) from report
        where post_kind = reported.post_kind and post_id = reported.post_id and closed_at is null
        group by reason order by count(*) desc, reason
      ) as reasons,
      array(
        select note from report
        where post_kind = reported.post_kind and post_id = reported.post_id and closed_at is null and note <> ''
        order by id limit ${sql.lit(maxNotes)}
      ) as notes
    from (
      select * from reported_post where ${after} order by open_reports desc, id desc limit ${sql.lit(limit)}
    ) reported
    left join reply on reported.post_kind = 'reply' and reply.id = reported.post_id
    left join answer on reported.post_kind = 'answer' and answer.id = reported.post_id
    join question on question.id = case reported.post_kind
      when 'question' then reported.post_id when 'answer' then answer.question_id else reply.question_id end
    cross join lateral (
      select case reported.post_kind when 'question' then question.author_id
          when 'answer' then answer.author_id else reply.author_id end as author_id,
        case reported.post_kind when 'question' then question.created_at
          when 'answer' then answer.created_at else reply.created_at end as created_at,
        case reported.post_kind when 'question' then question.imported_author_name
          when 'answer' then answer.imported_author_name else reply.imported_author_name end as imported_author_name
    ) post
    left join member author on author.id = post.author_id
    order by reported.open_reports desc, reported.id desc`.execute(db);
  return rows;
}
