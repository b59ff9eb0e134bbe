import { type Database, type LockOptions, transaction } from '#server/core/database.ts';
import { publishAll, type TopicEvent } from '#server/core/events.ts';
import { ProblemError } from '#server/core/errors.ts';
import { type Outcome, createWriteBatcher } from '#server/core/write-batcher.ts';
import { buildProfileEvents, buildQuestionCountsEvent } from './posts-events.ts';
import {
  addToViewCounts,
  insertViews,
  lockExistingQuestions,
  updateVisits,
  type QuestionView,
  type ViewedQuestion,
} from './questions-queries.ts';

/**
 * Counts a view once per member and question (docs/product.md 7.5) and stores the time of the last visit. Only the
 * first view changes rows that others read or wait for. Concurrent views are stored in one batch.
 */
export function createViewBatcher(db: Database) {
  const questionOf = ({ questionId }: QuestionView) => questionId;
  const updateLastVisit = createWriteBatcher<QuestionView, boolean>({
    writeBatch: (views, lockOptions) => updateVisitsOf(db, { views, lockOptions }),
    keyOf: questionOf,
    maxBatchSize: 500,
  });
  const countFirstView = createWriteBatcher<QuestionView, void>({
    writeBatch: (views, lockOptions) => storeViews(db, { views, lockOptions }),
    keyOf: questionOf,
    maxBatchSize: 500,
  });
  return async function viewQuestion(view: QuestionView): Promise<void> {
    if (!(await updateLastVisit(view))) await countFirstView(view);
  };
}

/** Returns for each view whether the member had visited the question before. */
async function updateVisitsOf(
  db: Database,
  { views, lockOptions }: { views: readonly QuestionView[]; lockOptions: LockOptions },
): Promise<boolean[]> {
  const updated = await transaction(
    db,
    async (tx) => {
      const visits = await updateVisits(tx, views);
      await publishAll(tx, visits.map(buildVisitEvent));
      return visits;
    },
    lockOptions,
  );
  const repeated = new Set(updated.map(keyOf));
  return views.map((view) => repeated.has(keyOf(view)));
}

async function storeViews(
  db: Database,
  { views, lockOptions }: { views: readonly QuestionView[]; lockOptions: LockOptions },
): Promise<Outcome<void>[]> {
  const missing = () => new ProblemError('question-not-found');
  return transaction(
    db,
    async (tx) => {
      const existing = new Set(
        await lockExistingQuestions(tx, [...new Set(views.map((view) => view.questionId))]),
      );
      const viewed = views.filter((view) => existing.has(view.questionId));
      // The others were inserted by a concurrent request, such as a second tab.
      const first = await insertViews(tx, viewed);
      const byQuestion = Map.groupBy(first, (view) => view.questionId);
      const added = [...byQuestion].map(([questionId, { length }]) => ({ questionId, views: length }));
      const questions = await addToViewCounts(tx, added);
      await publishAll(tx, [
        ...first.map(buildVisitEvent),
        ...questions.flatMap(buildViewEvents),
        ...buildProfileEvents(questions.map((question) => question.author_id)),
      ]);
      return views.map((view) => (existing.has(view.questionId) ? undefined : missing()));
    },
    lockOptions,
  );
}

const keyOf = ({ questionId, memberId }: QuestionView) => `${questionId} ${memberId}`;

function buildVisitEvent({ questionId, memberId }: QuestionView): TopicEvent {
  return { topic: `member:${memberId}`, event: { kind: 'visited', questionId } };
}

function buildViewEvents(question: ViewedQuestion): TopicEvent[] {
  const { id, views } = question;
  return [
    { topic: `question:${id}`, event: { kind: 'viewed', views } },
    buildQuestionCountsEvent('view', id, question),
  ];
}
