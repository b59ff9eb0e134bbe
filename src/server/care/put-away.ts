import { countAnswersBack, lockAnswerThread, removeAnswer } from '#server/answers/answers.ts';
import type { Tx } from '#server/platform/database.ts';
import { ProblemError } from '#server/platform/errors.ts';
import { publishAll, type StreamedEvent } from '#server/platform/events.ts';
import {
  acceptanceChanged,
  duplicateMarked,
  profilesChanged,
  questionActive,
  questionCounted,
} from '#server/posts/told.ts';
import { removeQuestion } from '#server/questions/deletion.ts';
import { countQuestionBack, lockQuestionIfThere, lockQuestionThread } from '#server/questions/questions.ts';
import { lockReplyThread, removeReply } from '#server/replies/replies.ts';
import { questionTags, tagQuestion, touchTopicsOf } from '#server/topics/topics.ts';
import { earnPoints } from '#server/votes/votes.ts';
import type { CarePost } from '#shared/care.ts';
import { keepRows, keptIds, keptTags, putRowsBack } from './kept-rows.ts';
import {
  acceptAgain,
  answerIsThere,
  authorsOf,
  countsOf,
  deletePutAway,
  insertPutAway,
  isImportedAgain,
  lockPutAway,
  pointsBy,
  type PostAsIs,
  postAsIs,
  type PutAwayHow,
  type PutAwayRow,
  recountPosts,
  repeatAgain,
  toldAgain,
} from './put-away-queries.ts';

export type PuttingAway = {
  post: CarePost;
  how: PutAwayHow;
  reason: string;
  /** The undoing it belongs to; null where it stands for itself. */
  undoingId: number | null;
};

/**
 * Takes a post with everything that hangs on it out of the community, as its deletion does, but keeps its rows: every
 * list, count and search follows without knowing of it (decision 032). Returns the post as it was; undefined where there
 * is no such post.
 */
export async function putAway(tx: Tx, wanted: PuttingAway): Promise<PostAsIs | undefined> {
  const { post, how, reason, undoingId } = wanted;
  const found = await postAsIs(tx, post);
  if (found === undefined) return undefined;
  // Nobody votes, follows, views or answers while the rows are kept: all of that waits for the question.
  const question = await lockQuestionThread(tx, found.question_id);
  const as = await postAsIs(tx, post);
  if (as === undefined) return undefined;
  const putAwayId = await insertPutAway(tx, { post, as, how, reason, undoingId });
  await keepRows(tx, { putAwayId, post });
  if (post.kind === 'question') await removeQuestion(tx, question);
  if (post.kind === 'answer') await removeAnswer(tx, await lockAnswerThread(tx, post.id));
  if (post.kind === 'reply') await removeReply(tx, await lockReplyThread(tx, post.id));
  return as;
}

/**
 * Brings a post back that was put away, with its votes, answers, replies and notifications, where their members are still
 * there, and with all counts right.
 * @throws ProblemError 'done-meanwhile' where somebody has, 'not-found' where what it hangs on is not there
 */
