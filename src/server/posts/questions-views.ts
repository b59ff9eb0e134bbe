import { type Database, transaction } from '#server/core/database.ts';
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

type How = { waitsForLocks: boolean };

/**
 * Counts that a member opened a question, once a member (docs/product.md 7.5), and notes when they were last there.
 * Only the first time writes anything that others read or wait for. Views at the same time are stored together.
 */
export function createViewBatcher(db: Database) {
  const about = ({ questionId }: QuestionView) => questionId;
  const updateLastVisit = createWriteBatcher<QuestionView, boolean>({
    writeBatch: (views, how) => updateVisitsOf(db, { views, how }),
    keyOf: about,
    maxBatchSize: 500,
  });
  const countFirstView = createWriteBatcher<QuestionView, void>({
    writeBatch: (views, how) => storeViews(db, { views, how }),
    keyOf: about,
    maxBatchSize: 500,
  });
  return async function viewQuestion(view: QuestionView): Promise<void> {
    if (!(await updateLastVisit(view))) await countFirstView(view);
  };
}

/** Returns, for each, whether the member had been there before. */
async function updateVisitsOf(
  db: Database,
  { views, how }: { views: readonly QuestionView[]; how: How },
): Promise<boolean[]> {
  const updated = await transaction(
    db,
    async (tx) => {
      const visits = await updateVisits(tx, views);
      await publishAll(tx, visits.map(buildVisitEvent));
      return visits;
    },
    how,
  );
  const again = new Set(updated.map(keyOf));
  return views.map((view) => again.has(keyOf(view)));
}

async function storeViews(
  db: Database,
  { views, how }: { views: readonly QuestionView[]; how: How },
): Promise<Outcome<void>[]> {
  const missing = () => new ProblemError('not-found', 'Question not found');
  return transaction(
    db,
    async (tx) => {
      const there = new Set(
        await lockExistingQuestions(tx, [...new Set(views.map((view) => view.questionId))]),
      );
      const viewed = views.filter((view) => there.has(view.questionId));
      // Those that are not inserted were opened in another tab at the same moment.
      const first = await insertViews(tx, viewed);
      const byQuestion = Map.groupBy(first, (view) => view.questionId);
      const added = [...byQuestion].map(([questionId, { length }]) => ({ questionId, views: length }));
      const questions = await addToViewCounts(tx, added);
      await publishAll(tx, [
        ...first.map(buildVisitEvent),
        ...questions.flatMap(buildViewEvents),
        ...buildProfileEvents(questions.map((question) => question.author_id)),
      ]);
      return views.map((view) => (there.has(view.questionId) ? undefined : missing()));
    },
    how,
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
