import { chooseEndedDrafts } from './drafts.ts';
import { selectDraftEvents } from './drafts-queries.ts';
import { findMentionsProblem } from './mentions-limits.ts';
import { findMentions } from './mentions.ts';
import { selectNotifiedEvents } from '#server/notifications/index.ts';
import { type Database, transaction, type Tx } from '#server/core/database.ts';
import { publishWithChanges, type TopicEvent } from '#server/core/events.ts';
import { ProblemError } from '#server/core/errors.ts';
import type { Viewer } from '#server/core/http.ts';
import { type Outcome, createWriteBatcher } from '#server/core/write-batcher.ts';
import { sql } from 'kysely';
import { holdPost } from './held-posts.ts';
import { assignIds, getPostedId, type PostRequest, releaseKeysStatement } from './idempotency.ts';
import { getLockedError } from './posts-locks.ts';
import { queueForReview, type ReviewSettings } from './review-items.ts';
import { buildProfileEvents, buildQuestionActivityEvent, buildQuestionCountsEvent } from './posts-events.ts';
import type { Answer, AnswerDraft } from '#shared/posts/answers.ts';
import { draftTargets } from '#shared/posts/drafts.ts';
import type { HeldPostId } from '#shared/posts/held-posts.ts';
import { noReplies, readAnswer } from './answers.ts';
import {
  type AnsweredQuestion,
  type AnswerPreparation,
  changeByAnswers,
  prepareAnswers,
} from './answers-posting-queries.ts';

export type AnswerRequest = {
  questionId: number;
  viewer: Viewer;
  key: string | undefined;
  draft: AnswerDraft;
  /** The reserved id of a held answer that a moderator approves: it is not held again. */
  approvedId?: number;
};

type AnswerPostRequest = PostRequest & { answer: AnswerRequest };

type PostedAnswer = Answer | HeldPostId;

/** An answer to store, with its id. */
type NewAnswer = AnswerPostRequest & { id: number };

/**
 * Posts answers, once per idempotency key. Returns each answer as its author sees it, or its id if it is held for
 * approval. Answers to any questions that arrive at the same time are one batch: one transaction.
 */
export function createAnswerBatcher({
  db,
  publicUrl,
  settings,
}: {
  db: Database;
  publicUrl: string | null;
  settings: ReviewSettings;
}) {
  return createWriteBatcher<AnswerRequest, PostedAnswer>({
    writeBatch: (answers, lockOptions) =>
      transaction(db, (tx) => postAnswers(tx, { answers, publicUrl, settings }), lockOptions),
    keyOf: ({ questionId }) => questionId,
    maxBatchSize: 100,
  });
}

/**
 * Posts an answer that a moderator approves.
 * @throws ProblemError 'not-found', 'locked'
 */
export async function storeApprovedAnswer(
  tx: Tx,
  { publicUrl, settings, ...answer }: AnswerRequest & { publicUrl: string | null; settings: ReviewSettings },
): Promise<void> {
  const [outcome] = await postAnswers(tx, { answers: [answer], publicUrl, settings });
  if (outcome instanceof ProblemError) throw outcome;
}

async function postAnswers(
  tx: Tx,
  {
    answers,
    publicUrl,
    settings,
  }: { answers: readonly AnswerRequest[]; publicUrl: string | null; settings: ReviewSettings },
): Promise<Outcome<PostedAnswer>[]> {
  const postings = answers.map((answer): AnswerPostRequest => {
    const { viewer, key, questionId, draft } = answer;
    return { viewer, key, kind: 'answer', request: [questionId, draft], answer };
  });
  const { claimed, ids, questions, drafts, ...prepared } = await prepareAnswers(tx, {
    postings,
    questionIds: [...new Set(answers.map(({ questionId }) => questionId))],
    drafts: postings.map(toPostedDraft),
  });
  const { added: assigned, repeated } = assignIds(postings, { claimed, ids });
  const added = assigned.map((posting) => ({ ...posting, id: posting.answer.approvedId ?? posting.id }));
  const questionById = new Map(questions.map((question) => [question.id, question]));
  const outcomes = new Map<AnswerRequest, Outcome<PostedAnswer>>();
  // Sorted by member, so that two transactions count mentions of the same members in the same order.
  for (const posting of added.toSorted((a, b) => a.viewer.id - b.viewer.id)) {
    const problem = await findRefusal(tx, { posting, questionById, publicUrl });
    const held = problem === null && (await holdAnswer(tx, { posting, publicUrl, settings }));
    outcomes.set(
      posting.answer,
      problem ?? (held ? { id: posting.id, held } : buildAnswer(posting, prepared)),
    );
  }
  const refused = added.filter(({ answer }) => outcomes.get(answer) instanceof ProblemError);
  const posted = added.filter(({ answer }) => {
    const outcome = outcomes.get(answer);
    return outcome !== undefined && 'content' in outcome;
  });
  if (posted.length > 0)
    await storeAnswers(tx, { posted, refused, questionById, drafts, prepared, publicUrl, settings });
  else if (refused.length > 0) await releaseKeysStatement(refused).execute(tx);
  for (const posting of repeated)
    outcomes.set(posting.answer, await toOutcome(readEarlierAnswer(tx, posting)));
  return answers.map((answer) => outcomes.get(answer) ?? questionNotFound());
}