export async function bringBack(tx: Tx, row: PutAwayRow): Promise<void> {
  const { post_kind: kind, post_id: id, question_id: questionId } = row;
  if (await isImportedAgain(tx, row.id))
    throw new ProblemError('done-meanwhile', 'It is here already: it was imported a second time.');
  if (!(await canComeBack(tx, row)))
    throw new ProblemError('not-found', 'What it belongs to is not there. Bring that back first.');
  if (!(await lockPutAway(tx, row.id)))
    throw new ProblemError('done-meanwhile', 'Somebody has brought it back already.');
  await putRowsBack(tx, row.id, kind);
  const ids = {
    questionIds: kind === 'question' ? [id] : [],
    answerIds: kind === 'reply' ? [] : await keptIds(tx, row.id, 'answer'),
    replyIds: await keptIds(tx, row.id, 'reply'),
  };
  await recountPosts(tx, ids);
  await earnPoints(tx, await pointsBy(tx, ids));
  const answers = await authorsOf(tx, 'answer', ids.answerIds);
  const replies = await authorsOf(tx, 'reply', ids.replyIds);
  const events =
    kind === 'question'
      ? await questionBack(tx, row, answers)
      : kind === 'answer'
        ? await answerBack(tx, row, answers)
        : replyBack(row);
  const bells = await toldAgain(tx, await keptIds(tx, row.id, 'notification'));
  await deletePutAway(tx, row.id);
  const authors = [row.author_id, ...[...answers, ...replies].map((each) => each.author_id)];
  await publishAll(tx, [
    { topic: `question:${questionId}`, event: { kind: 'edited' } },
    ...events,
    ...profilesChanged(authors),
    ...bells.map((each): StreamedEvent => ({
      topic: `member:${each}`,
      event: { kind: 'notifications-changed' },
    })),
  ]);
}

/** Whether what a post hangs on is there, and the post itself not already; the former is then locked, the question first as everything that changes a thread. */
export async function canComeBack(tx: Tx, row: PutAwayRow): Promise<boolean> {
  const { question_id: questionId, post_kind: kind, answer_id: answerId } = row;
  if (await isImportedAgain(tx, row.id)) return false;
  if (kind === 'question') return true;
  if (!(await lockQuestionIfThere(tx, questionId))) return false;
  return kind === 'answer' || answerId === null || answerIsThere(tx, answerId);
}

type Written = { author_id: number | null; created_at: Date };

async function questionBack(tx: Tx, row: PutAwayRow, answers: readonly Written[]): Promise<StreamedEvent[]> {
  const { question_id: questionId, author_id: authorId } = row;
  if (authorId !== null) await countQuestionBack(tx, authorId);
  const counts = await countAnswersBack(tx, { questionId, authorIds: answers.map((each) => each.author_id) });
  const { tags, told } = await tagQuestion(tx, { questionId, tags: await keptTags(tx, row.id) });
  const repeated = await repeatAgain(tx, { questionId, ids: await keptIds(tx, row.id, 'repeated_by') });
  return [
    { topic: 'feeds', event: { kind: 'question-posted', questionId, authorId: authorId ?? 0, tags } },
    { topic: 'answers', event: { kind: 'imported' } },
    questionCounted('vote', questionId, counts),
    questionActive(questionId, tags),
    ...told,
    ...repeated.flatMap((each) => duplicateMarked(each, questionId)),
  ];
}

async function answerBack(tx: Tx, row: PutAwayRow, answers: readonly Written[]): Promise<StreamedEvent[]> {
  const { question_id: questionId, post_id: answerId, author_id: authorId } = row;
  const counts = await countAnswersBack(tx, { questionId, authorIds: answers.map((each) => each.author_id) });
  for (const { created_at: at } of answers) await touchTopicsOf(tx, { questionIds: [questionId], at });
  const wasAccepted = (await keptIds(tx, row.id, 'accepted_by')).includes(questionId);
  const accepted = wasAccepted && (await acceptAgain(tx, { questionId, answerId }));
  const posted = { kind: 'answer-posted', answerId, authorId: authorId ?? 0 } as const;
  return [
    { topic: `question:${questionId}`, event: posted },
    { topic: 'answers', event: posted },
    questionCounted('answer', questionId, (await countsOf(tx, questionId)) ?? counts),
    questionActive(questionId, await questionTags(tx, questionId)),
    ...(accepted ? acceptanceChanged(questionId, answerId) : []),
  ];
}

/** Browsers that show the place it left, or do not, look at it again. */
function replyBack({ question_id: questionId, post_id: replyId }: PutAwayRow): StreamedEvent[] {
  return [{ topic: `question:${questionId}`, event: { kind: 'reply-edited', replyId } }];
}
