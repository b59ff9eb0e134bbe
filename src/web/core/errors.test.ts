import { i18n } from '@lingui/core';
import { afterEach, expect, test } from 'vitest';
import { answerDraft } from '#shared/posts/answers.ts';
import { displayName } from '#shared/identity/accounts.ts';
import { ApiError, translateError, translateSchemaError } from './errors.ts';

const english = { ...i18n.messages };
afterEach(() => i18n.loadAndActivate({ locale: 'en', messages: english }));

const tooLong = { code: 'reply-too-long', params: { max: 1000 } };
const problem = {
  type: '/api/docs#problem-invalid',
  title: 'The request is not valid',
  status: 400,
  kind: 'invalid',
  ...tooLong,
  detail: 'Reply must be 1,000 characters or fewer',
};

function speakGerman() {
  const messages = { 'error.reply-too-long': 'Höchstens {max} Zeichen' };
  i18n.loadAndActivate({ locale: 'de', messages });
}

test('translates the code of a response, with numbers as the language writes them', () => {
  speakGerman();
  const error = new ApiError({ ...problem, errors: [{ field: 'content', ...tooLong, message: 'x' }] }, null);
  expect(error.message).toBe('Höchstens 1.000 Zeichen');
  expect(error.messageForField('content')).toBe('Höchstens 1.000 Zeichen');
});

test('shows the English text that the server sent where a code is not in the catalogue', () => {
  speakGerman();
  expect(new ApiError({ ...problem, code: 'from-a-later-version' }, null).message).toBe(problem.detail);
});

test('shows the end of a suspension in the time zone and format of the reader', () => {
  const until = '2026-12-24T17:05:00.000Z';
  const suspended = {
    ...problem,
    code: 'suspended',
    params: { until: '2026-12-24 17:05 UTC', reason: 'Spam.' },
    until,
  };
  const shown = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeStyle: 'short' }).format(
    new Date(until),
  );
  expect(new ApiError(suspended, null).message).toBe(
    `Your account is suspended until ${shown}. You can read but not post. Reason: Spam.`,
  );
});

test('translates schema errors with their parameters', () => {
  const long = answerDraft.safeParse({ content: 'x'.repeat(30_001) });
  expect(translateSchemaError(long.error!)).toBe('Answer must be 30,000 characters or fewer');
  const short = displayName.safeParse('A');
  expect(translateSchemaError(short.error!)).toBe('Name must be at least 2 characters');
});

test('translates an error that the browser finds itself', () => {
  expect(translateError('title-too-long', { max: 200 })).toBe('Title must be 200 characters or fewer');
  // @ts-expect-error: the text has {max}.
  expect(translateError('title-too-long')).toBeDefined();
});
