import { describe, expect, test } from 'vitest';
import { errorKinds } from './core/error-kinds.ts';
import { discoveryErrors } from './discovery/discovery-errors.ts';
import { coreErrors } from './core/core-errors.ts';
import { engagementErrors } from './engagement/engagement-errors.ts';
import { type ErrorParams, errorTable, formatError, isErrorCode } from './errors.ts';
import { identityErrors } from './identity/identity-errors.ts';
import { integrationsErrors } from './integrations/integrations-errors.ts';
import { moderationErrors } from './moderation/moderation-errors.ts';
import { notificationsErrors } from './notifications/notifications-errors.ts';
import { postsErrors } from './posts/posts-errors.ts';

describe('the table of errors', () => {
  test('has each code in one area', () => {
    const areas = [
      coreErrors,
      identityErrors,
      postsErrors,
      engagementErrors,
      discoveryErrors,
      notificationsErrors,
      moderationErrors,
      integrationsErrors,
    ];
    expect(areas.flatMap((area) => Object.keys(area)).toSorted()).toEqual(Object.keys(errorTable).toSorted());
  });

  test('uses every kind', () => {
    const used = new Set(Object.values(errorTable).map(([kind]) => kind));
    expect(Object.keys(errorKinds).filter((kind) => !used.has(kind as keyof typeof errorKinds))).toEqual([]);
  });

  test('names the codes in kebab-case, as the build finds them in modules (vite.config.texts.ts)', () => {
    expect(Object.keys(errorTable).filter((code) => !/^[a-z]+(-[a-z]+)*$/u.test(code))).toEqual([]);
  });
});

test('fills a text with its parameters, and writes numbers as English does', () => {
  const params: ErrorParams<'answer-too-long'> = { max: 30_000 };
  expect(formatError({ code: 'answer-too-long', params })).toBe('Answer must be 30,000 characters or fewer');
  expect(formatError({ code: 'question-locked', params: { reason: 'Cooling {down}' } })).toBe(
    'This question is locked: Cooling {down}',
  );
});

test('knows which codes exist', () => {
  expect(isErrorCode('question-not-found')).toBe(true);
  for (const name of ['no-such-error', 'constructor', 'Required']) expect(isErrorCode(name)).toBe(false);
});

test('the compiler compares parameters with the text', () => {
  // @ts-expect-error: the text has {max}.
  const wrong: ErrorParams<'answer-too-long'> = { least: 1 };
  expect(wrong).toBeDefined();
});