/** Returns whether the answer waits for approval. */
async function holdAnswer(
  tx: Tx,
  {
    posting,
    publicUrl,
    settings,
  }: { posting: NewAnswer; publicUrl: string | null; settings: ReviewSettings },
): Promise<boolean> {
  const { id, viewer, answer } = posting;
  if (answer.approvedId !== undefined) return false;
  const { questionId, draft } = answer;
  const place = { questionId, answerId: null, parentReplyId: null };
  const held = { kind: 'answer', ...place, title: null, tags: null, content: draft.content } as const;
  const wanted = {
    held,
    text: draft.content,
    viewer,
    postId: id,
    draft: toPostedDraft(posting),
    settings,
    publicUrl,
  };
  return (await holdPost(tx, wanted)) !== null;
}

async function findRefusal(
  tx: Tx,
  {
    posting: { viewer, answer },
    questionById,
    publicUrl,
  }: {
    posting: NewAnswer;
    questionById: ReadonlyMap<number, AnsweredQuestion>;
    publicUrl: string | null;
  },
): Promise<ProblemError | null> {
  const question = questionById.get(answer.questionId);
  if (question === undefined) return questionNotFound();
  const locked = getLockedError(question.lock_reason);
  // The mentions of a held answer were counted when it was held.
  if (locked !== null || answer.approvedId !== undefined) return locked;
  const text = answer.draft.content;
  const added = findMentions(text, publicUrl);
  return findMentionsProblem(tx, { memberId: viewer.id, text, added, publicUrl });
}

/** Stores answers to locked questions with everything that changes, in one statement with the commit. */
async function storeAnswers(
  tx: Tx,
  wanted: {
    posted: readonly NewAnswer[];
    refused: readonly NewAnswer[];
    questionById: ReadonlyMap<number, AnsweredQuestion>;
    drafts: Parameters<typeof chooseEndedDrafts>[1];
    prepared: Pick<AnswerPreparation, 'at' | 'tags'>;
    publicUrl: string | null;
    settings: ReviewSettings;
  },
): Promise<void> {
  const { posted, refused, questionById, drafts, prepared, publicUrl, settings } = wanted;
  const written = posted.map(({ id, viewer, answer }) => ({
    post: { kind: 'answer' as const, id },
    viewer,
    text: answer.draft.content,
    before: null,
  }));
  const reviewEvents = await queueForReview(tx, { posts: written, settings, publicUrl });
  const countByQuestion = Map.groupBy(posted, ({ answer }) => answer.questionId);
  await publishWithChanges(tx, {
    changes: changeByAnswers({
      at: prepared.at,
      answers: posted.map(({ id, viewer, answer }) => ({
        id,
        questionId: answer.questionId,
        authorId: viewer.id,
        content: answer.draft.content,
      })),
      notifications: posted.map(({ id, viewer, answer }) => ({
        question: {
          id: answer.questionId,
          author_id: questionById.get(answer.questionId)?.author_id ?? null,
        },
        answerId: id,
        senderId: viewer.id,
        mentioned: findMentions(answer.draft.content, publicUrl),
      })),
      endedDrafts: chooseEndedDrafts(posted.map(toPostedDraft), drafts),
      refused,
    }),
    events: [
      ...reviewEvents,
      ...posted.flatMap(buildAnswerPostedEvents),
      ...[...countByQuestion].flatMap(([questionId, { length }]) => {
        const question = questionById.get(questionId);
        if (question === undefined) return [];
        const counts = { ...question, answer_count: question.answer_count + length };
        return [
          buildQuestionCountsEvent('answer', questionId, counts),
          buildQuestionActivityEvent(questionId, prepared.tags[questionId] ?? []),
        ];
      }),
      ...buildProfileEvents(posted.map(({ viewer }) => viewer.id)),
    ],
    more: sql`${selectNotifiedEvents('notified')} union all ${selectDraftEvents('ended_draft')}`,
  });
}

/** The new answer as its author sees it. */
function buildAnswer(
  { id, viewer, answer }: NewAnswer,
  { at, authors }: Pick<AnswerPreparation, 'at' | 'authors'>,
): Answer {
  return {
    id,
    questionId: answer.questionId,
    content: answer.draft.content,
    authorId: viewer.id,
    authorName: authors[viewer.id]?.name ?? '',
    authorAvatar: authors[viewer.id]?.avatar ?? null,
    authorIsBot: authors[viewer.id]?.isBot ?? false,
    source: null,
    createdAt: at.toISOString(),
    editedAt: null,
    upvotes: 0,
    downvotes: 0,
    myVote: null,
    bookmarked: false,
    siteHistory: null,
    replies: noReplies,
  };
}

/** The key of the draft of an answer. */
const toPostedDraft = ({ viewer, key, answer }: AnswerPostRequest) => ({
  memberId: viewer.id,
  target: draftTargets.answer(answer.questionId),
  key,
  text: answer.draft,
});

function buildAnswerPostedEvents({ viewer, answer, id }: NewAnswer): TopicEvent[] {
  const event = { kind: 'answer-posted', answerId: id, authorId: viewer.id } as const;
  return [
    { topic: `question:${answer.questionId}`, event },
    { topic: 'answers', event },
  ];
}

const questionNotFound = () => new ProblemError('question-not-found');

async function readEarlierAnswer(tx: Tx, posting: AnswerPostRequest): Promise<PostedAnswer> {
  const { id, held } = await getPostedId(tx, posting);
  return held ? { id, held } : readAnswer(tx, { id, viewer: posting.viewer });
}

async function toOutcome(found: Promise<PostedAnswer>): Promise<Outcome<PostedAnswer>> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof ProblemError) return error;
    throw error;
  }
}
