import type { Tx } from '#server/core/database.ts';
import type { TopicEvent } from '#server/core/events.ts';
import { lockTags } from './tags-queries.ts';
import {
  listHiddenToRename,
  listQuestionsOfTag,
  listQuestionsToMove,
  lockQuestionsWithHidden,
  moveQuestionTags,
  moveTagCounts,
  moveTagStatistics,
  type TagQuestionPosition,
  writeTagText,
} from './tags-moving-queries.ts';

/**
 * Moves some questions of a tag to another one, with counts, statistics, sort keys and search texts. Returns how many, 0
 * if there are none left, and the events to publish.
 */
export async function moveSomeQuestions(
  tx: Tx,
  { from, into, limit }: { from: number; into: number; limit: number },
): Promise<{ moved: number; events: TopicEvent[] }> {
  const questionIds = await listQuestionsToMove(tx, { tagId: from, limit });
  if (questionIds.length === 0) return { moved: 0, events: [] };
  await lockQuestionsWithHidden(tx, questionIds);
  await lockTags(tx, [from, into]);
  const move = { questionIds, from, into };
  await moveTagStatistics(tx, move);
  const counted = await moveTagCounts(tx, { from, into, ...(await moveQuestionTags(tx, move)) });
  return {
    moved: questionIds.length,
    events: [
      ...(await writeTagNames(tx, questionIds)),
      ...counted.map(({ name, questions_count: questionsCount }): TopicEvent => ({
        topic: 'tags',
        event: { kind: 'tag-questions-changed', tag: name, questionsCount },
      })),
    ],
  };
}

/**
 * Writes the new name of a tag to some of its questions, from the newest to the oldest, then to hidden ones. Returns the
 * position of the last visible one (null for hidden ones), whether none is left, and the events to publish. A question
 * that is restored meanwhile gets the name then (`showPost`).
 */
export async function renameOnSomeQuestions(
  tx: Tx,
  { tagId, after, limit }: { tagId: number; after: TagQuestionPosition | null; limit: number },
): Promise<{ renamed: number; last: TagQuestionPosition | null; isDone: boolean; events: TopicEvent[] }> {
  const visible = await listQuestionsOfTag(tx, { tagId, after, limit });
  const last = visible.at(-1) ?? null;
  const ids =
    last === null ? await listHiddenToRename(tx, { tagId, limit }) : visible.map((question) => question.id);
  if (ids.length === 0) return { renamed: 0, last, isDone: true, events: [] };
  await lockQuestionsWithHidden(tx, ids);
  return { renamed: ids.length, last, isDone: false, events: await writeTagNames(tx, ids) };
}

async function writeTagNames(tx: Tx, questionIds: readonly number[]): Promise<TopicEvent[]> {
  const questions = await writeTagText(tx, questionIds);
  return questions.flatMap((question): TopicEvent[] => [
    { topic: `question:${question.id}`, event: { kind: 'edited' } },
    {
      topic: 'feeds',
      event: {
        kind: 'question-edited',
        questionId: question.id,
        tags: question.tags,
        createdAt: question.created_at.toISOString(),
        retagged: true,
      },
    },
  ]);
}
