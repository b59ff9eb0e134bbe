import { t } from '@lingui/core/macro';
import { defineOfflineActionKind } from '#web/core/offline-action-kind.ts';
import { toastError } from '#web/core/toast.ts';
import { createQuestionCache, findPost, patchPost, setVote } from '#web/posts/index.ts';
import { putBookmark } from './bookmarks.ts';
import { type BookmarkToSend, parseBookmark } from './bookmarks-offline.ts';
import { applyOwnTagFollow, setTagFollow } from './follows.ts';
import {
  parseQuestionFollow,
  parseTagFollow,
  type QuestionToFollow,
  setQuestionFollow,
  type TagToFollow,
} from './follows-offline.ts';
import { applyVote } from './votes.ts';
import { parseVote, type VoteToSend } from './votes-offline.ts';

export const offlineVotes = defineOfflineActionKind<VoteToSend>({
  name: 'vote',
  read: parseVote,
  async send({ post, questionId, vote }, client, sending) {
    const cache = createQuestionCache(client, questionId);
    // As with an online vote: counts that arrive meanwhile already include it.
    await cache.update((page) => {
      const before = findPost(page, post);
      return before === undefined ? page : patchPost(page, post, applyVote(before, vote));
    });
    const state = await setVote(post, vote, sending);
    await cache.update((page) => patchPost(page, post, state));
  },
  refused(_, error) {
    toastError(t`Your vote was not saved: ${error.message}`);
    return null;
  },
});

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

export const offlineBookmarks = defineOfflineActionKind<BookmarkToSend>({
  name: 'bookmark',
  read: parseBookmark,
  async send({ post, questionId, bookmarked: wanted }, client, sending) {
    const { bookmarked } = await putBookmark(post, { bookmarked: wanted }, sending);
    await createQuestionCache(client, questionId).update((page) => patchPost(page, post, { bookmarked }));
  },
  refused(_, error) {
    toastError(t`The bookmark was not saved: ${error.message}`);
    return null;
  },
});
