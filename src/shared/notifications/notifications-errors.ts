import type { ErrorTable } from '#shared/core/error-kinds.ts';

/** Notifications, by email and web push as well. */
export const notificationsErrors = {
  'notification-not-found': ['not-found', 'Notification not found'],
  'time-zone-unknown': ['invalid', 'This time zone is unknown.'],
  'email-disabled': ['disabled', "Email isn't set up on this site."],
  'too-many-confirmation-emails': [
    'too-many',
    'We have sent you several of these emails today. Check your inbox, or try again tomorrow.',
  ],
  'too-many-emails-to-address': [
    'too-many',
    'We have sent several of these emails to this address. Check its inbox, or try again in an hour.',
  ],
  'unsubscribe-link-not-valid': [
    'gone',
    'This link no longer works. You can choose your emails in your settings.',
  ],
  'confirmation-link-not-valid': [
    'gone',
    'This link no longer works. You can request a new one in your settings.',
  ],
  'received-emails-disabled': ['disabled', "Receiving emails isn't set up on this site."],
  'reply-secret-not-valid': ['token-refused', 'The secret of the mail provider is missing or wrong.'],
  'received-email-missing': ['invalid', 'The request contains no email.'],
  'push-disabled': ['disabled', "Push notifications aren't set up on this site."],
  'push-service-unknown': ['invalid', "This browser's push service is unknown here."],
} as const satisfies ErrorTable;
