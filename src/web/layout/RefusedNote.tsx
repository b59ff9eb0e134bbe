import { t } from '@lingui/core/macro';
import { Link, useLocation } from '@tanstack/react-router';
import { useKnownSession } from '#web/platform/session.ts';
import { useWaiting } from '#web/platform/waiting.ts';
import { waitingKinds } from './waiting-kinds.ts';
import classes from './ConnectionBanner.module.css';

/** Tells of a post that was sent while the member looked elsewhere, and was refused; its page says why. */
export function RefusedNote() {
  const member = useKnownSession()?.member ?? null;
  const { pathname } = useLocation();
  const refused = useWaiting(member?.id ?? null)
    .filter((item) => item.refused !== null)
    .map((item) => {
      const kind = waitingKinds.find(({ name }) => name === item.kind);
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
