import { answersOf } from '#server/answers/answers.ts';
import type { Reader } from '#server/platform/database.ts';
import type { Viewer } from '#server/platform/http.ts';
import { commentsOf } from '#server/replies/replies.ts';
import type { AnswerSort } from '#shared/answers.ts';
import type { QuestionPage } from '#shared/questions.ts';
import { lastVisit, readQuestion } from './questions.ts';

/** All that the page of a question shows at first. */
export async function readQuestionPage(
  db: Reader,
  { id, viewer, sort }: { id: number; viewer: Viewer; sort: AnswerSort },
): Promise<QuestionPage> {
  const [question, comments, answers, visitedAt] = await Promise.all([
    readQuestion(db, { id, viewer }),
    commentsOf(db, { questionId: id, viewer, cursor: undefined }),
    answersOf(db, { questionId: id, viewer, sort, cursor: undefined }),
    lastVisit(db, { id, viewer }),
  ]);
  return { question, comments, answers, sort, visitedAt };
}
