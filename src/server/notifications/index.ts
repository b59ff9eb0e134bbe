// The public file of this area: other areas import from here only.
export {
  buildConfirmationEmail,
  buildDigestEmail,
  buildInstantEmail,
  buildModerationEmail,
  buildSimpleEmail,
  buildTestEmail,
  type EmailContent,
  type EmailedNotification,
  type EmailSite,
  inLanguage,
} from './email-templates.ts';
export { inlineLogo } from './email-logo.ts';
export { formatTime, translate, translateError } from './sent-texts.ts';
export { deleteOldBounces, switchEmailOn } from './email-bounces-queries.ts';
export { emailPostingEndpoints, readEmailPostingToken } from './email-posting-token.ts';
export { addEmailCommand, type ReceivingEmails } from './email-command.ts';
export { type ReceivedEmailDeps, receivedEmailRoutes } from './email-replies-routes.ts';
export {
  createEmailSending,
  type EmailSending,
  readEmailState,
  createEmailDelivery,
  createEmailJobs,
  type DeliverEmail,
  dropExpiredEmails,
  queueConfirmationEmail,
  queueDueEmails,
  queueEmail,
} from './email.ts';
export { notificationRoutes } from './notifications-routes.ts';
export {
  type AnswerNotifications,
  deletePostNotifications,
  deleteQueueNotifications,
  endQueueNotifications,
  insertAnswerNotifications,
  insertUpvoteNotifications,
  markNotificationRead,
  notifyFollowers,
  notifyMember,
  notifyOfQueue,
  notifyOfMentions,
  notifyOfReply,
  readNotifications,
  selectNotifiedEvents,
  type UpvoteNotification,
} from './notifications.ts';
export {
  emailLinkRoutes,
  notificationPreferenceRoutes,
  type NotificationPreferenceRoutesDeps,
  oneClickUnsubscribeRoutes,
} from './preferences-routes.ts';
export {
  createNotificationPreferences,
  findConfirmedEmail,
  type QueueConfirmationEmail,
} from './preferences.ts';
export { queueKindsInSql } from './notifications-queries.ts';
export { clearDeliveriesOfQuestion, findEmailOfMember, keepWantedDeliveries } from './preferences-queries.ts';
export { createPushJob, createPushSubscriptions, pushDelaySeconds, queuePushes } from './push.ts';
export { moveSubscription } from './push-queries.ts';
