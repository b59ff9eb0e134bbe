import { type Database, transaction } from '#server/platform/database.ts';
import type { Viewer } from '#server/platform/http.ts';
import { requireQuestion } from '#server/questions/questions.ts';
import { deleteQuestionFollow, insertQuestionFollow } from './queries.ts';

/** Makes the viewer follow a question, or not; setting the same again changes nothing. */
export async function followQuestion(
  db: Database,
  { questionId, viewer, following }: { questionId: number; viewer: Viewer; following: boolean },
): Promise<{ following: boolean }> {
  return transaction(db, async (tx) => {
    await requireQuestion(tx, questionId);
    const follow = { questionId, memberId: viewer.id };
    await (following ? insertQuestionFollow(tx, follow) : deleteQuestionFollow(tx, follow));
    return { following };
  });
}
