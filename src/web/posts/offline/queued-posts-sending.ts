import { t } from '@lingui/core/macro';
import type { QueryClient } from '@tanstack/react-query';
import type { Answer } from '#shared/posts/answers.ts';
import { questionPath } from '#shared/posts/question-paths.ts';
import type { QuestionPageData } from '#shared/posts/questions.ts';
import { createIdempotencyKey } from '#web/core/api.ts';
import { ApiError } from '#web/core/errors.ts';
import { defineOfflineActionKind } from '#web/core/offline-action-kind.ts';
import { toast } from '#web/core/toast.ts';
import { isHeld, showHeldPost } from '#web/posts/held-posts.ts';
import { addAnswer, addReply, postAnswer, postReply } from '#web/posts/new-posts.ts';
import { anchorOf } from '#web/posts/post-ref.ts';
import { createQuestionCache, questionKeys } from '#web/posts/questions/question-cache.ts';
import { findPost } from '#web/posts/questions/question-page-data.ts';
import {
  type AnswerToSend,
  parseAnswer,
  parseReply,
  type PostToSend,
  type ReplyToSend,
} from './queued-posts.ts';

export const offlineAnswers = defineOfflineActionKind<AnswerToSend>({
  name: 'answer',
  read: parseAnswer,
  async send(data, client, sending) {
    const answer = await postAnswer(data.questionId, data, sending);
    if (isHeld(answer)) return showHeldPost(client);
    await createQuestionCache(client, data.questionId).update((page) => addAnswer(page, answer));
    announceOnOtherPage(client, answer);
    return refreshLists(client, data.questionId);
  },
  refused: handleRefusal,
  path: ({ questionId }) => questionPath(questionId),
});

export const offlineReplies = defineOfflineActionKind<ReplyToSend>({
  name: 'reply',
  read: parseReply,
  async send(data, client, sending) {
    const reply = await postReply(data, data, sending);
    if (isHeld(reply)) return showHeldPost(client);
    return createQuestionCache(client, data.questionId).update((page) => addReply(page, reply));
  },
  refused: handleRefusal,
  path: ({ questionId }) => questionPath(questionId),
});

function handleRefusal<Data extends PostToSend>(data: Data, error: Error): { reason: string; data: Data } {
  // An earlier try succeeded although its response was lost, and the text was edited since.
  if (error instanceof ApiError && error.kind === 'key-reused')
    return {
      reason: t`An earlier version was already posted. Edit it, or post this version too.`,
      data: { ...data, key: createIdempotencyKey() },
    };
  const orphaned = error instanceof ApiError && (error.status === 404 || error.status === 410);
  return { reason: error.message, data: { ...data, orphaned } };
}

/** Says that an answer was posted, and links to it, if the question is shown with its later answers only. */
function announceOnOtherPage(client: QueryClient, { id, questionId }: Answer): void {
  const shown = client.getQueriesData<QuestionPageData>({
    queryKey: questionKeys.one(questionId),
    type: 'active',
  });
  const post = { kind: 'answer', id } as const;
  if (shown.every(([, page]) => page === undefined || findPost(page, post) !== undefined)) return;
  const address = `${questionPath(questionId)}#${anchorOf(post)}`;
  toast(t`Your answer was posted.`, { label: t`Show`, run: () => window.location.assign(address) });
}

/** Marks the lists that show the question as stale. They are refetched when they are next shown. */
function refreshLists(client: QueryClient, questionId: number): void {
  createQuestionCache(client, questionId).refreshLists();
}
