import type { PostKind } from '#shared/core/fields.ts';
import { sql } from 'kysely';
import type { Reader, Tx } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import { limits } from '#shared/core/limits.ts';
import type { Revision, RevisionsPage } from '#shared/posts/revisions.ts';
import { decodeCursor, paginate } from '#server/core/cursor.ts';

/** A version of a post about to be replaced. */
export type OldVersion = {
  content: string;
  created_at: Date;
  edited_at: Date | null;
  title?: string;
  tags?: string[];
};

/** Edits of one post within so many minutes make one version: a post has one author, who alone edits it. */
const mergeWindowMinutes = 5;

/**
 * Keeps the version an edit replaces, so that every member can read it (docs/product.md 4.5). Not where that version is
 * itself an edit of the last minutes, which this one then joins; and of more than `limits.revisions` the first and the
 * latest are kept. Call it with the post locked.
 */
export async function saveRevision(
  tx: Tx,
  { kind, id, old }: { kind: PostKind; id: number; old: OldVersion },
) {
  const column = sql.ref(`${kind}_id`);
  const { rows } = await sql<{ number: number }>`
    with latest as (
      select number, replaced_at from revision where ${column} = ${id} order by number desc limit 1
    )
    insert into revision (${column}, number, title, content, tags, created_at, replaced_at)
    select ${id}::bigint, coalesce((select number from latest), 0) + 1, ${old.title ?? null}::text, ${old.content}::text,
      ${old.tags ?? null}::text[], ${old.edited_at ?? old.created_at}::timestamptz, now()
    where not exists (
      select from latest where replaced_at > now() - make_interval(mins => ${sql.lit(mergeWindowMinutes)})
    )
    returning number`.execute(tx);
  const saved = rows[0]?.number ?? 0;
  if (saved > limits.revisions)
    await sql`
      delete from revision
      where ${column} = ${id} and number > 1 and number <= ${saved - limits.revisions + 1}`.execute(tx);
}

/**
 * An edit replaces the version its author had in front of them, and no later one, such as that of another tab.
 * @param basedOn `editedAt` of that version; undefined asks for no such care.
 * @throws ProblemError 'edited-meanwhile'
 */
export function refuseStaleEdit(
  { kind, old }: { kind: PostKind; old: Pick<OldVersion, 'edited_at'> },
  basedOn: string | null | undefined,
): void {
  if (basedOn === undefined) return;
  const expected = basedOn === null ? null : Date.parse(basedOn);
  if (expected === (old.edited_at?.getTime() ?? null)) return;
  throw new ProblemError(
    'edited-meanwhile',
    `This ${kind} was edited since you began. Look at the changes before you save.`,
  );
}

/** The version of a post that is shown on its page. */
export type CurrentVersion = Omit<Revision, 'number'>;

/** A page of a post's versions, newest first, without their texts. */
export async function listRevisions(
  db: Reader,
  wanted: { kind: PostKind; id: number; current: CurrentVersion; cursor: string | undefined },
): Promise<RevisionsPage> {
  const { kind, id, current } = wanted;
  const cursor = decodeCursor(wanted.cursor);
  const column = sql.ref(`${kind}_id`);
  const { rows } = await sql<{ number: number; created_at: Date }>`
    select number, created_at from revision
    where ${column} = ${id} ${cursor === null ? sql`` : sql`and number < ${cursor.after}::bigint`}
    order by number desc limit ${sql.lit(limits.revisionsPage + 1)}`.execute(db);
  const earlier = rows.map(({ number, created_at: at }) => ({ number, createdAt: at.toISOString() }));
  const newest = { number: (earlier[0]?.number ?? 0) + 1, createdAt: current.createdAt };
  const all = cursor === null ? [newest, ...earlier] : earlier;
  const entries = all.map((entry, index) => ({ ...entry, previous: all[index + 1]?.number ?? null }));
  return paginate(entries, limits.revisionsPage, ({ number }) => ({ after: number, id }));
}

/**
 * One version with its text.
 * @throws ProblemError 'not-found' where there never was one of that number, or it is no longer kept
 */
export async function getRevision(
  db: Reader,
  wanted: { kind: PostKind; id: number; current: CurrentVersion; number: number },
): Promise<Revision> {
  const { kind, id, current, number } = wanted;
  const column = sql.ref(`${kind}_id`);
  const { rows } = await sql<Omit<Revision, 'number' | 'createdAt'> & { created_at: Date }>`
    select title, content, tags, created_at from revision
    where ${column} = ${id} and number = ${number}::bigint`.execute(db);
  const [row] = rows;
  if (row !== undefined) {
    const { created_at: at, ...texts } = row;
    return { number, ...texts, createdAt: at.toISOString() };
  }
  const newest = await sql<{ number: number }>`
    select coalesce(max(number), 0) + 1 as number from revision where ${column} = ${id}`.execute(db);
  if (newest.rows[0]?.number !== number) throw new ProblemError('not-found', 'There is no such version.');
  return { number, ...current };
}
