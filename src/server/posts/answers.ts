import { type Database, type Reader, transaction } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import type { Viewer } from '#server/core/http.ts';
import { decodeCursor, paginate } from '#server/core/cursor.ts';
import { removePost } from './post-removal.ts';
import { findQuestionOf } from './questions-queries.ts';
import { lockQuestionThread, requireQuestion } from './questions.ts';
import { listFirstRepliesByAnswer } from './replies.ts';
import type { Answer, AnswerSort, AnswersPage, AnswersPagePosition } from '#shared/posts/answers.ts';
import type { PostRef } from '#shared/core/fields.ts';
import { serverLimits } from '#shared/core/limits.ts';
import {
  type AnswerRow,
  findAnswerById,
  findAnswerOfPost,
  listAnswerRows,
  listCursorsUpTo,
  type ListedAnswerRow,
  lockAnswer,
} from './answers-queries.ts';

const answerNotFound = () => new ProblemError('answer-not-found');
const replyNotFound = () => new ProblemError('reply-not-found');

/** A page of answers: those after the cursor, in this order. */
export type AnswersRequest = {
  questionId: number;
  viewer: Pick<Viewer, 'id'>;
  sort: AnswerSort;
  cursor: string | undefined;
};

/**
 * A page of a question's answers with their first replies. The first page starts with the accepted answer.
 * @throws ProblemError 'question-not-found'
 */
export async function listAnswersOfQuestion(db: Reader, wanted: AnswersRequest): Promise<AnswersPage> {
  const { questionId, viewer, sort } = wanted;
  await requireQuestion(db, questionId);
  const rows = await listAnswerRows(db, {
    questionId,
    viewerId: viewer.id,
    sort,
    cursor: decodeCursor(wanted.cursor),
    limit: serverLimits.answersPage + 1,
  });
  const { items, nextCursor } = toPage(rows, sort);
  return { items: await withReplies(db, items, viewer), nextCursor };
}

/**
 * Returns where the page of answers with a post begins: with the answer, or the one that the reply belongs to, unless
 * the first page has it.
 * @throws ProblemError 'answer-not-found' or 'reply-not-found', also for a post of another question
 */
export async function findAnswersPage(
  db: Reader,
  { questionId, sort, post }: { questionId: number; sort: AnswerSort; post: PostRef },
): Promise<AnswersPagePosition> {
  const found = await findAnswerOfPost(db, { questionId, post });
  if (found === undefined) throw post.kind === 'answer' ? answerNotFound() : replyNotFound();
  const { answer_id: answerId, accepted, created_at, score } = found;
  if (answerId === null || accepted) return { answerId, after: null };
  const position = { after: created_at.getTime(), id: answerId, score };
  const size = serverLimits.answersPage;
  const cursors = await listCursorsUpTo(db, position, { questionId, sort, limit: size + 1 });
  return { answerId, after: cursors.length > size ? (cursors[1] ?? null) : null };
}

function toPage(rows: readonly ListedAnswerRow[], sort: AnswerSort) {
  const size = serverLimits.answersPage + (rows[0]?.accepted === true ? 1 : 0);
  return paginate(rows, size, (row) => ({
    after: row.created_at.getTime(),
    id: row.id,
    ...(sort === 'helpful' && { score: row.upvotes - row.downvotes }),
  }));
}

/**
 * Returns an answer.
 * @throws ProblemError 'not-found'
 */
export async function readAnswer(
  db: Reader,
  { id, viewer }: { id: number; viewer: Pick<Viewer, 'id'> },
): Promise<Answer> {
  const row = await findAnswerById(db, { id, viewerId: viewer.id });
  if (row === undefined) throw answerNotFound();
  const [answer] = await withReplies(db, [row], viewer);
  if (answer === undefined) throw answerNotFound();
  return answer;
}

/**
 * Returns the id of an answer's question.
 * @throws ProblemError 'not-found'
 */
export async function requireAnswer(db: Reader, id: number): Promise<number> {
  const questionId = await findQuestionOf(db, { kind: 'answer', id });
  if (questionId === null) throw answerNotFound();
  return questionId;
}

/** Deletes an answer with its replies and votes, and corrects all counts. */
export async function deleteAnswer(
  db: Database,
  { id, viewer }: { id: number; viewer: Pick<Viewer, 'id'> },
): Promise<void> {
  await transaction(db, async (tx) => {
    // Locks the question first, like every transaction that changes a thread.
    const questionId = await requireAnswer(tx, id);
    const question = await lockQuestionThread(tx, questionId);
    const answer = await lockAnswer(tx, id);
    if (answer === undefined) throw answerNotFound();
    if (answer.author_id !== viewer.id) throw new ProblemError('answer-deletion-not-author');
    await removePost(tx, { post: { kind: 'answer', id }, question, hiddenBy: null });
  });
}

export const noReplies = { items: [], nextCursor: null };

async function withReplies(
  db: Reader,
  rows: readonly AnswerRow[],
  viewer: Pick<Viewer, 'id'>,
): Promise<Answer[]> {
  const replies = await listFirstRepliesByAnswer(db, { answerIds: rows.map((row) => row.id), viewer });
  return rows.map(({ id, answer }) => ({ ...answer, replies: replies.get(id) ?? noReplies }));
}
