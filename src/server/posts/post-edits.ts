import type { Tx } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import type { Viewer } from '#server/core/http.ts';
import type { PostRef } from '#shared/core/fields.ts';
import { findQuestionOfAnswer, lockAnswer } from './answers-queries.ts';
import { applyAnswerEdit } from './answers.ts';
import { getLockReasonOfReply, lockQuestionOf } from './posts-locks.ts';
import { lockQuestion } from './questions-queries.ts';
import { applyQuestionEdit } from './questions.ts';
import { lockReply } from './replies-queries.ts';
import { applyReplyEdit } from './replies.ts';
import type { TagSettings } from './tag-rules.ts';
import { listQuestionTagNames } from './tags.ts';

/** The texts of a post; title and tags of questions only. */
export type EditedTexts = { title: string | null; content: string; tags: string[] | null };

/** A locked post of any kind, with what an edit needs. */
export type EditablePost = EditedTexts & {
  post: PostRef;
  /** As in notifications. */
  location: { questionId: number; answerId: number | null; replyId: number | null };
  author_id: number | null;
  edited_at: Date | null;
  /** Why its question is locked. */
  lockReason: string | null;
};

/**
 * Locks a post and its question, in the order of all transactions that change a thread.
 * @throws ProblemError 'not-found' for a post that is hidden or deleted
 */
export async function lockEditablePost(tx: Tx, post: PostRef): Promise<EditablePost> {
  const { kind, id } = post;
  if (kind === 'question') {
    const question = await lockQuestion(tx, id, 'changes');
    if (question === undefined) throw new ProblemError('question-not-found');
    return {
      ...question,
      post,
      location: { questionId: id, answerId: null, replyId: null },
      tags: await listQuestionTagNames(tx, id),
      lockReason: question.lock_reason,
    };
  }
  if (kind === 'answer') {
    const questionId = await findQuestionOfAnswer(tx, id);
    const question = questionId === undefined ? undefined : await lockQuestion(tx, questionId, 'changes');
    const answer = question === undefined ? undefined : await lockAnswer(tx, id);
    if (question === undefined || answer === undefined) throw new ProblemError('answer-not-found');
    const location = { questionId: question.id, answerId: id, replyId: null };
    return { ...answer, post, location, title: null, tags: null, lockReason: question.lock_reason };
  }
  await lockQuestionOf(tx, { kind: 'reply', id });
  const reply = await lockReply(tx, id);
  if (reply === undefined || reply.deleted) throw new ProblemError('reply-not-found');
  return {
    ...reply,
    post,
    location: { questionId: reply.question_id, answerId: reply.answer_id, replyId: id },
    title: null,
    tags: null,
    lockReason: await getLockReasonOfReply(tx, id),
  };
}

/**
 * Edits a locked post of someone else. The version before stays readable.
 * @param viewer who wrote the edit
 * @param suggestionId the suggestion that names the editor of the new version
 */
export async function editPostOfOther(
  tx: Tx,
  edit: {
    post: EditablePost;
    texts: EditedTexts;
    viewer: Viewer;
    suggestionId: number;
    publicUrl: string | null;
    settings: TagSettings;
  },
): Promise<void> {
  const { texts, ...rest } = edit;
  const { kind, id } = edit.post.post;
  const editing = { ...rest, id, key: undefined };
  const { title, content, tags } = texts;
  if (kind === 'question')
    await applyQuestionEdit(tx, { ...editing, draft: { title: title ?? '', content, tags: tags ?? [] } });
  else if (kind === 'answer') await applyAnswerEdit(tx, { ...editing, draft: { content } });
  else await applyReplyEdit(tx, { ...editing, edit: { content } });
}
