/**
 * The texts of emails, push messages and the page without scripts in English, in the notation of ICU MessageFormat.
 * Their ids are in the catalogues of all languages (lingui.config.ts); the server renders them
 * (server/notifications/sent-texts.ts).
 */
export const sentTexts = {
  'email.confirm.subject': 'Confirm your email address',
  'email.confirm.text':
    'An account on {site} was set up with this email address. To confirm it, open this link within a day and click the button:',
  'email.confirm.action': 'Confirm email address',
  'email.ignore': 'If this wasn’t you, ignore this email.',
  'email.reset.subject': 'Reset your password on {siteName}',
  'email.reset.text':
    'We received a request to reset the password of the account with this email address on {site}. To set a new password, open this link within an hour:',
  'email.reset.action': 'Set a new password',
  'email.reset.ignore': 'If this wasn’t you, ignore this email. Your password has not changed.',
  'email.change.subject': 'Confirm your new email address',
  'email.change.text':
    'We received a request to use this email address for an account on {site}. To confirm it, open this link within a day and click the button:',
  'email.change.action': 'Use this address',
  'email.changed.subject': 'Your email address on {siteName} was changed',
  'email.changed.text': 'Your account on {site} now uses another email address.',
  'email.changed.revert':
    'If this wasn’t you, open this link within 7 days and click the button. This restores your email address and signs out all sessions:',
  'email.changed.action': 'Restore my email address',
  'email.changed.ignore': 'If this was you, ignore this email.',
  'email.approved.subject': 'Welcome to {siteName}: your account is approved',
  'email.approved.text': 'A moderator has approved your account. You can now read and post.',
  'email.approved.action': 'Open {siteName}',
  'email.refused.subject': 'Your account on {siteName} was not approved',
  'email.refused.text': 'The moderators have refused your account. Reason:',
  'email.refused.action': 'See your account',
  'email.warning.subject': 'Warning from the moderators of {siteName}',
  'email.warning.text': 'You have received a warning from the moderators:',
  'email.suspension.subject': 'Your account on {siteName} is suspended',
  'email.suspension.text': 'Your account is suspended until {until}. You can read but not post. Reason:',
  'email.instant.subject':
    '{count, plural, one {You have # new notification on {siteName}} other {You have # new notifications on {siteName}}}',
  'email.more': '{count, plural, one {# more notification} other {# more notifications}}',
  'email.reply.marker': 'Write your reply above this line',
  'email.reply.comment': 'Reply to this email to comment.',
  'email.reply.answer': 'Reply to this email to answer the question.',
  'email.refused-reply.subject': 'Your email was not posted',
  'email.refused-reply.text': 'Your reply by email was not posted on {siteName}. Reason:',
  'email.refused-reply.sender': 'It was not sent from the email address of your account.',
  'email.refused-reply.empty': 'It has no text above the quoted email.',
  'email.refused-reply.private':
    'It contains your own email address, or an address or a link from our email, probably in the quoted email. Remove them and send your reply again. To post your email address, write on the site.',
  'email.refused-reply.own-text': 'Your text:',
  'email.daily.subject': 'Your daily digest from {siteName}',
  'email.weekly.subject': 'Your weekly digest from {siteName}',
  'email.digest.unread': 'Unread notifications',
  'email.digest.questions': 'Top questions in topics you follow',
  'email.digest.question':
    '{title} ({upvotes, plural, one {# upvote} other {# upvotes}}, {answers, plural, one {# answer} other {# answers}})',
  'email.preferences': 'Change email preferences',
  'email.unsubscribe': 'Unsubscribe',
  'email.reason.answers':
    'You receive this email because you subscribed to emails about answers to your questions.',
  'email.reason.followed':
    'You receive this email because you subscribed to emails about answers to questions you follow.',
  'email.reason.replies':
    'You receive this email because you subscribed to emails about replies and comments.',
  'email.reason.mentions': 'You receive this email because you subscribed to mention emails.',
  'email.reason.accepted': 'You receive this email because you subscribed to emails about accepted answers.',
  'email.reason.votes': 'You receive this email because you subscribed to vote emails.',
  'email.reason.edits': 'You receive this email because you subscribed to emails about edits to posts.',
  'email.reason.moderation':
    'You receive this email because you subscribed to emails about the review queue.',
  'email.reason.instant': 'You receive this email because you subscribed to instant emails.',
  'email.reason.daily': 'You receive this email because you subscribed to the daily digest.',
  'email.reason.weekly': 'You receive this email because you subscribed to the weekly digest.',
  'email.security.when': 'When: {time}.',
  'email.security.action': 'Review your settings',
  'email.security.advice':
    'If this was you, ignore this email. If this wasn’t you, set a new password now: {link}',
  'email.security.last': 'This is our last email to you.',
  'email.password-changed.subject': 'Your password was changed',
  'email.password-changed.text':
    'The password of your account on {siteName} was changed. All other sessions were signed out.',
  'email.password-reset.subject': 'Your password was reset',
  'email.password-reset.text':
    'The password of your account on {siteName} was reset with a link. All sessions were signed out.',
  'email.password-reset.remaining':
    'Passkeys that still work: {passkeys}. Linked accounts that still work: {linkedAccounts}. If you don’t recognize one of them, remove it in your settings.',
  'email.email-changed.subject': 'Your email address was changed',
  'email.email-changed.text': 'Your account on {siteName} now uses another email address.',
  'email.email-reverted.subject': 'Your email address was restored',
  'email.email-reverted.text':
    'Your account on {siteName} uses this email address again. All sessions were signed out.',
  'email.sessions-ended.subject': 'You were signed out',
  'email.sessions-ended.text': 'A signed-in device signed out other sessions of your account on {siteName}.',
  'email.data-exported.subject': 'Your data was downloaded',
  'email.data-exported.text': 'A signed-in device downloaded all data of your account on {siteName}.',
  'email.account-deleted.subject': 'Your account was deleted',
  'email.account-deleted.text': 'Your account on {siteName} was deleted at your request.',
  'email.two-factor-on.subject': 'Two-factor authentication was turned on',
  'email.two-factor-on.text':
    'Signing in to your account on {siteName} now requires two-factor authentication.',
  'email.two-factor-off.subject': 'Two-factor authentication was turned off',
  'email.two-factor-off.text':
    'Signing in to your account on {siteName} no longer requires two-factor authentication.',
  'email.recovery-codes-created.subject': 'New recovery codes were generated',
  'email.recovery-codes-created.text':
    'New recovery codes were generated for your account on {siteName}. The previous codes no longer work.',
  'email.recovery-code-used.subject': 'A recovery code was used',
  'email.recovery-code-used.text':
    'One of your recovery codes was used to sign in to your account on {siteName}.',
  'email.passkey-added.subject': 'A passkey was added',
  'email.passkey-added.text': 'A passkey was added to your account on {siteName}.',
  'email.passkey-removed.subject': 'A passkey was removed',
  'email.passkey-removed.text': 'A passkey was removed from your account on {siteName}.',
  'email.provider-linked.subject': 'A sign-in method was added',
  'email.provider-linked.text':
    'An external account was linked to your account on {siteName}. You can sign in with it.',
  'email.provider-unlinked.subject': 'A sign-in method was removed',
  'email.provider-unlinked.text':
    'An external account was unlinked from your account on {siteName}. You can no longer sign in with it.',
  'email.account-merged.subject': 'Your accounts were merged',
  'email.account-merged.text':
    'An admin of {siteName} merged two of your accounts into one. It has the posts and votes of both. You can only sign in to the account that stays.',
  'email.role-changed.subject': 'Your role was changed',
  'email.role-changed.text': 'The role of your account on {siteName} was changed.',
  'email.admin-added.subject': 'There is a new admin',
  'email.admin-added.text':
    'An admin of {siteName} made another member an admin. The moderation log shows who did it, and when.',
  'email.api-token-created.subject': 'An API token was created',
  'email.api-token-created.text':
    'An API token was created for your account on {siteName}. A program that has it can use the site in your name.',
  'email.test.subject': 'Test email from {siteName}',
  'email.test.text': 'The mail server works: an admin sent this email from the admin area of {site}.',
  'chat.question.posted': 'New question in {tags} by {author}: {question}',
  'chat.question.edited': 'A question by {author} in {tags} was edited: {question}',
  'chat.question.restored': 'A question in {tags} by {author} is shown again: {question}',
  'chat.answer.posted': '{author} answered in {tags}: {question}',
  'chat.answer.edited': 'An answer by {author} in {tags} was edited: {question}',
  'chat.answer.accepted': 'The answer by {author} in {tags} was accepted: {question}',
  'chat.answer.restored': 'An answer by {author} in {tags} is shown again: {question}',
  'chat.reply.posted': '{author} replied in {tags}: {question}',
  'chat.reply.edited': 'A reply by {author} in {tags} was edited: {question}',
  'chat.reply.restored': 'A reply by {author} in {tags} is shown again: {question}',
  'chat.member.joined': '{member} has joined.',
  'chat.test': 'This is a test of the web hook “{name}”.',
  'widget.heading': 'Questions about {tag}',
  'widget.related': 'Related questions',
  'widget.empty': 'No questions yet.',
  'widget.ask': 'Ask a question',
  'widget.failed': 'The questions could not be loaded.',
  'widget.answers': '{count, plural, one {# answer} other {# answers}}',
  'page.not-found': 'Page not found',
  'page.noscript': 'This site needs JavaScript to run in your browser.',
  'push.several': '{count, plural, one {You have # new notification.} other {You have # new notifications.}}',
} as const;

export type SentTextId = keyof typeof sentTexts;
