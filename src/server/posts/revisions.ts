import type { Reader, Tx } from '#server/platform/database.ts';
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
