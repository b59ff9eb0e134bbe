import { endDrafts } from '#server/drafts/drafts.ts';
import { mentionedIn } from '#server/mentions/mentioned.ts';
import { answersTold, bellsOf } from '#server/notifications/notifications.ts';
import { type Database, transaction, type Tx } from '#server/platform/database.ts';
import { inOneGo } from '#server/platform/driver.ts';
import { publishAll, type StreamedEvent } from '#server/platform/events.ts';
import { ProblemError } from '#server/platform/errors.ts';
import type { Viewer } from '#server/platform/http.ts';
import { type Outcome, together } from '#server/platform/together.ts';
import { claimKeys, earlier, keepKeys, type Posting } from '#server/posts/idempotency.ts';
import { lockedProblem } from '#server/posts/thread.ts';
import { profilesChanged, questionActive, questionCounted } from '#server/posts/told.ts';
import { topicsTouched } from '#server/topics/topics.ts';
import type { Answer, AnswerDraft } from '#shared/answers.ts';
import { draftPlaces } from '#shared/drafts.ts';
import { readAnswer, toAnswer } from './answers.ts';
import {
  answersCounted,
  answersCountsChanged,
  answersOfAuthors,
  insertAnswers,
  lockQuestions,
} from './queries.ts';

export type WantedAnswer = {
  questionId: number;
  viewer: Viewer;
  key: string | undefined;
  draft: AnswerDraft;
};

type AnswerPosting = Posting & { wanted: WantedAnswer };

/** An answer that is stored, and who asked. */
type Posted = { posting: AnswerPosting; id: number; at: Date; askerId: number | null };

/**
 * Posts an answer once a key, and counts it on the question and its author. Returns it as its author sees it. Answers that come at the
 * same time, to one question or to many, are stored together.
 */
export function createAnswering({ db, publicUrl }: { db: Database; publicUrl: string | null }) {
  return together<WantedAnswer, Answer>({
    write: (answers, how) => postAnswers(db, { answers, publicUrl, how }),
    about: ({ questionId }) => questionId,
    most: 100,
  });
}

async function postAnswers(
  db: Database,
  wanted: { answers: readonly WantedAnswer[]; publicUrl: string | null; how: { patient: boolean } },
): Promise<Outcome<Answer>[]> {
  const { answers, publicUrl, how } = wanted;
  const postings = answers.map((answer): AnswerPosting => {
    const { viewer, key, questionId, draft } = answer;
    return { viewer, key, kind: 'answer', request: [questionId, draft], wanted: answer };
  });
  return transaction(
    db,
    async (tx) => {
      const { fresh, repeated } = await claimKeys(tx, postings);
      const outcomes = await postFresh(tx, { fresh, publicUrl });
      for (const posting of repeated) outcomes.set(posting, await outcomeOf(postedEarlier(tx, posting)));
      return postings.map((posting) => outcomes.get(posting) ?? missing());
    },
    how,
  );
}

async function postFresh(
  tx: Tx,
  { fresh, publicUrl }: { fresh: readonly AnswerPosting[]; publicUrl: string | null },
): Promise<Map<AnswerPosting, Outcome<Answer>>> {
  const wantedIds = new Set(fresh.map(({ wanted }) => wanted.questionId));
  const questions = new Map((await lockQuestions(tx, [...wantedIds])).map((row) => [row.id, row]));
  const refusals = new Map(
    fresh.flatMap((posting): [AnswerPosting, ProblemError][] => {
      const problem = lockedProblem(questions.get(posting.wanted.questionId)?.locked_for);
      return problem === null ? [] : [[posting, problem]];
    }),
  );
  const postable = fresh.filter(
    (posting) => questions.has(posting.wanted.questionId) && !refusals.has(posting),
  );
  const stored = await insertAnswers(
    tx,
    postable.map(({ viewer, wanted }) => ({
      questionId: wanted.questionId,
      authorId: viewer.id,
      content: wanted.draft.content,
    })),
  );
  const posted = postable.flatMap((posting, index): Posted[] => {
    const row = stored[index];
    if (row === undefined) throw new Error('insert returned too few rows');
    const askerId = questions.get(posting.wanted.questionId)?.author_id ?? null;
    return [{ posting, id: row.id, at: row.created_at, askerId }];
  });
  const answers = posted.length === 0 ? new Map() : await countAndTell(tx, { posted, publicUrl });
  const outcomes = new Map<AnswerPosting, Outcome<Answer>>([
    ...refusals,
    ...posted.map(({ posting, id }): [AnswerPosting, Answer] => [posting, answers.get(id) ?? lost()]),
  ]);
  await keepKeys(
    tx,
    fresh.map((posting) => {
      const outcome = outcomes.get(posting);
      return { posting, id: outcome === undefined || outcome instanceof ProblemError ? null : outcome.id };
    }),
  );
  return outcomes;
}

/** Returns the answers by their ids. */
async function countAndTell(
  tx: Tx,
  { posted, publicUrl }: { posted: readonly Posted[]; publicUrl: string | null },
): Promise<Map<number, Answer>> {
  const perQuestion = Map.groupBy(posted, ({ posting }) => posting.wanted.questionId);
  const perMember = Map.groupBy(posted, ({ posting }) => posting.viewer.id);
  const at = posted.reduce((latest, each) => (each.at > latest ? each.at : latest), new Date(0));
  const ended = await endDrafts(
    tx,
    posted.map(({ posting: { viewer, key, wanted } }) => ({
      memberId: viewer.id,
      place: draftPlaces.answer(wanted.questionId),
      key,
      text: wanted.draft,
    })),
  );
  const { counted, told, answers } = await inOneGo(tx, {
    counted: [
      answersCounted([...perQuestion].map(([questionId, { length }]) => ({ questionId, answers: length }))),
    ],
    members: answersCountsChanged([...perMember].map(([memberId, { length }]) => ({ memberId, by: length }))),
    told: answersTold(
      posted.map(({ posting, id, askerId }) => ({
        question: { id: posting.wanted.questionId, author_id: askerId },
        answerId: id,
        senderId: posting.viewer.id,
        mentioned: mentionedIn(posting.wanted.draft.content, publicUrl),
      })),
    ),
    topics: [topicsTouched({ questionIds: [...perQuestion.keys()], at })],
    answers: [answersOfAuthors(posted.map(({ id }) => id))],
  });
  await publishAll(tx, [
    ...bellsOf(told.flat()),
    ...ended,
    ...posted.flatMap(toldOf),
    ...counted
      .flat()
      .flatMap((question) => [
        questionCounted('answer', question.id, question),
        questionActive(question.id, question.tags),
      ]),
    ...profilesChanged(perMember.keys()),
  ]);
  return new Map(answers.flat().map((row) => [row.id, toAnswer(row)]));
}

function toldOf({ posting, id }: Posted): StreamedEvent[] {
  const event = { kind: 'answer-posted', answerId: id, authorId: posting.viewer.id } as const;
  return [
    { topic: `question:${posting.wanted.questionId}`, event },
    { topic: 'answers', event },
  ];
}

const missing = () => new ProblemError('not-found', 'Question not found');

function lost(): never {
  throw new Error('an answer that was stored cannot be read');
}

async function postedEarlier(tx: Tx, posting: AnswerPosting): Promise<Answer> {
  return readAnswer(tx, { id: await earlier(tx, posting), viewer: posting.viewer });
}

async function outcomeOf(found: Promise<Answer>): Promise<Outcome<Answer>> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof ProblemError) return error;
    throw error;
  }
}
