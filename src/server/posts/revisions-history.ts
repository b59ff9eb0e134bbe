import { sql } from 'kysely';
import { decodeCursor, paginate } from '#server/core/cursor.ts';
import type { Reader } from '#server/core/database.ts';
import { unnamedMember } from '#server/core/sql.ts';
import { ProblemError } from '#server/core/errors.ts';
import type { Viewer } from '#server/core/http.ts';
import type { PostKind } from '#shared/core/fields.ts';
import { serverLimits } from '#shared/core/limits.ts';
import type { Revision, RevisionEntry, RevisionsPage } from '#shared/posts/revisions.ts';
import { readAnswer } from './answers.ts';
import { readQuestion } from './questions.ts';
import { readReply } from './replies.ts';

type RevisionEditor = RevisionEntry['editor'];

/**
 * A page of a post's revisions, the current one first, without their texts.
 * @throws ProblemError 'not-found' for a post that is hidden or deleted
 */
export async function listRevisions(
  db: Reader,
  wanted: { kind: PostKind; id: number; viewer: Pick<Viewer, 'id'>; cursor?: string | undefined },
): Promise<RevisionsPage> {
  const { kind, id } = wanted;
  const current = await readCurrentVersion(db, wanted);
  const cursor = decodeCursor(wanted.cursor);
  const column = sql.ref(`${kind}_id`);
  const { rows } = await sql<{ number: number; created_at: Date; replaced_by: RevisionEditor }>`
    select number, revision.created_at, case
      when suggestion.id is not null then json_build_object(
        'id', suggestion.member_id, 'name', coalesce(editor.display_name, ${unnamedMember}),
        'summary', suggestion.summary, 'changedOnApproval', suggestion.changed_on_approval,
        'approvedBy', case when approver.id is not null then coalesce(approver.display_name, ${unnamedMember}) end
      )
      when imported_summary is not null or case when imported_editor_id is null then imported_editor_name is not null
        else imported_editor_id is distinct from ${current.authorId}::bigint end then json_build_object(
        'id', imported_editor_id,
        'name', coalesce(imported_editor.display_name, imported_editor_name, ${unnamedMember}),
        'summary', coalesce(imported_summary, ''), 'changedOnApproval', false,
        'approvedBy', case when imported_approver.id is not null
          then coalesce(imported_approver.display_name, ${unnamedMember}) end
      ) end as replaced_by
    from revision
    left join edit_suggestion suggestion on suggestion.id = replaced_by_suggestion
    left join member editor on editor.id = suggestion.member_id
    left join member approver on approver.id = suggestion.decided_by
    left join member imported_editor on imported_editor.id = imported_editor_id
    left join member imported_approver on imported_approver.id = imported_approver_id
    where revision.${column} = ${id} ${cursor === null ? sql`` : sql`and number < ${cursor.after}::bigint`}
    order by number desc limit ${sql.lit(serverLimits.revisionsPage + 2)}`.execute(db);
  const earlier = rows.map(({ number, created_at: at }) => ({ number, createdAt: at.toISOString() }));
  const newest = { number: (earlier[0]?.number ?? 0) + 1, createdAt: current.createdAt };
  const all = cursor === null ? [newest, ...earlier] : earlier;
  // The editor of a version is stored with the version that it replaced.
  const editorByNumber = new Map(rows.map((row) => [row.number + 1, row.replaced_by]));
  const entries = all.slice(0, serverLimits.revisionsPage + 1).map((entry, index) => ({
    ...entry,
    previous: all[index + 1]?.number ?? null,
    editor: editorByNumber.get(entry.number) ?? null,
  }));
  return paginate(entries, serverLimits.revisionsPage, ({ number }) => ({ after: number, id }));
}

/**
 * One revision of a post with its text.
 * @throws ProblemError 'not-found' for a post that is hidden or deleted, and for a revision that does not exist
 */
export async function readRevision(
  db: Reader,
  wanted: { kind: PostKind; id: number; viewer: Pick<Viewer, 'id'>; number: number },
): Promise<Revision> {
  const { kind, id, number } = wanted;
  const current = await readCurrentVersion(db, wanted);
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
  if (newest.rows[0]?.number !== number) throw new ProblemError('version-not-found');
  const { authorId: _authorId, ...text } = current;
  return { number, ...text };
}

type PostWithText = {
  content: string;
  authorId: number | null;
  createdAt: string;
  editedAt: string | null;
  title?: string;
  tags?: string[];
  deleted?: boolean;
};

const readPost: Record<
  PostKind,
  (db: Reader, wanted: { id: number; viewer: Pick<Viewer, 'id'> }) => Promise<PostWithText>
> = {
  question: readQuestion,
  answer: readAnswer,
  reply: readReply,
};

/** The version that the post's page shows. */
async function readCurrentVersion(
  db: Reader,
  { kind, id, viewer }: { kind: PostKind; id: number; viewer: Pick<Viewer, 'id'> },
): Promise<Omit<Revision, 'number'> & { authorId: number | null }> {
  const post = await readPost[kind](db, { id, viewer });
  if (post.deleted === true) throw new ProblemError('reply-not-found');
  const { title = null, content, tags = null, authorId, createdAt, editedAt } = post;
  return { authorId, title, content, tags, createdAt: editedAt ?? createdAt };
}
