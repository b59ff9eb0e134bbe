import { plural, t } from '@lingui/core/macro';
import { Link, useSearch } from '@tanstack/react-router';
import type { MutedChoice } from '#shared/engagement/mutes.ts';
import classes from './MutedBanner.module.css';

/** What the address says of questions with muted topics. */
export function useMutedFilter(): MutedChoice {
  const { muted } = useSearch({ strict: false });
  return muted ?? 'hide';
}

/** Says above a feed what it leaves out, and shows it. */
export function MutedBanner({ count, muted }: { count: number; muted: MutedChoice }) {
  if (muted === 'show')
    return (
      <p className={classes.note}>
        {t`Questions of muted topics are shown.`}{' '}
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
