import { answersOf } from '#server/answers/answers.ts';
import type { Reader } from '#server/platform/database.ts';
import type { Viewer } from '#server/platform/http.ts';
import { commentsOf } from '#server/replies/replies.ts';
import type { QuestionPage } from '#shared/questions.ts';
import { readQuestion } from './questions.ts';

/** All that the page of a question shows at first. */
export async function readQuestionPage(
  db: Reader,
  { id, viewer }: { id: number; viewer: Viewer },
): Promise<QuestionPage> {
  const [question, comments, answers] = await Promise.all([
    readQuestion(db, { id, viewer }),
    commentsOf(db, { questionId: id, viewer, cursor: undefined }),
    answersOf(db, { questionId: id, viewer, cursor: undefined }),
  ]);
  return { question, comments, answers };
}
