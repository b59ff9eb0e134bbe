import type { ClientBase } from 'pg';
import { type CopyCell, copyRows } from './copy-rows.ts';
import { parseInteger, parseTime } from './stack-exchange-fields.ts';
import { lockedReason, conflictReason, newerReason } from './stack-exchange-tally.ts';
import { incompleteReason, stageEach, type StageRows } from './stack-exchange-stage.ts';

const duplicateLink = 3;

const otherLinks: ReadonlyMap<number, string> = new Map([
  [1, 'related questions, which Parley does not list'],
]);

/** Stages the marks of duplicates of PostLinks.xml. An archive has them only while the question is closed as one. */
export const stageLinks: StageRows = async (client, rows, tally) => {
  const staged = stageEach(rows, tally, (row): CopyCell[] | string => {
    const kind = parseInteger(row['LinkTypeId']) ?? 0;
    if (kind !== duplicateLink) return otherLinks.get(kind) ?? 'links of an unknown type';
    const cells = [parseInteger(row['Id']), parseInteger(row['PostId']), parseInteger(row['RelatedPostId'])];
    const created = parseTime(row['CreationDate']);
    return cells.includes(null) || created === null ? incompleteReason : [...cells, created];
  });
  await copyRows(client, 'archive_duplicate (id, question, original, created)', staged);
};

/** SQL: whether a member here marked an existing question, or opened it, since the last import. */
export const markedHere = `
  (not placed.is_new and known.content_hash is not null and known.duplicate_id is distinct from question.duplicate_of)`;

/** SQL: whether the refresh removes the mark of an existing question that the archive does not mark. */
const isReleased = (isRefresh: boolean) => `
  (${String(isRefresh)} and not placed.is_new and known.content_hash is not null and question.lock_reason is null
    and not ${markedHere})`;

/**
 * Marks the new questions that are duplicates, and finds the marks of existing ones if `isRefresh` is true. A question
 * with several marks gets the latest. The original of a duplicate is never a duplicate itself, so a chain leads to its
 * last question, and a circle is left out. The table `archive_marked` has the marks that were taken.
 */
export async function markDuplicates(client: ClientBase, isRefresh: boolean): Promise<number> {
  await client.query(`
    create temporary table archive_mark on commit drop as
    select distinct on (placed.id) staged.id, placed.id as question_id, original.id as original_id
    from archive_duplicate staged
    join archive_question placed on placed.key = staged.question and (placed.is_new or ${String(isRefresh)})
    join archive_question original on original.key = staged.original
    join question on question.id = placed.id
    left join archive_known known on known.key = placed.key
    where placed.id <> original.id and not ${markedHere}
    order by placed.id, staged.created desc, staged.id desc`);
  await client.query(
    'create unique index archive_mark_question on archive_mark (question_id); analyze archive_mark',
  );
  await followChains(client);
  await client.query(`
    create temporary table archive_marked on commit drop as
    select id, question_id, original_id
    from (
      select mark.id, mark.question_id,
        case when ${isReleased(isRefresh)} then question.id else coalesce(question.duplicate_of, question.id) end as original_id
      from archive_mark mark join question on question.id = mark.original_id
      join archive_question placed on placed.id = question.id left join archive_known known on known.key = placed.key
      where not exists (select from archive_mark next where next.question_id = mark.original_id)) ending
    where question_id <> original_id`);
  const marked = await client.query(`
    update question set duplicate_of = original_id from archive_marked marked
    join archive_question placed on placed.id = marked.question_id and placed.is_new
    where question.id = marked.question_id`);
  return marked.rowCount ?? 0;
}

/**
 * Sets the originals to the last questions of their chains. Each round doubles the steps that an original is away, so that
 * a chain of any length takes few; what is not at its end after them is in a circle.
 */
async function followChains(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ marks: string }>('select count(*) as marks from archive_mark');
  for (let steps = 1, changed = 1; changed > 0 && steps <= Number(rows[0]?.marks); steps *= 2) {
    const followed = await client.query(`
      update archive_mark mark set original_id = next.original_id
      from archive_mark next where next.question_id = mark.original_id`);
    changed = followed.rowCount ?? 0;
  }
}

export const duplicateOutcomes = (isRefresh: boolean) => `
  select case
      when placed.id is null or original.id is null then 'marks of duplicates whose question or original is not here'
      when placed.is_new and marked.id is not null then 'taken'
      when not placed.is_new and question.duplicate_of = coalesce(main.duplicate_of, main.id)
        then case when marked.id is not null and remark.applied then 'updated' else 'known' end
      when not placed.is_new and not ${String(isRefresh)}
        then '${newerReason('marks of duplicates on questions that were imported before')}'
      when not placed.is_new and question.lock_reason is not null then '${lockedReason}'
      when ${markedHere} or not placed.is_new and marked.id is not null then '${conflictReason('marked otherwise here')}'
      when chosen.id is not null then 'marks of duplicates in a circle'
      else 'further originals of a duplicate' end as outcome
  from archive_duplicate staged
  left join archive_marked marked on marked.id = staged.id
  left join archive_mark chosen on chosen.id = staged.id
  left join archive_question placed on placed.key = staged.question
  left join archive_question original on original.key = staged.original
  left join archive_remark remark on remark.question_id = placed.id
  left join archive_known known on known.key = placed.key
  left join question on question.id = placed.id
  left join question main on main.id = original.id`;
