import { t } from '@lingui/core/macro';
import { useConnection } from '#web/platform/connection.ts';
import { changesWait } from '#web/platform/waiting.ts';
import { useWaitingCount } from './useWaitingCount.ts';
import { RefusedNote } from './RefusedNote.tsx';
import classes from './ConnectionBanner.module.css';

/**
 * Tells that what is on the page may be old, and what waits to be sent; goes by itself when the server answers again
 * and has all of it.
 */
export function ConnectionBanner() {
  const connection = useConnection();
  const count = useWaitingCount();
  return (
    <div className={classes.place}>
      <output className={classes.output}>
        {connection === 'offline' && (
          <span className={classes.banner}>
            {t`You are offline. What you see may be old.`}
            {count > 0 && ` ${changesWait(count)}`}
          </span>
        )}
        {connection === 'restarting' && (
          <span className={classes.banner}>
            {t`The server is restarting. This page carries on by itself in a moment.`}
            {count > 0 && ` ${changesWait(count)}`}
          </span>
        )}
        {connection === 'online' && count > 0 && (
          <span className={`${classes.banner} ${classes.sending}`}>{changesWait(count)}</span>
        )}
      </output>
      <RefusedNote />
    </div>
  );
}
