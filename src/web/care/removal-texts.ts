import { i18n } from '@lingui/core';
import { plural, t } from '@lingui/core/macro';
import type { Removal } from '#shared/removals.ts';

type Activity = { questions: number; answers: number; replies: number; votes: number };

/** '2 questions, 1 answer, 3 replies and 5 votes'. */
export function describeActivity({ questions, answers, replies, votes }: Activity): string {
  const parts = [
    questions > 0 && plural(questions, { one: '# question', other: '# questions' }),
    answers > 0 && plural(answers, { one: '# answer', other: '# answers' }),
    replies > 0 && plural(replies, { one: '# reply', other: '# replies' }),
    votes > 0 && plural(votes, { one: '# vote', other: '# votes' }),
  ].filter((part) => part !== false);
  return parts.length === 0 ? t`no activity` : new Intl.ListFormat(i18n.locale).format(parts);
}

/** How far a removal or its restoration is. */
export function removalStatusText({ state, posts, votes, postsDone, votesDone }: Removal): string {
  const done = postsDone + votesDone;
  const all = posts + votes;
  switch (state) {
    case 'removing':
      return t`Removing posts and votes: ${done} of ${all}`;
    case 'removed':
      return t`All activity is removed.`;
    case 'restoring':
      return t`Restoring posts and votes: ${done} of ${all}`;
    case 'restored':
      return t`All activity is restored.`;
  }
}
