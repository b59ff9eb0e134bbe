// The public file of this area: other areas import from here only.
export {
  buildModerationEmail,
  buildSimpleEmail,
  type EmailContent,
  type EmailSite,
  inLanguage,
} from './email-templates.ts';
export { formatTime, translate } from './sent-texts.ts';
export {
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
  endReviewNotifications,
  insertAnswerNotifications,
  insertUpvoteNotifications,
  markNotificationRead,
  notifyFollowers,
  notifyMember,
  notifyModerators,
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
export { keepWantedDeliveries } from './preferences-queries.ts';
export { createPushJob, createPushSubscriptions, pushDelaySeconds, queuePushes } from './push.ts';
