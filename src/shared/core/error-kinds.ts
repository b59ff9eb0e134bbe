/** The kinds of errors of the API: the problem types of RFC 9457, each with its HTTP status and title. */
export const errorKinds = {
  invalid: { status: 400, title: 'The request is not valid' },
  'signed-out': { status: 401, title: 'Sign in first' },
  'unknown-email': { status: 401, title: 'Sign-in failed' },
  'wrong-password': { status: 401, title: 'Sign-in failed' },
  'wrong-credentials': { status: 401, title: 'Sign-in failed' },
  'wrong-code': { status: 401, title: 'Sign-in failed' },
  'sign-in-expired': { status: 401, title: 'Start signing in again' },
  'passkey-refused': { status: 401, title: 'Sign-in failed' },
  'provider-refused': { status: 401, title: 'Sign-in failed' },
  'token-refused': { status: 401, title: 'The API token was refused' },
  'sign-in-again': { status: 403, title: 'Sign in again first' },
  'not-author': { status: 403, title: 'Only the author may do this' },
  'not-allowed': { status: 403, title: 'Not allowed' },
  'scope-missing': { status: 403, title: 'The API token does not allow this' },
  suspended: { status: 403, title: 'Suspended' },
  'not-approved': { status: 403, title: 'Not approved yet' },
  locked: { status: 403, title: 'Locked' },
  'foreign-origin': { status: 403, title: 'Requests from other sites are refused' },
  disabled: { status: 403, title: 'Switched off' },
  'not-found': { status: 404, title: 'Not found' },
  'email-taken': { status: 409, title: 'Already registered' },
  'already-done': { status: 409, title: 'Already done' },
  'edit-conflict': { status: 409, title: 'Edited in the meantime' },
  'already-handled': { status: 409, title: 'Already changed by someone else' },
  'draft-changed': { status: 409, title: 'The draft was changed in the meantime' },
  'draft-posted': { status: 410, title: 'The draft was posted' },
  'key-reused': { status: 422, title: 'The idempotency key was used for another request' },
  gone: { status: 410, title: 'Gone' },
  'too-large': { status: 413, title: 'The request is too large' },
  'not-json': { status: 415, title: 'The request must be JSON' },
  'too-many': { status: 429, title: 'Too many requests' },
  internal: { status: 500, title: 'Something went wrong' },
  unavailable: { status: 503, title: 'Temporarily unavailable' },
  busy: { status: 503, title: 'Too busy' },
} as const;

export type ErrorKind = keyof typeof errorKinds;

/** Errors by their codes: the kind, and the English text with its `{parameters}`. */
export type ErrorTable = Readonly<Record<string, readonly [ErrorKind, string]>>;
