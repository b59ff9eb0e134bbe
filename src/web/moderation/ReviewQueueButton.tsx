import { plural, t } from '@lingui/core/macro';
import { ActionIcon } from '@mantine/core';
import { IconShield } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useLive } from '#web/core/live.ts';
import { paths } from '#web/core/paths.ts';
import classes from './moderation.module.css';
import { moderationKeys, reviewCountsQuery } from './moderation.ts';

/** The link to the review queue in the top bar, with the number of posts that wait. */
export default function ReviewQueueButton() {
  const client = useQueryClient();
  const open = useQuery(reviewCountsQuery).data?.open ?? 0;
  const refresh = () => void client.invalidateQueries({ queryKey: moderationKeys.counts });
  useLive('moderation', { onEvents: refresh, onMissed: refresh });
  const waiting = plural(open, { one: '# post waits for review', other: '# posts wait for review' });
  const label = open === 0 ? t`Review queue` : t`Review queue, ${waiting}`;
  return (
    <ActionIcon
      size={44}
      aria-label={label}
      title={label}
      renderRoot={(props) => <Link to={paths.moderation} {...props} />}
    >
      <IconShield size={20} stroke={1.6} aria-hidden />
      {open > 0 && (
        <span className={classes.count} aria-hidden="true">
          {open > 99 ? '99+' : open}
        </span>
      )}
    </ActionIcon>
  );
}
