import type { Reader, Tx } from '#server/platform/database.ts';
import { ProblemError } from '#server/platform/errors.ts';
import type { Revision } from '#shared/revisions.ts';
import type { PostKind } from './post.ts';

/** A version of a post about to be replaced. */
export type OldVersion = {
  content: string;
  created_at: Date;
  edited_at: Date | null;
  title?: string;
  tags?: string[];
};

/** Keeps the version an edit replaces, so that every member can read it (DECISIONS section 7.2). */
export async function keepRevision(
  tx: Tx,
  { kind, id, old }: { kind: PostKind; id: number; old: OldVersion },
) {
  await tx
    .insertInto('revision')
    .values({
      question_id: kind === 'question' ? id : null,
      answer_id: kind === 'answer' ? id : null,
      reply_id: kind === 'reply' ? id : null,
      title: old.title ?? null,
      content: old.content,
      tags: old.tags ?? null,
      created_at: old.edited_at ?? old.created_at,
    })
    .execute();
}

/**
 * An edit replaces the version its author had in front of them, and no later one, such as that of another tab.
 * @param basedOn `editedAt` of that version; undefined asks for no such care.
 * @throws ProblemError 'edited-meanwhile'
 */
export function checkBasis(
  { kind, old }: { kind: PostKind; old: Pick<OldVersion, 'edited_at'> },
  basedOn: string | null | undefined,
): void {
  if (basedOn === undefined) return;
  const known = basedOn === null ? null : Date.parse(basedOn);
  if (known === (old.edited_at?.getTime() ?? null)) return;
  throw new ProblemError(
    'edited-meanwhile',
    `This ${kind} was edited since you began. Look at the changes before you save.`,
  );
}

/** Versions shown of one post at most; an edit is kept beyond that, too. */
const shown = 100;

/** The earlier versions of a post, newest first. */
export async function earlierRevisions(
  db: Reader,
  { kind, id }: { kind: PostKind; id: number },
): Promise<Revision[]> {
  const column = `${kind}_id` as const;
  const { count } = await db
    .selectFrom('revision')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where(column, '=', id)
    .executeTakeFirstOrThrow();
  const rows = await db
    .selectFrom('revision')
    .select(['title', 'content', 'tags', 'created_at'])
    .where(column, '=', id)
    .orderBy('id', 'desc')
    .limit(shown)
    .execute();
  return rows.map((row, index) => ({
    number: count - index,
    title: row.title,
    content: row.content,
    tags: row.tags,
    createdAt: row.created_at.toISOString(),
  }));
}
