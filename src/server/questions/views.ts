import { type Database, transaction } from '#server/platform/database.ts';
import { publishAll, type StreamedEvent } from '#server/platform/events.ts';
import { ProblemError } from '#server/platform/errors.ts';
import { type Outcome, together } from '#server/platform/together.ts';
import { profilesChanged, questionCounted } from '#server/posts/told.ts';
import {
  countViews,
  insertViews,
  keepQuestions,
  noteVisits,
  type View,
  type ViewedQuestion,
} from './queries.ts';

type How = { patient: boolean };

/**
 * Counts that a member opened a question, once a member (docs/product.md 7.5), and notes when they were last there.
 * Only the first time writes anything that others read or wait for. Views at the same time are stored together.
 */
export function createViewing(db: Database) {
  const about = ({ questionId }: View) => questionId;
  const noteAgain = together<View, boolean>({
    write: (views, how) => storeVisits(db, { views, how }),
    about,
    most: 500,
  });
  const countFirst = together<View, void>({
    write: (views, how) => storeViews(db, { views, how }),
    about,
    most: 500,
  });
  return async function viewQuestion(view: View): Promise<void> {
    if (!(await noteAgain(view))) await countFirst(view);
  };
}

/** Returns, for each, whether the member had been there before. */
async function storeVisits(
  db: Database,
  { views, how }: { views: readonly View[]; how: How },
): Promise<boolean[]> {
  const noted = await transaction(
    db,
    async (tx) => {
      const visits = await noteVisits(tx, views);
      await publishAll(tx, visits.map(visited));
      return visits;
    },
    how,
  );
  const again = new Set(noted.map(keyOf));
  return views.map((view) => again.has(keyOf(view)));
}

async function storeViews(
  db: Database,
  { views, how }: { views: readonly View[]; how: How },
): Promise<Outcome<void>[]> {
  const missing = () => new ProblemError('not-found', 'Question not found');
  return transaction(
    db,
    async (tx) => {
      const there = new Set(await keepQuestions(tx, [...new Set(views.map((view) => view.questionId))]));
      const viewed = views.filter((view) => there.has(view.questionId));
      // Those that are not inserted were opened in another tab at the same moment.
      const first = await insertViews(tx, viewed);
      const byQuestion = Map.groupBy(first, (view) => view.questionId);
      const added = [...byQuestion].map(([questionId, { length }]) => ({ questionId, views: length }));
      const questions = await countViews(tx, added);
      await publishAll(tx, [
        ...first.map(visited),
        ...questions.flatMap(toldOf),
        ...profilesChanged(questions.map((question) => question.author_id)),
      ]);
      return views.map((view) => (there.has(view.questionId) ? undefined : missing()));
    },
    how,
  );
}

const keyOf = ({ questionId, memberId }: View) => `${questionId} ${memberId}`;

function visited({ questionId, memberId }: View): StreamedEvent {
  return { topic: `member:${memberId}`, event: { kind: 'visited', questionId } };
}

function toldOf(question: ViewedQuestion): StreamedEvent[] {
  const { id, views } = question;
  return [
    { topic: `question:${id}`, event: { kind: 'viewed', views } },
    questionCounted('view', id, question),
  ];
}
