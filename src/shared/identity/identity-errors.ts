import type { ErrorTable } from '#shared/core/error-kinds.ts';

/** Accounts, sign-in methods and profiles. The texts of docs/product.md 2 and 16.5 are word for word. */
export const identityErrors = {
  // Registration.
  'email-taken': ['email-taken', 'This email is already registered. Please try logging in instead.'],
  'email-blocked': [
    'not-allowed',
    "This email address can't be used at the moment: its account was suspended or refused before it was deleted.",
  ],
  'email-not-valid': ['invalid', 'Please enter a valid email address.'],
  'passwords-differ': ['invalid', 'Passwords do not match'],
  'password-too-short': ['invalid', 'Password must be at least {min} characters'],
  'password-too-long': ['invalid', 'Password must be {max} characters or fewer'],
  'password-too-common': ['invalid', 'This password is too common. Please choose another one.'],
  'name-too-short': ['invalid', 'Name must be at least {min} characters'],
  'name-too-long': ['invalid', 'Name must be {max} characters or fewer'],
  'name-characters-not-allowed': ['invalid', 'Name contains characters that cannot be shown'],
  'name-too-similar': [
    'invalid',
    'This name could be mistaken for that of a moderator or admin. Please choose another one.',
  ],
  'registration-failed': [
    'too-many',
    'Failed to create account. Please check your internet connection and try again.',
  ],
  'password-sign-in-disabled': [
    'disabled',
    'Email/password authentication is not enabled. Please contact support.',
  ],
  'registration-closed': ['disabled', 'Sign-up is closed at the moment. Please contact support.'],
  'email-domain-not-allowed': [
    'invalid',
    'Addresses of this email provider cannot be used here. Enter another one.',
  ],
  'invitation-required': ['disabled', 'You need an invitation to join. Open the link that you received.'],
  'invitation-not-valid': ['gone', 'This invitation link is not valid. Check that you copied all of it.'],
  'invitation-expired': ['gone', 'This invitation has expired. Please ask for a new one.'],
  'invitation-used-up': ['gone', 'This invitation has already been used. Please ask for a new one.'],
  'invitation-revoked': ['gone', 'This invitation is no longer valid. Please ask for a new one.'],
  'invitation-not-found': ['not-found', 'Invitation not found'],
  'invitation-revoked-before': ['already-handled', 'This invitation has already been revoked.'],
  'invitation-end-not-valid': ['invalid', 'Choose a date within the next {days} days'],
  'email-not-confirmed': [
    'not-approved',
    'Confirm your email address before you post: open the link in the email we sent you. You can get another one in Settings.',
  ],
  'account-not-approved': ['not-approved', 'A moderator has to approve your account before you can post.'],
  'sign-up-answer-required': ['invalid', 'Please answer this question'],
  'sign-up-questions-changed': [
    'edit-conflict',
    'The questions were changed in the meantime. Please answer them again.',
  ],
  'application-waiting': ['not-approved', 'A moderator has to approve your account first.'],
  'application-refused': ['not-approved', 'The moderators have refused your account.'],
  'application-not-found': ['not-found', 'Your account is not waiting for approval.'],
  'too-many-application-changes': [
    'too-many',
    'You have changed your answers several times. Please try again later.',
  ],

  // Signing in.
  'signed-out': ['signed-out', 'Please sign in first.'],
  'other-member-signed-in': ['signed-out', 'The member who made this change has signed out.'],
  'unknown-email': ['unknown-email', 'No account found with this email address.'],
  'wrong-password': ['wrong-password', 'Incorrect password. Please try again.'],
  'wrong-credentials': [
    'wrong-credentials',
    'Failed to log in. Please check your credentials and try again.',
  ],
  'too-many-failed-sign-ins': ['too-many', 'Too many failed login attempts. Please try again later.'],
  'sign-in-expired': ['sign-in-expired', 'That took too long. Please sign in again.'],
  'session-not-found': ['not-found', 'Session not found'],
  suspended: [
    'suspended',
    'Your account is suspended until {until}. You can read but not post. Reason: {reason}',
  ],

  // Two-factor authentication.
  'two-factor-code-wrong': ['wrong-code', 'Incorrect code. Please try again.'],
  'two-factor-code-not-valid': ['invalid', 'Incorrect code. Please try again.'],
  'too-many-wrong-codes': ['too-many', 'Too many wrong codes. Please try again later.'],
  'two-factor-setup-expired': ['sign-in-again', 'That took too long. Please sign in again.'],
  'two-factor-already-on': ['already-done', 'Two-factor authentication is already on.'],
  'two-factor-already-off': ['already-done', 'Two-factor authentication is already off.'],
  'current-password-wrong': ['invalid', 'Incorrect password. Please try again.'],
  'sign-in-too-old': ['sign-in-again', 'For your security, sign out and sign in again first.'],

  // Passkeys.
  'passkey-refused': ['passkey-refused', 'Sign-in with this passkey failed. Please try again.'],
  'passkey-not-added': ['passkey-refused', 'That passkey could not be added. Please try again.'],
  'passkey-already-added': ['already-done', 'You have already added this passkey.'],
  'passkey-not-found': ['not-found', 'Passkey not found'],
  'passkey-name-required': ['invalid', 'Give the passkey a name'],
  'passkey-name-too-long': ['invalid', 'Passkey name must be {max} characters or fewer'],
  'passkey-bytes-not-valid': ['invalid', 'The text is not base64url'],
  'too-many-passkeys': ['not-allowed', 'You can have up to {max} passkeys.'],
  'last-passkey': [
    'not-allowed',
    'This is your only way to sign in. Set a password or add another passkey first.',
  ],

  // The identity provider.
  'provider-refused': ['provider-refused', 'Sign-in with the other site failed. Please try again.'],
  'provider-unreachable': [
    'unavailable',
    'The other site cannot be reached at the moment. Please try again later.',
  ],
  'provider-email-not-verified': [
    'provider-refused',
    'The other site has not verified your email address. Please verify it there first.',
  ],
  'provider-not-configured': ['disabled', "Sign-in with another site isn't set up here."],
  'provider-secret-unreadable': [
    'disabled',
    'Sign-in with {name} is not available until an admin enters its client secret again.',
  ],
  'provider-account-taken': ['already-done', 'That account belongs to another member.'],
  'provider-already-linked': ['already-done', 'Your account is already linked.'],
  'provider-not-linked': ['already-done', 'Your account is not linked.'],
  'other-sign-in-method-needed': [
    'not-allowed',
    'You would no longer be able to sign in. Add a passkey or link an account at a sign-in provider in your settings first.',
  ],
  'last-sign-in-method': [
    'not-allowed',
    'This is your only way to sign in. Set a password or add a passkey first.',
  ],

  // Sign-in providers that admins configure.
  'sign-in-provider-not-found': ['not-found', 'Sign-in provider not found'],
  'sign-in-provider-field-required': ['invalid', 'Please fill in this field.'],
  'sign-in-provider-id-not-valid': [
    'invalid',
    'Use up to 32 lower-case letters, digits and single hyphens between them.',
  ],
  'sign-in-provider-id-taken': ['invalid', 'Another provider has this ID.'],
  'sign-in-provider-issuer-taken': ['invalid', 'Another provider has this issuer.'],
  'sign-in-provider-issuer-linked': [
    'invalid',
    'Members have linked accounts of this issuer. Add another provider instead.',
  ],
  'too-many-sign-in-providers': ['not-allowed', 'There can be up to {max} sign-in providers.'],
  'sign-in-provider-order-changed': [
    'already-handled',
    'The providers have changed in the meantime. Please reload the page.',
  ],
  'sign-in-provider-changed-since': [
    'already-handled',
    'The provider has changed again since, or its secret was replaced. Change it by hand.',
  ],
  'issuer-not-valid': ['invalid', 'Enter an address such as https://id.example.org'],
  'issuer-not-https': ['invalid', 'The address must begin with https://'],
  'issuer-of-all-tenants': [
    'invalid',
    'Enter the ID of your own directory. Everyone can create accounts in one of their own.',
  ],
  'scope-openid-required': ['invalid', 'The scopes must contain openid.'],
  'secret-for-new-issuer': ['invalid', 'Enter the client secret for the new issuer.'],

  // Links in emails, and the email address.
  'link-expired': ['gone', 'This link has expired or has already been used.'],
  'password-reset-by-email-disabled': [
    'disabled',
    "Email isn't set up on this site. Ask its operator for a link that sets a new password.",
  ],
  'too-many-reset-links': ['too-many', 'Too many links were requested. Please try again later.'],
  'email-unchanged': ['invalid', 'This is already your email address.'],
  'new-email-taken': ['email-taken', 'This email address belongs to another account.'],
  'restored-email-taken': [
    'email-taken',
    "This email address now belongs to another account, so it can't be restored.",
  ],
  'too-many-email-changes': [
    'too-many',
    'You have requested this several times today. Please check your inbox first.',
  ],

  // Profiles.
  'user-not-found': ['not-found', 'User not found'],
  'bio-too-long': ['invalid', 'Bio must be {max} characters or fewer'],
  'location-too-long': ['invalid', 'Location must be {max} characters or fewer'],
  'website-not-valid': [
    'invalid',
    'Enter the address of a website, such as https://example.org, with {max} characters or fewer',
  ],
  'too-many-data-exports': [
    'too-many',
    'You have downloaded your data several times. Please try again later.',
  ],
} as const satisfies ErrorTable;
