import type { RawBuilder } from 'kysely';
import { prepareDraftEndings, type LockedDraft, lockDraftsStatements } from './drafts.ts';
import { findMentionsProblem } from './mentions-limits.ts';
import { findMentions } from './mentions.ts';
import { buildAnswerNotifications, createNotifiedEvents } from '#server/notifications/index.ts';
import { type Database, transaction, type Tx } from '#server/core/database.ts';
import { runPipelined } from '#server/core/database-driver.ts';
import { publishAll, type TopicEvent } from '#server/core/events.ts';
import { ProblemError } from '#server/core/errors.ts';
import type { Viewer } from '#server/core/http.ts';
import { type Outcome, createWriteBatcher } from '#server/core/write-batcher.ts';
import { prepareKeyClaims, getPostedId, saveKeysStatements, type PostRequest } from './idempotency.ts';
import { getLockedError } from './posts-locks.ts';
import { buildProfileEvents, buildQuestionActivityEvent, buildQuestionCountsEvent } from './posts-events.ts';
import { touchTagsStatement } from './tags.ts';
import type { Answer, AnswerDraft } from '#shared/posts/answers.ts';
import { draftTargets } from '#shared/posts/drafts.ts';
import { readAnswer, toAnswer } from './answers.ts';
import {
  addToAnswerCountsStatement,
  changeMemberAnswerCountsStatements,
  selectAnswersAsAuthors,
  insertAnswers,
  lockQuestionsStatement,
} from './answers-queries.ts';

export type AnswerRequest = {
  questionId: number;
  viewer: Viewer;
  key: string | undefined;
  draft: AnswerDraft;
};

type AnswerPostRequest = PostRequest & { answer: AnswerRequest };

/** A stored answer, and the author of its question. */
type Posted = { posting: AnswerPostRequest; id: number; at: Date; questionAuthorId: number | null };

/**
 * Posts answers, once per idempotency key, and counts each on its question and author. Returns each answer as its
 * author sees it. Concurrent answers, to any questions, are stored in one batch.
 */
export function createAnswerBatcher({ db, publicUrl }: { db: Database; publicUrl: string | null }) {
  return createWriteBatcher<AnswerRequest, Answer>({
    writeBatch: (answers, lockOptions) => postAnswers(db, { answers, publicUrl, lockOptions }),
    keyOf: ({ questionId }) => questionId,
    maxBatchSize: 100,
  });
}

async function postAnswers(
  db: Database,
  wanted: {
    answers: readonly AnswerRequest[];
    publicUrl: string | null;
    lockOptions: { waitsForLocks: boolean };
  },
): Promise<Outcome<Answer>[]> {
  const { answers, publicUrl, lockOptions } = wanted;
  const postings = answers.map((answer): AnswerPostRequest => {
    const { viewer, key, questionId, draft } = answer;
    return { viewer, key, kind: 'answer', request: [questionId, draft], answer };
  });
  return transaction(
    db,
    async (tx) => {
      const { claim, claims } = prepareKeyClaims(postings);
      const { claimed, questions, drafts } = await runPipelined(tx, {
        claimed: claim,
        questions: [lockQuestionsStatement([...new Set(answers.map(({ questionId }) => questionId))])],
        drafts: lockDraftsStatements(postings.map(toPostedDraft)),
      });
      const { added, repeated } = claims(claimed.flat());
      const outcomes = await postAdded(tx, {
        added,
        questions: new Map(questions.flat().map((row) => [row.id, row])),
        drafts: drafts.flat(),
        publicUrl,
      });
      for (const posting of repeated) outcomes.set(posting, await toOutcome(readEarlierAnswer(tx, posting)));
      return postings.map((posting) => outcomes.get(posting) ?? questionNotFound());
    },
    lockOptions,
  );
}

type LockedQuestion = { author_id: number | null; lock_reason: string | null };

type Posts = {
  added: readonly AnswerPostRequest[];
  questions: ReadonlyMap<number, LockedQuestion>;
  /** The existing drafts of these answers, locked. */
  drafts: readonly LockedDraft[];
  publicUrl: string | null;
};

