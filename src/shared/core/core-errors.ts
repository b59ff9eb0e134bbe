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
  'database-restarting': [
    'unavailable',
    'The server is restarting its database. Please try again in a moment.',
  ],
  busy: ['busy', 'The server is very busy at the moment. Please try again in a few seconds.'],
  'too-fast': ['too-many', "You're doing that too fast. Try again in a moment."],
  'too-often': ['too-many', "You've done that too often. Try again later."],
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

  // Site settings.
  'setup-link-not-valid': [
    'not-allowed',
    'This link is not valid. Use the link that the server prints when it starts.',
  ],
  'setup-completed': ['already-handled', 'This community has been set up already.'],
  'setting-not-found': ['not-found', 'There is no setting with this name.'],
  'setting-changed-since': ['already-handled', 'This setting was changed again meanwhile.'],
  'setting-required': ['invalid', 'Enter a text'],
  'setting-not-boolean': ['invalid', 'Choose true or false'],
  'setting-not-number': ['invalid', 'Enter a number'],
  'setting-not-in-range': ['invalid', 'Enter a whole number from {min} to {max}'],
  'setting-not-text': ['invalid', 'Enter a text'],
  'setting-not-an-option': ['invalid', 'Choose one of the options'],
  'setting-list-too-long': ['invalid', 'Enter {max} lines or fewer'],
  'setting-not-colour': ['invalid', 'Enter a colour such as #0f766e'],
  'setting-not-picture': ['invalid', 'Upload a picture'],
  'setting-not-css-variable': [
    'invalid',
    'Enter one variable per line, such as --radius: 12px. Only the listed variables and values are possible.',
  ],
  'setting-not-domain': ['invalid', 'Enter one domain per line, such as example.org'],
  'setting-not-link': ['invalid', 'Enter one link per line, such as Status | https://status.example.org'],
  'setting-not-sign-up-question': [
    'invalid',
    'Enter one question per line, such as Why do you want to join? | required | 500',
  ],
} as const satisfies ErrorTable;
