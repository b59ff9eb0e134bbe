import type { ClientBase } from 'pg';
import { one } from '#server/core/sql.ts';
import type { FileReport } from './stack-exchange-tally.ts';

/** The newest time in each file of an archive, by the kind of file. */
export type NewestTimes = Readonly<Record<string, string>>;

/** What an import read and did, as it is stored and listed. */
export interface RunSummary {
  files: FileReport[];
  /** Rows by what they became, such as 'questions'. */
  added: Readonly<Record<string, number>>;
  /** Changes of existing rows by kind, such as 'titles'. Includes 'removed': what the archive no longer had. */
  changed: Readonly<Record<string, number>>;
}

/** A recorded import. Of imports before 0056_import_runs.sql, neither file nor summary is known. */
export interface ImportRun {
  id: number;
  site: string;
  file: string | null;
  importedAt: string;
  /** The newest time in the archive; null if unknown. */
  newestAt: string | null;
  /** What it added, of which no later undoing has removed anything. */
  rows: { members: number; questions: number; answers: number; replies: number; tagTexts: number };
  summary: Partial<RunSummary>;
}

/** Records an import that begins. Returns its number. */
export async function startRun(
  client: ClientBase,
  run: { sourceId: string; file: string; newest: NewestTimes },
): Promise<string> {
  const { rows } = await client.query<{ id: string }>(
    'insert into import_run (source_id, file, newest) values ($1, $2, $3) returning id',
    [run.sourceId, run.file, JSON.stringify(run.newest)],
  );
  return one(rows).id;
}

export async function finishRun(client: ClientBase, id: string, summary: RunSummary): Promise<void> {
  await client.query('update import_run set summary = $2 where id = $1', [id, JSON.stringify(summary)]);
}

/** Deletes the record of an import that changed nothing. */
export async function forgetRun(client: ClientBase, id: string): Promise<void> {
  await client.query('delete from import_run where id = $1', [id]);
}

/**
 * Returns the import of this site that has newer rows than an archive with these times; null if none has. Only files are
 * compared that both archives have.
 */
export async function findNewerRun(
  client: ClientBase,
  { sourceId, newest }: { sourceId: string; newest: NewestTimes },
): Promise<{ newestAt: string; importedAt: string; archiveAt: string } | null> {
  const { rows } = await client.query<{ newest: NewestTimes; imported_at: Date }>(
    'select newest, imported_at from import_run where source_id = $1 order by id desc',
    [sourceId],
  );
  for (const run of rows) {
    const common = Object.keys(newest).filter((kind) => Object.hasOwn(run.newest, kind));
    const pick = (times: NewestTimes) =>
      getNewest(Object.fromEntries(common.map((kind) => [kind, times[kind] ?? ''])));
    const [newestAt, archiveAt] = [pick(run.newest), pick(newest)];
    if (newestAt !== null && archiveAt !== null && newestAt > archiveAt)
      return { newestAt, archiveAt, importedAt: run.imported_at.toISOString() };
  }
  return null;
}

/** Returns the recorded imports, the first one first; or only the one with this number. */
export async function listRuns(client: ClientBase, id?: number): Promise<ImportRun[]> {
  const { rows } = await client.query<
    Omit<ImportRun, 'id' | 'importedAt' | 'newestAt' | 'rows'> & {
      id: string;
      imported_at: Date;
      newest: NewestTimes;
      tag_texts: string;
      counts: Partial<Record<'member' | 'question' | 'answer' | 'reply', number>>;
    }
  >(
    `select run.id, site, file, run.imported_at, newest, summary,
       (select count(*) from imported_tag_text where run_id = run.id) as tag_texts, coalesce((
       select jsonb_object_agg(kind, number) from (
         select kind, count(distinct id) as number from imported_row where run_id = run.id group by kind) each), '{}') as counts
     from import_run run join import_source source on source.id = run.source_id
     where $1::bigint is null or run.id = $1::bigint order by run.id`,
    [id ?? null],
  );
  return rows.map(({ counts, newest, imported_at: importedAt, tag_texts: tagTexts, ...row }) => ({
    id: Number(row.id),
    site: row.site,
    file: row.file,
    importedAt: importedAt.toISOString(),
    newestAt: getNewest(newest),
    rows: {
      members: counts.member ?? 0,
      questions: counts.question ?? 0,
      answers: counts.answer ?? 0,
      replies: counts.reply ?? 0,
      tagTexts: Number(tagTexts),
    },
    summary: row.summary,
  }));
}

/** The newest of these times; null if there is none. */
export function getNewest(times: NewestTimes): string | null {
  return Object.values(times).toSorted().at(-1) ?? null;
}
