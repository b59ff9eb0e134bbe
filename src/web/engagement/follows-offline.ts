import { tagKey } from '#shared/core/text.ts';
import { t } from '@lingui/core/macro';
import { api, readJson as readBody } from '#web/core/api.ts';
import { defineOfflineActionKind, type QueuedRequestOptions } from '#web/core/send-or-queue.ts';
import { toastError } from '#web/core/toast.ts';
import { isObject, type OfflineAction, useQueuedState } from '#web/core/offline-queue.ts';
import { createQuestionCache, isId, patchPost } from '#web/posts/index.ts';
import { applyOwnTagFollow, setTagFollow } from './follows.ts';

type QuestionToFollow = { questionId: number; following: boolean };
type TagToFollow = { tag: string; following: boolean };

export const offlineQuestionFollows = defineOfflineActionKind<QuestionToFollow>({
  name: 'follow-question',
  read: parseQuestionFollow,
  async send(data, client, sending) {
    const { following } = await setQuestionFollow(data, sending);
    const post = { kind: 'question', id: data.questionId } as const;
    await createQuestionCache(client, data.questionId).update((page) => patchPost(page, post, { following }));
  },
  refused(_, error) {
    toastError(t`Could not follow or unfollow the question: ${error.message}`);
    return null;
  },
});

export const offlineTagFollows = defineOfflineActionKind<TagToFollow>({
  name: 'follow-topic',
  read: parseTagFollow,
  async send(data, client, sending) {
    const { following } = await setTagFollow(data.tag, data.following, sending);
    applyOwnTagFollow(client, data.tag, following);
  },
  refused({ tag }, error) {
    toastError(t`Could not follow or unfollow the topic ${tag}: ${error.message}`);
    return null;
  },
});

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

function parseQuestionFollow(data: unknown): QuestionToFollow | null {
  if (!isObject(data) || typeof data['following'] !== 'boolean' || !isId(data['questionId'])) return null;
  return { questionId: data['questionId'], following: data['following'] };
}

function parseTagFollow(data: unknown): TagToFollow | null {
  if (!isObject(data) || typeof data['following'] !== 'boolean' || typeof data['tag'] !== 'string')
    return null;
  return { tag: data['tag'], following: data['following'] };
}
