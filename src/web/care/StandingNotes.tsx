import { t } from '@lingui/core/macro';
import { Suspense } from 'react';
import { waitingMessages } from '#shared/accounts.ts';
import { exactTime } from '#web/platform/dates.ts';
import { lazyPart } from '#web/platform/lazy-part.ts';
import { said } from '#web/platform/said.ts';
import { useMember } from '#web/platform/session.ts';
import classes from './care.module.css';

const NoticesDialog = lazyPart(() => import('./NoticesDialog.tsx'));

/** What operators want a member to know, above every page: that they are suspended, and what they have not seen yet. */
export default function StandingNotes() {
  const member = useMember();
  if (member === null) return null;
  const { suspended } = member;
  return (
    <>
      {suspended !== null && (
        <output className={`${classes.note} ${classes.suspended}`} dir="auto">
          {t`You can read but not write until ${exactTime(suspended.until)}: ${suspended.reason}`}
        </output>
      )}
      {member.waitsFor != null && (
        <output className={`${classes.note} ${classes.suspended}`}>
          {said(waitingMessages[member.waitsFor])}
        </output>
      )}
      {member.notices > 0 && (
        <Suspense>
          <NoticesDialog />
        </Suspense>
      )}
    </>
  );
}
