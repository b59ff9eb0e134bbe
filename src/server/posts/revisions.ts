import type { PostKind } from '#shared/core/fields.ts';
import { sql } from 'kysely';
import type { Tx } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import { limits } from '#shared/core/limits.ts';

/** The version of a post before an edit. */
type OldVersion = {
  title: string | null;
  content: string;
  tags: readonly string[] | null;
  created_at: Date;
  edited_at: Date | null;
};

/** Edits of a post by its author within this many minutes create one revision. */
const mergeWindowMinutes = 5;

/**
 * Stores the version that an edit replaces, so that every member can read it (docs/product.md 4.5). Not if that version
 * is itself an edit by the author in the last minutes, and this one is too. Of more than `limits.revisions`, the first
 * and the latest are kept. Call it while the post is locked.
 */
export async function saveRevision(
  tx: Tx,
  {
    kind,
    id,
    old,
    suggestionId = null,
  }: {
    kind: PostKind;
    id: number;
    old: OldVersion;
    /** The suggested edit that replaces it; none for an edit by the author. */
    suggestionId?: number | null | undefined;
  },
) {
  const column = sql.ref(`${kind}_id`);
  const { rows } = await sql<{ number: number }>`
    with latest as (
      select number, replaced_at, replaced_by_suggestion from revision
      where ${column} = ${id} order by number desc limit 1
    )
    insert into revision (${column}, number, title, content, tags, created_at, replaced_at, replaced_by_suggestion)
    select ${id}::bigint, coalesce((select number from latest), 0) + 1, ${old.title}::text, ${old.content}::text,
      ${old.tags && [...old.tags]}::text[], ${old.edited_at ?? old.created_at}::timestamptz, now(), ${suggestionId}::bigint
    where not exists (
      select from latest where replaced_at > now() - make_interval(mins => ${sql.lit(mergeWindowMinutes)})
        and replaced_by_suggestion is null and ${suggestionId}::bigint is null
    )
    returning number`.execute(tx);
  const saved = rows[0]?.number ?? 0;
  if (saved > limits.revisions)
    await sql`
      delete from revision
      where ${column} = ${id} and number > 1 and number <= ${saved - limits.revisions + 1}`.execute(tx);
}

/** Whether a version, named by its `editedAt`, is the present one of a post. */
export const isPresentVersion = (version: string | null, { edited_at }: Pick<OldVersion, 'edited_at'>) =>
  (version === null ? null : Date.parse(version)) === (edited_at?.getTime() ?? null);

/**
 * Refuses an edit that is based on an outdated version, for example because another tab has changed the post.
 * @param basedOn `editedAt` of the version the author saw; undefined skips the check
 * @throws ProblemError 'edit-conflict'
 */
export function refuseStaleEdit(
  { kind, old }: { kind: PostKind; old: Pick<OldVersion, 'edited_at'> },
  basedOn: string | null | undefined,
): void {
  if (basedOn === undefined || isPresentVersion(basedOn, old)) return;
  throw new ProblemError(`${kind}-edit-conflict`);
}
