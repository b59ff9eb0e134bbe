import { offlineBookmarks } from '#web/bookmarks/waiting-bookmarks.ts';
import { offlineQuestionFollows, offlineTagFollows } from '#web/follows/waiting-follows.ts';
import type { OfflineActionKind } from '#web/platform/send-waiting.ts';
import { offlineAnswers, offlineReplies } from '#web/posts/waiting-posts.ts';
import { offlineVotes } from '#web/votes/waiting-votes.ts';

/** All that can wait for a connection. */
export const offlineActionKinds: readonly OfflineActionKind[] = [
  offlineAnswers,
  offlineReplies,
  offlineVotes,
  offlineQuestionFollows,
  offlineTagFollows,
  offlineBookmarks,
];
