import { plural, t } from '@lingui/core/macro';
import { Link, useSearch } from '@tanstack/react-router';
import type { MutedChoice } from '#shared/engagement/mutes.ts';
import classes from './MutedBanner.module.css';

/** The filter for questions with muted tags, from the address. */
export function useMutedFilter(): MutedChoice {
  const { muted } = useSearch({ strict: false });
  return muted ?? 'hide';
}

/** Says above a feed how many questions are left out, and can show them. */
export function MutedBanner({ count, muted }: { count: number; muted: MutedChoice }) {
  if (muted === 'show')
    return (
      <p className={classes.note}>
        {t`Showing questions from muted topics.`}{' '}
        <Link to="." search={(before) => ({ ...before, muted: undefined })} resetScroll={false}>
          {t`Hide them`}
        </Link>
      </p>
    );
  if (count === 0) return null;
  return (
    <p className={classes.note}>
      {plural(count, {
        one: '# question hidden by muted topics',
        other: '# questions hidden by muted topics',
      })}
      <Link to="." search={(before) => ({ ...before, muted: 'show' })} resetScroll={false}>
        {t`Show`}
      </Link>
    </p>
  );
}
