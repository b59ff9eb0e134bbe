import { plural, t } from '@lingui/core/macro';
import { useLocation } from '#web/core/router.ts';
import { Link } from '#web/ui/Link.tsx';
import type { MutedChoice } from '#shared/engagement/mutes.ts';
import classes from './MutedBanner.module.css';
import { parseSearch, stringifySearch } from '#web/core/paths.ts';

/** The filter for questions with muted tags, from the address. */
export function useMutedFilter(): MutedChoice {
  return parseSearch(useLocation().search)['muted'] === 'show' ? 'show' : 'hide';
}

/** Says above a feed how many questions are left out, and can show them. */
export function MutedBanner({ count, muted }: { count: number; muted: MutedChoice }) {
  const { pathname, search } = useLocation();
  const addressWith = (choice: 'show' | undefined) =>
    pathname + stringifySearch({ ...parseSearch(search), muted: choice });
  if (muted === 'show')
    return (
      <p className={classes.note}>
        {t`Showing questions from muted topics.`}{' '}
        <Link href={addressWith(undefined)} resetScroll={false}>
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
      <Link href={addressWith('show')} resetScroll={false}>
        {t`Show`}
      </Link>
    </p>
  );
}
