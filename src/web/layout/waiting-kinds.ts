import { waitingBookmarks } from '#web/bookmarks/waiting-bookmarks.ts';
import { waitingQuestionFollows, waitingTopicFollows } from '#web/follows/waiting-follows.ts';
import type { WaitingKind } from '#web/platform/send-waiting.ts';
import { waitingAnswers, waitingReplies } from '#web/posts/waiting-posts.ts';
import { waitingVotes } from '#web/votes/waiting-votes.ts';

/** All that can wait for a connection. */
export const waitingKinds: readonly WaitingKind[] = [
  waitingAnswers,
  waitingReplies,
  waitingVotes,
  waitingQuestionFollows,
  waitingTopicFollows,
  waitingBookmarks,
];
