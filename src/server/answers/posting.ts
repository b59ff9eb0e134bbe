import type { RawBuilder } from 'kysely';
import { endingOf, type KnownDraft, knownDrafts } from '#server/drafts/drafts.ts';
import { mentionsProblem } from '#server/mentions/limits.ts';
import { mentionedIn } from '#server/mentions/mentioned.ts';
import { answersTold, bellsOf } from '#server/notifications/notifications.ts';
import { type Database, transaction, type Tx } from '#server/platform/database.ts';
import { inOneGo } from '#server/platform/driver.ts';
import { publishAll, type StreamedEvent } from '#server/platform/events.ts';
import { ProblemError } from '#server/platform/errors.ts';
import type { Viewer } from '#server/platform/http.ts';
import { type Outcome, together } from '#server/platform/together.ts';
import { claimOf, earlier, keysKept, type Posting } from '#server/posts/idempotency.ts';
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
  lockedQuestions,
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
      const { claim, claims } = claimOf(postings);
      const { claimed, questions, drafts } = await inOneGo(tx, {
        claimed: claim,
        questions: [lockedQuestions([...new Set(answers.map(({ questionId }) => questionId))])],
        drafts: knownDrafts(postings.map(draftOf)),
      });
      const { fresh, repeated } = claims(claimed.flat());
      const outcomes = await postFresh(tx, {
        fresh,
        questions: new Map(questions.flat().map((row) => [row.id, row])),
        drafts: drafts.flat(),
        publicUrl,
      });
      for (const posting of repeated) outcomes.set(posting, await outcomeOf(postedEarlier(tx, posting)));
      return postings.map((posting) => outcomes.get(posting) ?? missing());
    },
    how,
  );
}

type LockedQuestion = { author_id: number | null; lock_reason: string | null };

type Posts = {
  fresh: readonly AnswerPosting[];
  questions: ReadonlyMap<number, LockedQuestion>;
  /** The drafts of these answers that there are, locked. */
  drafts: readonly KnownDraft[];
  publicUrl: string | null;
};

async function postFresh(tx: Tx, posts: Posts): Promise<Map<AnswerPosting, Outcome<Answer>>> {
  const { fresh, questions } = posts;
  const refused: [AnswerPosting, ProblemError][] = [];
  // By member, so that two transactions count the mentions of the same members in one order.
  for (const posting of fresh.toSorted((a, b) => a.viewer.id - b.viewer.id)) {
    const problem = await refusalOf(tx, posting, posts);
    if (problem !== null) refused.push([posting, problem]);
  }
  const refusals = new Map<AnswerPosting, Outcome<Answer>>(refused);
  const postable = fresh.filter((posting) => !refusals.has(posting));
  const freed = refused.map(([posting]) => ({ posting, id: null }));
  if (postable.length === 0) {
    await inOneGo(tx, { keys: keysKept(freed) });
    return refusals;
  }
  const stored = await insertAnswers(
    tx,
    postable.map(({ viewer, wanted }) => ({
      questionId: wanted.questionId,
      authorId: viewer.id,
      content: wanted.draft.content,
    })),
  );
  const posted = postable.map((posting, index): Posted => {
    const row = stored[index];
    if (row === undefined) throw new Error('insert returned too few rows');
    const askerId = questions.get(posting.wanted.questionId)?.author_id ?? null;
    return { posting, id: row.id, at: row.created_at, askerId };
  });
  const answers = await countAndTell(tx, { ...posts, posted, keys: keysKept([...posted, ...freed]) });
  return new Map([
    ...refusals,
    ...posted.map(({ posting, id }): [AnswerPosting, Answer] => [posting, answers.get(id) ?? lost()]),
  ]);
}

async function refusalOf(
  tx: Tx,
  { viewer, wanted }: AnswerPosting,
  { questions, publicUrl }: Posts,
): Promise<ProblemError | null> {
  const question = questions.get(wanted.questionId);
  if (question === undefined) return missing();
  const text = wanted.draft.content;
  const added = mentionedIn(text, publicUrl);
  return (
    lockedProblem(question.lock_reason) ??
    (await mentionsProblem(tx, { memberId: viewer.id, text, added, publicUrl }))
  );
}

/** Returns the answers by their ids. */
async function countAndTell(
  tx: Tx,
  { posted, drafts, keys, publicUrl }: Posts & { posted: readonly Posted[]; keys: RawBuilder<never>[] },
): Promise<Map<number, Answer>> {
  const perQuestion = Map.groupBy(posted, ({ posting }) => posting.wanted.questionId);
  const perMember = Map.groupBy(posted, ({ posting }) => posting.viewer.id);
  const at = posted.reduce((latest, each) => (each.at > latest ? each.at : latest), new Date(0));
  const ending = endingOf(
    posted.map(({ posting }) => draftOf(posting)),
    drafts,
  );
  const { counted, told, answers, ended, noted } = await inOneGo(tx, {
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
    ended: ending.ended,
    noted: ending.noted,
    pruned: ending.pruned,
    keys,
    answers: [answersOfAuthors(posted.map(({ id }) => id))],
  });
  await publishAll(tx, [
    ...bellsOf(told.flat()),
    ...(await ending.tell(tx, [...ended, ...noted].flat())),
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

/** The draft that an answer was written as. */
const draftOf = ({ viewer, key, wanted }: AnswerPosting) => ({
  memberId: viewer.id,
  place: draftPlaces.answer(wanted.questionId),
  key,
  text: wanted.draft,
});

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
