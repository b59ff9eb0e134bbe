import { t } from '@lingui/core/macro';
import { Suspense } from 'react';
import { pendingStepErrors } from '#shared/identity/accounts.ts';
import { formatDateTime } from '#web/core/format.ts';
import { lazyComponent } from '#web/core/lazy.ts';
import { translateError } from '#web/core/errors.ts';
import { paths } from '#web/core/paths.ts';
import { Link } from '#web/ui/Link.tsx';
import { useMember } from '#web/core/session.ts';
import classes from './moderation.module.css';

const ModeratorMessagesDialog = lazyComponent(() => import('./ModeratorMessagesDialog.tsx'));

/** Shown above every page: the suspension and the unread messages of the moderators. */
export default function AccountStatusBanner() {
  const member = useMember();
  if (member === null) return null;
  const { suspended } = member;
  return (
    <>
      {suspended !== null && (
        <output className={`${classes.note} ${classes.suspended}`} dir="auto">
          {t`Your account is suspended until ${formatDateTime(suspended.until)}. You can read but not post. Reason: ${suspended.reason}`}{' '}
          <Link href={paths.removedPosts}>{t`Your removed posts`}</Link>
        </output>
      )}
      {member.pendingStep != null && (
        <output className={`${classes.note} ${classes.suspended}`}>
          {translateError(pendingStepErrors[member.pendingStep])}
        </output>
      )}
      {member.unreadModeratorMessages > 0 && (
        <Suspense>
          <ModeratorMessagesDialog />
        </Suspense>
      )}
    </>
  );
}
