import { tagKey } from '#shared/core/text.ts';
import { api, readJson as readBody } from '#web/core/api.ts';
import type { QueuedRequestOptions } from '#web/core/send-or-queue.ts';
import { isObject, type OfflineAction, useQueuedState } from '#web/core/offline-queue.ts';
import { isId } from '#web/posts/index.ts';

export type QuestionToFollow = { questionId: number; following: boolean };
export type TagToFollow = { tag: string; following: boolean };

export function followQuestionAction(data: QuestionToFollow): OfflineAction {
  return { kind: 'follow-question', target: String(data.questionId), data };
}

export function followTagAction(data: TagToFollow): OfflineAction {
  return { kind: 'follow-topic', target: tagKey(data.tag), data };
}

/** The queued state; undefined if there is none. */
export function useQueuedQuestionFollow(memberId: number | null, questionId: number): boolean | undefined {
  return parseQuestionFollow(useQueuedState(memberId, 'follow-question', String(questionId)))?.following;
}

export function useQueuedTagFollow(memberId: number | null, tag: string): boolean | undefined {
  return parseTagFollow(useQueuedState(memberId, 'follow-topic', tagKey(tag)))?.following;
}

export function setQuestionFollow(
  { questionId, following }: QuestionToFollow,
  sending: Partial<QueuedRequestOptions>,
) {
  return readBody(
    api.questions[':id'].follow.$put({ param: { id: String(questionId) }, json: { following } }, sending),
  );
}

export function parseQuestionFollow(data: unknown): QuestionToFollow | null {
  if (!isObject(data) || typeof data['following'] !== 'boolean' || !isId(data['questionId'])) return null;
  return { questionId: data['questionId'], following: data['following'] };
}

export function parseTagFollow(data: unknown): TagToFollow | null {
  if (!isObject(data) || typeof data['following'] !== 'boolean' || typeof data['tag'] !== 'string')
    return null;
  return { tag: data['tag'], following: data['following'] };
}
