import { plural, t } from '@lingui/core/macro';
import { IconButton } from '#web/ui/Button.tsx';
import { IconShield } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '#web/ui/Link.tsx';
import { useLive } from '#web/core/live.ts';
import { paths } from '#web/core/paths.ts';
import { applicationCountQuery, applicationKeys } from './applications.ts';
import classes from './moderation.module.css';
import { moderationKeys, reviewCountsQuery } from './moderation.ts';

/** The link to the review queue in the top bar, with the number of posts and accounts that wait. */
export default function ReviewQueueButton() {
  const client = useQueryClient();
  const open = useQuery(reviewCountsQuery).data?.open ?? 0;
  const accounts = useQuery(applicationCountQuery).data?.waiting ?? 0;
  const total = open + accounts;
  const refresh = () => {
    void client.invalidateQueries({ queryKey: moderationKeys.counts });
    void client.invalidateQueries({ queryKey: applicationKeys.count });
  };
  useLive('moderation', { onEvents: refresh, onMissed: refresh });
  const label = [
    t`Review queue`,
    ...(open > 0 ? [plural(open, { one: '# post awaits review', other: '# posts await review' })] : []),
    ...(accounts > 0
      ? [plural(accounts, { one: '# account awaits approval', other: '# accounts await approval' })]
      : []),
  ].join(', ');
  return (
    <IconButton
      size={44}
      aria-label={label}
      title={label}
      renderRoot={(props) => (
        <Link href={open === 0 && accounts > 0 ? paths.applications : paths.moderation} {...props} />
      )}
    >
      <IconShield size={20} stroke={1.6} aria-hidden />
      {/* Not as text: the name of the link has two counts and not their sum, and must contain its visible text. */}
      {total > 0 && <span className={classes.count} data-count={total > 99 ? '99+' : total} />}
    </IconButton>
  );
}
