import { t } from '@lingui/core/macro';
import { Link, useLocation } from '@tanstack/react-router';
import { useCachedSession } from '#web/platform/session.ts';
import { useOfflineQueue } from '#web/platform/waiting.ts';
import { offlineActionKinds } from './waiting-kinds.ts';
import classes from './ConnectionBanner.module.css';

/** Tells of a post that was sent while the member looked elsewhere, and was refused; its page says why. */
export function RefusedPostBanner() {
  const member = useCachedSession()?.member ?? null;
  const { pathname } = useLocation();
  const refused = useOfflineQueue(member?.id ?? null)
    .filter((item) => item.refusalReason !== null)
    .map((item) => {
      const kind = offlineActionKinds.find(({ name }) => name === item.kind);
      return { item, path: kind?.accepts(item.data) === true ? kind.path(item.data) : null };
    })
    .find(({ path }) => path !== null && path !== pathname);
  if (refused === undefined || refused.path === null) return null;
  return (
    <p role="alert" className={classes.refused}>
      {refused.item.kind === 'answer' ? t`Your answer was not posted.` : t`Your reply was not posted.`}{' '}
      <Link to={refused.path}>{t`Show it`}</Link>
    </p>
  );
}
