import type { ClientBase } from 'pg';
import { markedHere } from './stack-exchange-duplicates.ts';
import { literal } from './stack-exchange-queries.ts';

/**
 * Sets the accepted answers of existing questions to those of the archive, where they are still what the last import set.
 * The table `archive_acceptance` has the questions whose author chose another answer since; `archive_accepted` those that
 * changed.
 */
export async function refreshAcceptances(
  client: ClientBase,
  { sourceId, isRefresh }: { sourceId: string; isRefresh: boolean },
): Promise<void> {
  await client.query(`
    create temporary table archive_acceptance on commit drop as
    select *, current_id is not distinct from before_id
      or current_id is null and not exists (select from answer where id = before_id) as applied
    from (
      select placed.id as question_id, expected.id as answer_id, question.accepted_answer_id as current_id,
        case when known.content_hash is null then current.id else known.accepted_id end as before_id,
        post.accepted is null
          or exists (select from answer where id = expected.id and question_id = placed.id) as answer_is_here
      from archive_question placed
      join archive_post post on post.id = placed.key and post.kind = 1
      join archive_known known on known.key = placed.key
      join question on question.id = placed.id and question.lock_reason is null
      left join imported_row expected on expected.source_id = ${literal(sourceId)} and expected.kind = 'answer'
        and expected.source_key = post.accepted::text
      left join answer current on current.id = question.accepted_answer_id
        and current.source_id = ${literal(sourceId)}
      where not placed.is_new and ${String(isRefresh)}) compared
    where answer_id is distinct from before_id and answer_id is distinct from current_id and answer_is_here`);
  await client.query(`
    update question set accepted_answer_id = answer_id from archive_acceptance changed
    where changed.applied and question.id = changed.question_id;
    insert into archive_accepted select question_id, answer_id from archive_acceptance where applied
    on conflict do nothing`);
}

/**
 * Does the same with the marks of duplicates. Runs after the marks of new questions.
 * @param hasMarks whether the archive has the file of marks
 */
export async function refreshDuplicates(
  client: ClientBase,
  { sourceId, hasMarks }: { sourceId: string; hasMarks: boolean },
): Promise<void> {
  await client.query(`
    create temporary table archive_remark on commit drop as
    select *, current_id is not distinct from before_id as applied
    from (
      select placed.id as question_id, coalesce(marked.original_id, wanted.original_id) as original_id,
        question.duplicate_of as current_id,
        case when known.content_hash is null then current.id else known.duplicate_id end as before_id
      from archive_question placed
      join archive_known known on known.key = placed.key
      join question on question.id = placed.id and question.lock_reason is null
      left join archive_marked marked on marked.question_id = placed.id
      left join lateral (
        select coalesce(original.duplicate_of, original.id) as original_id
        from archive_duplicate staged join archive_question other on other.key = staged.original
        join question original on original.id = other.id
        where ${markedHere} and staged.question = placed.key and other.id <> placed.id
        order by staged.created desc, staged.id desc limit 1) wanted on true
      left join question current on current.id = question.duplicate_of and current.source_id = ${literal(sourceId)}
      where not placed.is_new and ${String(hasMarks)}) compared
    where original_id is distinct from before_id and original_id is distinct from current_id`);
  await client.query(`
    update question set duplicate_of = original_id from archive_remark changed
    where changed.applied and question.id = changed.question_id`);
  // The original of a duplicate is never a duplicate itself.
  await client.query(`
    update question set duplicate_of = original_id from archive_remark changed
    where changed.applied and original_id is not null and question.duplicate_of = changed.question_id
      and question.id <> original_id`);
}

/** Remembers what the import set. What a member here chose instead stays different. */
export async function rememberMarks(client: ClientBase, sourceId: string): Promise<void> {
  await client.query(
    `update imported_row row set accepted_id = accepted.id, duplicate_id = original.id
     from archive_question placed join question on question.id = placed.id
     left join answer accepted on accepted.id = accepted_answer_id and accepted.source_id = $1
     left join question original on original.id = question.duplicate_of and original.source_id = $1
     left join archive_known known on known.key = placed.key
     where row.source_id = $1 and row.kind = 'question' and row.source_key = placed.key::text
       and (placed.is_new and (question.accepted_answer_id is not null or question.duplicate_of is not null)
         or not placed.is_new and known.content_hash is null
         or placed.id in (select question_id from archive_accepted)
         or placed.id in (select question_id from archive_remark where applied))`,
    [sourceId],
  );
}