async function postAdded(tx: Tx, posts: Posts): Promise<Map<AnswerPostRequest, Outcome<Answer>>> {
  const { added, questions } = posts;
  const refused: [AnswerPostRequest, ProblemError][] = [];
  // Sorted by member, so that two transactions count mentions of the same members in the same order.
  for (const posting of added.toSorted((a, b) => a.viewer.id - b.viewer.id)) {
    const problem = await findRefusal(tx, posting, posts);
    if (problem !== null) refused.push([posting, problem]);
  }
  const refusals = new Map<AnswerPostRequest, Outcome<Answer>>(refused);
  const postable = added.filter((posting) => !refusals.has(posting));
  const releasedKeys = refused.map(([posting]) => ({ posting, id: null }));
  if (postable.length === 0) {
    await runPipelined(tx, { keys: saveKeysStatements(releasedKeys) });
    return refusals;
  }
  const stored = await insertAnswers(
    tx,
    postable.map(({ viewer, answer }) => ({
      questionId: answer.questionId,
      authorId: viewer.id,
      content: answer.draft.content,
    })),
  );
  const posted = postable.map((posting, index): Posted => {
    const row = stored[index];
    if (row === undefined) throw new Error('insert returned too few rows');
    const questionAuthorId = questions.get(posting.answer.questionId)?.author_id ?? null;
    return { posting, id: row.id, at: row.created_at, questionAuthorId };
  });
  const answers = await updateCountsAndNotify(tx, {
    ...posts,
    posted,
    keys: saveKeysStatements([...posted, ...releasedKeys]),
  });
  return new Map([
    ...refusals,
    ...posted.map(({ posting, id }): [AnswerPostRequest, Answer] => [
      posting,
      answers.get(id) ?? throwAnswerMissing(),
    ]),
  ]);
}

async function findRefusal(
  tx: Tx,
  { viewer, answer }: AnswerPostRequest,
  { questions, publicUrl }: Posts,
): Promise<ProblemError | null> {
  const question = questions.get(answer.questionId);
  if (question === undefined) return questionNotFound();
  const text = answer.draft.content;
  const added = findMentions(text, publicUrl);
  return (
    getLockedError(question.lock_reason) ??
    (await findMentionsProblem(tx, { memberId: viewer.id, text, added, publicUrl }))
  );
}

/** Returns the answers by id. */
async function updateCountsAndNotify(
  tx: Tx,
  { posted, drafts, keys, publicUrl }: Posts & { posted: readonly Posted[]; keys: RawBuilder<never>[] },
): Promise<Map<number, Answer>> {
  const perQuestion = Map.groupBy(posted, ({ posting }) => posting.answer.questionId);
  const perMember = Map.groupBy(posted, ({ posting }) => posting.viewer.id);
  const at = posted.reduce((latest, each) => (each.at > latest ? each.at : latest), new Date(0));
  const draftEndings = prepareDraftEndings(
    posted.map(({ posting }) => toPostedDraft(posting)),
    drafts,
  );
  const {
    counted,
    notified: recipients,
    answers,
    ended,
    insertedDrafts,
  } = await runPipelined(tx, {
    counted: [
      addToAnswerCountsStatement(
        [...perQuestion].map(([questionId, { length }]) => ({ questionId, answers: length })),
      ),
    ],
    members: changeMemberAnswerCountsStatements(
      [...perMember].map(([memberId, { length }]) => ({ memberId, by: length })),
    ),
    notified: buildAnswerNotifications(
      posted.map(({ posting, id, questionAuthorId }) => ({
        question: { id: posting.answer.questionId, author_id: questionAuthorId },
        answerId: id,
        senderId: posting.viewer.id,
        mentioned: findMentions(posting.answer.draft.content, publicUrl),
      })),
    ),
    topics: [touchTagsStatement({ questionIds: [...perQuestion.keys()], at })],
    ended: draftEndings.ended,
    insertedDrafts: draftEndings.inserted,
    pruned: draftEndings.pruned,
    keys,
    answers: [selectAnswersAsAuthors(posted.map(({ id }) => id))],
  });
  await publishAll(tx, [
    ...createNotifiedEvents(recipients.flat()),
    ...(await draftEndings.finish(tx, [...ended, ...insertedDrafts].flat())),
    ...posted.flatMap(buildAnswerPostedEvents),
    ...counted
      .flat()
      .flatMap((question) => [
        buildQuestionCountsEvent('answer', question.id, question),
        buildQuestionActivityEvent(question.id, question.tags),
      ]),
    ...buildProfileEvents(perMember.keys()),
  ]);
  return new Map(answers.flat().map((row) => [row.id, toAnswer(row)]));
}

/** The key of the draft of an answer. */
const toPostedDraft = ({ viewer, key, answer }: AnswerPostRequest) => ({
  memberId: viewer.id,
  target: draftTargets.answer(answer.questionId),
  key,
  text: answer.draft,
});

function buildAnswerPostedEvents({ posting, id }: Posted): TopicEvent[] {
  const event = { kind: 'answer-posted', answerId: id, authorId: posting.viewer.id } as const;
  return [
    { topic: `question:${posting.answer.questionId}`, event },
    { topic: 'answers', event },
  ];
}

const questionNotFound = () => new ProblemError('question-not-found');

function throwAnswerMissing(): never {
  throw new Error('the stored answer cannot be read');
}

async function readEarlierAnswer(tx: Tx, posting: AnswerPostRequest): Promise<Answer> {
  return readAnswer(tx, { id: await getPostedId(tx, posting), viewer: posting.viewer });
}

async function toOutcome(found: Promise<Answer>): Promise<Outcome<Answer>> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof ProblemError) return error;
    throw error;
  }
}
