import type { z } from 'zod';
import {
  buildApprovalEmail,
  buildEmailChangeConfirmation,
  buildEmailChangeNotice,
  buildPasswordResetEmail,
  buildRefusalEmail,
  buildSecurityEmail,
} from '#server/identity/index.ts';
import {
  buildConfirmationEmail,
  buildDigestEmail,
  buildInstantEmail,
  buildModerationEmail,
  buildTestEmail,
  type EmailContent,
  type EmailedNotification,
  type EmailSite,
} from '#server/notifications/index.ts';
import { emailedSecurityEvent, type EmailKind } from '#shared/admin/emails.ts';

/** Of a kind of email, an example for previews and tests. Its links lead nowhere. */
export function buildSampleEmail(kind: EmailKind, site: EmailSite): EmailContent {
  const links = { ...site, unsubscribe: `${site.site}/unsubscribe/example` };
  if (isSecurityEvent(kind)) return buildSecurityEmail({ event: kind, at: until, site });
  switch (kind) {
    case 'confirmation':
      return buildConfirmationEmail({ ...site, link: `${site.site}/confirm-email/example` });
    case 'new-password':
      return buildPasswordResetEmail('reset-password#example', site);
    case 'new-address':
      return buildEmailChangeConfirmation('change-email#example', site);
    case 'address-changed':
      return buildEmailChangeNotice('revert-email#example', site);
    case 'notification':
      return buildInstantEmail({ items: notifications.slice(0, 1), total: 1 }, links, 'answers');
    case 'notifications':
      return buildInstantEmail({ items: notifications, total: 23 }, links, 'instant');
    case 'daily-digest':
      return buildDigestEmail('daily', { items: notifications, total: 4, questions: [] }, links);
    case 'weekly-digest':
      return buildDigestEmail('weekly', { items: notifications, total: 3, questions }, links);
    case 'approval':
      return buildApprovalEmail(site);
    case 'refusal':
      return buildRefusalEmail(reason, site);
    case 'warning':
    case 'suspension':
      return buildModerationEmail({ kind, reason, until: kind === 'warning' ? null : until, site });
    case 'test':
      return buildTestEmail(site);
  }
}

const isSecurityEvent = (kind: EmailKind): kind is z.infer<typeof emailedSecurityEvent> =>
  emailedSecurityEvent.safeParse(kind).success;

const until = new Date('2030-01-02T15:04:00Z');

const reason = 'Please link to your sources.';

const link = '/question/1';

const notifications: EmailedNotification[] = [
  { kind: 'answer', name: 'Ann', title: 'Does bread freeze?', link },
  { kind: 'mention', name: 'Ben', title: 'Which flour is best for baguettes?', link },
  { kind: 'vote_question', name: 'Cem', title: 'Does bread freeze?', link },
];

const questions = [
  { id: 1, title: 'How do I feed a starter?', upvotes: 12, answers: 3 },
  { id: 2, title: 'Why is my crust soft?', upvotes: 1, answers: 1 },
];
