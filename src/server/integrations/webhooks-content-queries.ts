import { sql } from 'kysely';
import type { Reader } from '#server/core/database.ts';
import { unnamedMember } from '#server/core/sql.ts';
import { bylineJoins, questionTagNames } from '#server/posts/index.ts';

type PostRow = {
  id: number;
  author_id: number | null;
  author_name: string;
  created_at: Date;
  edited_at: Date | null;
};

export type QuestionContentRow = PostRow & { title: string; excerpt: string; tags: string[] };
export type AnswerContentRow = PostRow & { content: string };
export type ReplyContentRow = AnswerContentRow & {
  answer_id: number | null;
  parent_reply_id: number | null;
};

export type MemberContentRow = { id: number; name: string; created_at: Date };

const common = sql`
  post.id, post.author_id, coalesce(author.display_name, post.imported_author_name, ${unnamedMember}) as author_name, post.created_at,
  post.edited_at`;

/** The views leave out hidden posts; a post that is held for approval is in no table of posts. */
export async function findQuestionContent(db: Reader, id: number): Promise<QuestionContentRow | undefined> {
  const { rows } = await sql<QuestionContentRow>`
    select ${common}, post.title, post.excerpt, ${questionTagNames} as tags
    from question post ${bylineJoins} where post.id = ${id}`.execute(db);
  return rows[0];
}

export async function findAnswerContent(db: Reader, id: number): Promise<AnswerContentRow | undefined> {
  const { rows } = await sql<AnswerContentRow>`
    select ${common}, post.content from answer post ${bylineJoins} where post.id = ${id}`.execute(db);
  return rows[0];
}

/** Without replies that are deleted and stay only because there are replies below them. */
export async function findReplyContent(db: Reader, id: number): Promise<ReplyContentRow | undefined> {
  const { rows } = await sql<ReplyContentRow>`
    select ${common}, post.content, post.answer_id, post.parent_reply_id
    from reply post ${bylineJoins} where post.id = ${id} and post.deleted_at is null`.execute(db);
  return rows[0];
}

/** A member whom others see. */
export async function findMemberContent(db: Reader, id: number): Promise<MemberContentRow | undefined> {
  const { rows } = await sql<MemberContentRow>`
    select id, coalesce(display_name, ${unnamedMember}) as name, created_at from member
    where id = ${id} and deleted_at is null and application is null`.execute(db);
  return rows[0];
}
