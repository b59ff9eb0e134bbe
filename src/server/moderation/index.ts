// The public file of this area: other areas import from here only.
export type { ModerationDeps } from './member-actions.ts';
export { createModerationJob, queueModerationJob } from './moderation-job.ts';
export { insertLogEntry } from './moderation-log.ts';
export { moderationRoutes, type ModerationRoutesDeps } from './moderation-routes.ts';
export { queueModeratorMessageEmail } from './moderator-messages.ts';
export { addRemovalCommands } from './removals-command.ts';
export { removalRoutes } from './removals-routes.ts';
export { setReport } from './reports.ts';
