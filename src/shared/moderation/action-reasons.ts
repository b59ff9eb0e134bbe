import type { MemberAction, PostAction } from './moderation.ts';

/**
 * Actions that remove nothing from a member, and spam, which needs no explanation. In a file of its own, so that the browser
 * loads no schemas for it.
 */
export const actionsWithoutReason: ReadonlySet<PostAction | MemberAction> = new Set([
  'dismiss',
  'approve',
  'restore',
  'spam',
  'decline_objection',
]);
