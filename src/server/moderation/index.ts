// The public file of this area: other areas import from here only.
export { announcementRoutes, publicAnnouncementRoutes } from './announcements-routes.ts';
export { approveApplicant } from './applications.ts';
export { type MemberApplicationDeps, memberApplicationRoutes } from './applications-routes.ts';
export { closeVoteRoutes } from './close-votes-routes.ts';
export { editSuggestionRoutes } from './edit-suggestions-routes.ts';
export { canRestorePost, hidePost, restorePost } from './hidden-posts.ts';
export { findHiddenPost } from './hidden-posts-queries.ts';
export { memberListRoutes } from './member-list-routes.ts';
export { memberPageRoutes } from './member-page-routes.ts';
export { managedTagRoutes } from './managed-tags-routes.ts';
export type { ModerationDeps } from './member-actions.ts';
export { createModerationJob, queueModerationJob } from './moderation-job.ts';
export { insertLogEntry } from './moderation-log.ts';
export {
  type Admin,
  createAdminLimit,
  type ModeratorEnv,
  moderatorsOnly,
  requireAdmin,
  requireModerator,
} from './moderator.ts';
export { moderationRoutes, type ModerationRoutesDeps, moderatorRoutes } from './moderation-routes.ts';
export { queueModeratorMessageEmail } from './moderator-messages.ts';
export { addRemovalCommands } from './removals-command.ts';
export { removalRoutes } from './removals-routes.ts';
export { registerSpamCommands } from './spam-replay-command.ts';
export { setReport } from './reports.ts';
export { tagProposalRoutes } from './tag-proposals-routes.ts';
