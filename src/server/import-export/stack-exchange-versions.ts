import type { ClientBase } from 'pg';
import { limits } from '#shared/core/limits.ts';
import { historyKinds } from './stack-exchange-staging-tables.ts';

const among = (kinds: readonly number[]) => `kind in (${kinds.join(', ')})`;

/** SQL: whether a post was edited here; the column of `revision` that refers to it, and its id. */
export const isEditedHere = (column: string, id: string) =>
  `exists (select from revision where revision.${column} = ${id} and not is_imported)`;

/**
 * Adds the versions of new posts, and with `isRefresh` those of existing posts whose number of versions differs. A post
 * that was edited here keeps its versions. The current version is the post itself. The table `archive_reversioned` has the
 * existing posts that changed. Returns the number of versions of new posts.
 */
export async function addVersions(
  client: ClientBase,
  { isRefresh, withHistory }: { isRefresh: boolean; withHistory: boolean },
): Promise<number> {
  await createReversioned(client);
  if (!withHistory) return 0;
  await listVersions(client);
  await chooseExisting(client, isRefresh);
  await client.query(`
    delete from revision where is_imported and (
      question_id in (select question_id from archive_reversioned where answer_id is null)
      or answer_id in (select answer_id from archive_reversioned where answer_id is not null));`);
  let added = 0;
  for (const [column, other] of [
    ['question_id', 'answer_id is null'],
    ['answer_id', 'answer_id is not null'],
  ] as const) {
    const isQuestion = column === 'question_id';
    const { rows } = await client.query<{ added: string }>(`
      with added as (
        insert into revision (${column}, number, title, content, tags, created_at, replaced_at, is_imported,
          imported_editor_id, imported_editor_name, imported_approver_id, imported_summary)
        select location.${column}, version.number,
          ${isQuestion ? "coalesce(nullif(title.text, ''), question.title)" : 'null'}, content.text,
          ${isQuestion ? `coalesce(string_to_array(tags.text, E'\\n'), '{}')` : 'null::text[]'}, version.created,
          version.replaced, true, editor.id, case when editor.id is null then version.editor_name end, approver.id,
          version.summary
        from archive_version version join archive_location location on location.key = version.post_id and location.${other}
        join archive_history content on content.line = version.text_line
        ${
          isQuestion
            ? `join question on question.id = location.question_id
               left join archive_history title on title.line = version.title_line
               left join archive_history tags on tags.line = version.tags_line`
            : ''
        }
        left join archive_member editor on editor.key = version.editor
        left join archive_member approver on approver.key = version.approver
        where location.is_new or version.post_id in (select key from archive_reversioned)
        returning ${column} as id)
      select count(*) as added from added where id in (select ${column} from archive_location where is_new and ${other})`);
    added += Number(rows[0]?.added);
  }
  return added;
}

/** The existing posts that get other versions. Without rows for imports that only add. */
export async function createReversioned(client: ClientBase): Promise<void> {
  await client.query(`
    create temporary table archive_reversioned (
      key bigint primary key, question_id bigint not null, answer_id bigint) on commit drop`);
}

/**
 * The table `archive_version` has the earlier versions of each post, as lines of the history, with the edit that replaced
 * each. One action on the site can change title, text and tags. Of many, the first and the latest are stored.
 */
async function listVersions(client: ClientBase): Promise<void> {
  const carried = (line: string) =>
    `(max(array[place, ${line}]) filter (where ${line} is not null) over so_far)[2] as ${line}`;
  await client.query(`
    create temporary table archive_version on commit drop as
    with action as (
      select post_id, min(created) as created, min(id) as first_id,
        min(line) filter (where ${among(historyKinds.titles)}) as title_line,
        min(line) filter (where ${among(historyKinds.texts)}) as text_line,
        min(line) filter (where ${among(historyKinds.tags)}) as tags_line,
        min(editor) filter (where kind <> ${historyKinds.suggested}) as editor, min(editor_name) as editor_name,
        min(summary) filter (where kind <> ${historyKinds.suggested}) as summary,
        min(text) filter (where kind = ${historyKinds.suggested}) as approver
      from archive_history history
      where kind <= 9 or kind = ${historyKinds.suggested}
      group by post_id, coalesce(action, id::text)
    ), placed as (
      select *, row_number() over (partition by post_id order by created, first_id) as place from action
      where num_nonnulls(title_line, text_line, tags_line) > 0
    ), complete as (
      select post_id, place, created, editor, editor_name, summary, approver,
        ${carried('title_line')}, ${carried('text_line')}, ${carried('tags_line')}
      from placed window so_far as (partition by post_id order by place)
    ), numbered as (
      select *, row_number() over later as number, count(*) over (partition by post_id) as versions,
        lead(created) over later as replaced, lead(editor) over later as next_editor,
        lead(editor_name) over later as next_name, lead(summary) over later as next_summary,
        lead(approver) over later as next_approver
      from complete where text_line is not null window later as (partition by post_id order by place)
    )
    select post_id, number, versions, created, replaced, title_line, text_line, tags_line, next_editor as editor,
      next_name as editor_name, next_summary as summary, nullif(next_approver, '')::bigint as approver
    from numbered
    where number < versions and (number = 1 or number > versions - ${limits.revisions});
    create index archive_version_post on archive_version (post_id);
    analyze archive_version;`);
}

/** The existing posts that get other versions: not those that are locked or were edited here. */
async function chooseExisting(client: ClientBase, isRefresh: boolean): Promise<void> {
  const select = (column: string, other: string) => `
    select location.key, location.question_id, location.answer_id
    from archive_location location
    join question on question.id = location.question_id and question.lock_reason is null
    left join lateral (
      select max(number) as number from archive_version where post_id = location.key) now on true
    left join lateral (
      select max(number) as number, bool_or(not is_imported) as is_edited from revision
      where revision.${column} = location.${column}) known on true
    where ${String(isRefresh)} and not location.is_new and ${other} and is_edited is not true
      and known.number is distinct from now.number
      and exists (select from archive_newest where post_id = location.key)`;
  await client.query(`
    insert into archive_reversioned
    ${select('question_id', 'location.answer_id is null')}
    union all ${select('answer_id', 'location.answer_id is not null')};
    analyze archive_reversioned;`);
}
