import type { OfflineActionKind } from '#web/core/offline-action-kind.ts';
import {
  offlineBookmarks,
  offlineQuestionFollows,
  offlineTagFollows,
  offlineVotes,
} from '#web/engagement/offline-action-kinds.ts';
import { offlineAnswers, offlineReplies } from '#web/posts/offline/queued-posts-sending.ts';

/** All kinds of actions that can be queued offline. */
export const offlineActionKinds: readonly OfflineActionKind[] = [
  offlineAnswers,
  offlineReplies,
  offlineVotes,
  offlineQuestionFollows,
  offlineTagFollows,
  offlineBookmarks,
];
