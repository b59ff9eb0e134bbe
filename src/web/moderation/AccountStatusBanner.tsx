import { t } from '@lingui/core/macro';
import { Suspense } from 'react';
import { pendingMessages } from '#shared/identity/accounts.ts';
import { formatDateTime } from '#web/core/format.ts';
import { lazyComponent } from '#web/core/lazy.ts';
import { translateServerMessage } from '#web/core/errors.ts';
import { useMember } from '#web/core/session.ts';
import classes from './moderation.module.css';

const ModeratorMessagesDialog = lazyComponent(() => import('./ModeratorMessagesDialog.tsx'));

/** What operators want a member to know, above every page: that they are suspended, and what they have not seen yet. */
export default function AccountStatusBanner() {
  const member = useMember();
  if (member === null) return null;
  const { suspended } = member;
  return (
    <>
      {suspended !== null && (
        <output className={`${classes.note} ${classes.suspended}`} dir="auto">
          {t`You can read but not write until ${formatDateTime(suspended.until)}: ${suspended.reason}`}
        </output>
      )}
      {member.pendingStep != null && (
        <output className={`${classes.note} ${classes.suspended}`}>
          {translateServerMessage(pendingMessages[member.pendingStep])}
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
