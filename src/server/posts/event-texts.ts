import { sql } from 'kysely';
import type { AddTexts, TopicEvent } from '#server/core/events.ts';
import { createReadBatcher } from '#server/core/read-batcher.ts';
import type { Reader } from '#server/core/database.ts';
import type { AnswerTexts, LiveEvent, QuestionTexts } from '#shared/core/events.ts';
import { answerStartLength, createAnswerExcerpt } from './cards.ts';

type EditedPost = { kind: 'question' | 'answer'; id: number };

/** The maximum number of posts per statement. */
const maxBatchSize = 500;

/**
 * Returns a function that adds to the events of edits what lists show of the post now. The stream does not store texts,
 * because a post may be hidden or deleted while its events are still delivered (docs/product.md 14.3): the event then
 * has none. Calls that wait at the same time read each post once. They do not wait for calls of another such function.
 */
export function createEventTexts(db: Reader): AddTexts {
  const readQuestion = createReadBatcher({ readBatch: readQuestions, maxBatchSize });
  const readAnswer = createReadBatcher({ readBatch: readAnswers, maxBatchSize });

  return async (events) => {
    const reads = new Map<string, Promise<QuestionTexts | AnswerTexts | undefined>>();
    for (const { id, kind } of events.map(toEditedPost).filter((post) => post !== null))
      if (!reads.has(`${kind} ${id}`))
        reads.set(`${kind} ${id}`, kind === 'question' ? readQuestion(db, id) : readAnswer(db, id));
    const results = await Promise.all(reads.values());
    const texts = new Map([...reads.keys()].map((key, index) => [key, results[index]]));
    return events.map((each) => {
      const post = toEditedPost(each);
      const added = post === null ? undefined : texts.get(`${post.kind} ${post.id}`);
      return { ...each, event: { ...removeTexts(each.event), ...added } };
    });
  };
}

/**
 * Removes the texts that were added before, or that a node of an older version stored. They may be of a post that is
 * hidden now.
 */
function removeTexts(event: LiveEvent): LiveEvent {
  if (event.kind !== 'question-edited' && event.kind !== 'answer-edited') return event;
  return Object.assign({ ...event }, { title: undefined, excerpt: undefined, excerptCut: undefined });
}

/** The post whose texts lists of questions or answers show again after this event; null for none. */
function toEditedPost({ topic, event }: TopicEvent): EditedPost | null {
  if (event.kind === 'question-edited') return { kind: 'question', id: event.questionId };
  // The page of the question reads the answer again.
  if (event.kind === 'answer-edited' && topic === 'answers') return { kind: 'answer', id: event.answerId };
  return null;
}

async function readQuestions(db: Reader, ids: readonly number[]): Promise<(QuestionTexts | undefined)[]> {
  const { rows } = await sql<QuestionTexts & { id: number }>`
    select id, title, excerpt, excerpt_cut as "excerptCut" from question
    where id = any(${[...ids]}::bigint[])`.execute(db);
  const texts = new Map(rows.map(({ id, ...each }) => [id, each]));
  return ids.map((id) => texts.get(id));
}

async function readAnswers(db: Reader, ids: readonly number[]): Promise<(AnswerTexts | undefined)[]> {
  const { rows } = await sql<{ id: number; start: string }>`
    select id, left(content, ${answerStartLength}) as start from answer
    where id = any(${[...ids]}::bigint[])`.execute(db);
  const texts = new Map(rows.map(({ id, start }) => [id, createAnswerExcerpt(start)]));
  return ids.map((id) => texts.get(id));
}
