import { endDrafts } from '#server/drafts/drafts.ts';
import { mentionedIn } from '#server/mentions/mentioned.ts';
import { tellOfAnswers } from '#server/notifications/notifications.ts';
import { type Database, transaction, type Tx } from '#server/platform/database.ts';
import { publishAll, type StreamedEvent } from '#server/platform/events.ts';
import { ProblemError } from '#server/platform/errors.ts';
import type { Viewer } from '#server/platform/http.ts';
import { type Outcome, together } from '#server/platform/together.ts';
import { claimKeys, earlier, keepKeys, type Posting } from '#server/posts/idempotency.ts';
import { profilesChanged, questionActive, questionCounted } from '#server/posts/told.ts';
import { touchTopicsOf } from '#server/topics/topics.ts';
import type { AnswerDraft } from '#shared/answers.ts';
import { draftPlaces } from '#shared/drafts.ts';
import { changeAnswersCounts, countAnswers, insertAnswers, lockQuestions } from './queries.ts';

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
 * Posts an answer once a key, and counts it on the question and its author. Returns its id. Answers that come at the
 * same time, to one question or to many, are stored together.
 */
export function createAnswering({ db, publicUrl }: { db: Database; publicUrl: string | null }) {
  return together<WantedAnswer, number>({
    write: (answers, how) => postAnswers(db, { answers, publicUrl, how }),
    about: ({ questionId }) => questionId,
    most: 100,
  });
}

async function postAnswers(
  db: Database,
  wanted: { answers: readonly WantedAnswer[]; publicUrl: string | null; how: { patient: boolean } },
): Promise<Outcome<number>[]> {
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
      for (const posting of repeated) outcomes.set(posting, await outcomeOf(earlier(tx, posting)));
      return postings.map((posting) => outcomes.get(posting) ?? missing());
    },
    how,
  );
}

async function postFresh(
  tx: Tx,
  { fresh, publicUrl }: { fresh: readonly AnswerPosting[]; publicUrl: string | null },
): Promise<Map<AnswerPosting, Outcome<number>>> {
  const wantedIds = new Set(fresh.map(({ wanted }) => wanted.questionId));
  const questions = new Map((await lockQuestions(tx, [...wantedIds])).map((row) => [row.id, row]));
  const postable = fresh.filter(({ wanted }) => questions.has(wanted.questionId));
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
  if (posted.length > 0) await countAndTell(tx, { posted, publicUrl });
  const outcomes = new Map<AnswerPosting, Outcome<number>>(posted.map(({ posting, id }) => [posting, id]));
  await keepKeys(
    tx,
    fresh.map((posting) => {
      const id = outcomes.get(posting);
      return { posting, id: typeof id === 'number' ? id : null };
    }),
  );
  return outcomes;
}

async function countAndTell(
  tx: Tx,
  { posted, publicUrl }: { posted: readonly Posted[]; publicUrl: string | null },
): Promise<void> {
  const perQuestion = Map.groupBy(posted, ({ posting }) => posting.wanted.questionId);
  const counted = await countAnswers(
    tx,
    [...perQuestion].map(([questionId, { length }]) => ({ questionId, answers: length })),
  );
  const perMember = Map.groupBy(posted, ({ posting }) => posting.viewer.id);
  await changeAnswersCounts(
    tx,
    [...perMember].map(([memberId, { length }]) => ({ memberId, by: length })),
  );
  const at = posted.reduce((latest, each) => (each.at > latest ? each.at : latest), new Date(0));
  await touchTopicsOf(tx, { questionIds: [...perQuestion.keys()], at });
  const bells = await tellOfAnswers(
    tx,
    posted.map(({ posting, id, askerId }) => ({
      question: { id: posting.wanted.questionId, author_id: askerId },
      answerId: id,
      senderId: posting.viewer.id,
      mentioned: mentionedIn(posting.wanted.draft.content, publicUrl),
    })),
  );
  const ended = await endDrafts(
    tx,
    posted.map(({ posting: { viewer, key, wanted } }) => ({
      memberId: viewer.id,
      place: draftPlaces.answer(wanted.questionId),
      key,
      text: wanted.draft,
    })),
  );
  await publishAll(tx, [
    ...bells,
    ...ended,
    ...posted.flatMap(toldOf),
    ...counted.flatMap((question) => [
      questionCounted('answer', question.id, question),
      questionActive(question.id, question.tags),
    ]),
    ...profilesChanged(perMember.keys()),
  ]);
}

function toldOf({ posting, id }: Posted): StreamedEvent[] {
  const event = { kind: 'answer-posted', answerId: id, authorId: posting.viewer.id } as const;
  return [
    { topic: `question:${posting.wanted.questionId}`, event },
    { topic: 'answers', event },
  ];
}

const missing = () => new ProblemError('not-found', 'Question not found');

async function outcomeOf(found: Promise<number>): Promise<Outcome<number>> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof ProblemError) return error;
    throw error;
  }
}
