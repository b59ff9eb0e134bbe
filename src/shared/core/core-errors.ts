import type { ErrorTable } from './error-kinds.ts';

/** Errors that any request can meet. */
export const coreErrors = {
  'page-not-found': ['not-found', "This page doesn't exist."],
  'parent-not-found': ['not-found', 'The post that this belongs to has been deleted.'],
  'request-not-valid': ['invalid', 'The request is not valid.'],
  'request-refused': ['not-allowed', 'The request was refused: {explanation}'],
  'request-too-large': ['too-large', 'The request is too large.'],
  'not-json': ['not-json', 'Send the request as application/json.'],
  'json-not-valid': ['invalid', 'The request body is not valid JSON.'],
  'foreign-origin': ['foreign-origin', 'This request came from another site.'],
  internal: ['internal', 'Something went wrong on our side. Please try again.'],
  'database-restarting': ['unavailable', 'Parley is restarting its database. Please try again in a moment.'],
  busy: ['busy', 'Parley is very busy at the moment. Please try again in a few seconds.'],
  'too-fast': ['too-many', "You're doing that too fast. Try again in a moment."],
  'searches-running': ['too-many', 'Wait until your other searches have finished.'],

  // Fields.
  'value-not-valid': ['invalid', 'This value is not valid: {explanation}'],
  'text-too-long': ['invalid', 'Text must be {max} characters or fewer'],
  'characters-not-allowed': ['invalid', 'The text contains characters that cannot be shown'],
  'characters-not-searchable': ['invalid', 'The text contains characters that cannot be searched'],
  'id-not-valid': ['invalid', 'An id is a positive whole number'],
  'cursor-not-valid': ['invalid', 'The cursor is not valid. Use the nextCursor of an earlier response.'],
  'link-token-not-valid': ['invalid', 'This link is not valid'],
  'idempotency-key-not-valid': ['invalid', 'An idempotency key has 8 to 100 letters, digits, - or _'],
} as const satisfies ErrorTable;
