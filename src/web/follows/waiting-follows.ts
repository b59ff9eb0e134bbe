import { t } from '@lingui/core/macro';
import { tagKey } from '#shared/tags.ts';
import { api, read as readBody } from '#web/platform/api.ts';
import { waitingKind, type Sending } from '#web/platform/send-waiting.ts';
import { toastError } from '#web/platform/toast.ts';
import { isObject, useWanted, type Action } from '#web/platform/waiting.ts';
import { patchPost } from '#web/posts/question-page.ts';
import { questionCache } from '#web/posts/question-query.ts';
import { isId } from '#web/posts/waiting-posts.ts';
import { setFollowTopic, showFollowing } from './follows.ts';

type QuestionToFollow = { questionId: number; following: boolean };
type TopicToFollow = { tag: string; following: boolean };

export const waitingQuestionFollows = waitingKind<QuestionToFollow>({
  name: 'follow-question',
  read: readQuestion,
  async send(data, client, sending) {
    const { following } = await setFollowQuestion(data, sending);
    const post = { kind: 'question', id: data.questionId } as const;
    await questionCache(client, data.questionId).change((page) => patchPost(page, post, { following }));
  },
  refused(_, error) {
    toastError(t`Following the question was not saved: ${error.message}`);
    return null;
  },
});

export const waitingTopicFollows = waitingKind<TopicToFollow>({
  name: 'follow-topic',
  read: readTopic,
  async send(data, client, sending) {
    const { following } = await setFollowTopic(data.tag, data.following, sending);
    showFollowing(client, data.tag, following);
  },
  refused({ tag }, error) {
    toastError(t`Following the topic ${tag} was not saved: ${error.message}`);
    return null;
  },
});

export function followQuestionAction(data: QuestionToFollow): Action {
  return { kind: 'follow-question', target: String(data.questionId), data };
}

export function followTopicAction(data: TopicToFollow): Action {
  return { kind: 'follow-topic', target: tagKey(data.tag), data };
}

/** What waits for the connection; undefined where nothing does. */
export function useWaitingQuestionFollow(memberId: number | null, questionId: number): boolean | undefined {
  return readQuestion(useWanted(memberId, 'follow-question', String(questionId)))?.following;
}

export function useWaitingTopicFollow(memberId: number | null, tag: string): boolean | undefined {
  return readTopic(useWanted(memberId, 'follow-topic', tagKey(tag)))?.following;
}

export function setFollowQuestion({ questionId, following }: QuestionToFollow, sending: Partial<Sending>) {
  return readBody(
    api.questions[':id'].follow.$put({ param: { id: String(questionId) }, json: { following } }, sending),
  );
}

function readQuestion(data: unknown): QuestionToFollow | null {
  if (!isObject(data) || typeof data['following'] !== 'boolean' || !isId(data['questionId'])) return null;
  return { questionId: data['questionId'], following: data['following'] };
}

function readTopic(data: unknown): TopicToFollow | null {
  if (!isObject(data) || typeof data['following'] !== 'boolean' || typeof data['tag'] !== 'string')
    return null;
  return { tag: data['tag'], following: data['following'] };
}
