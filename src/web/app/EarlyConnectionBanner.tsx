import { t } from '@lingui/core/macro';
import { type ConnectionStatus, useConnectionStatus } from '#web/core/connection.ts';
import classes from './ConnectionBanner.module.css';

/** Why the page may be out of date. */
export const connectionMessages: Record<Exclude<ConnectionStatus, 'online'>, () => string> = {
  offline: () => t`You are offline. What you see may be old.`,
  restarting: () => t`The server is restarting. This page will reconnect automatically.`,
  busy: () => t`The server is very busy. This page will reconnect automatically.`,
};

/** Says that there is no connection, until `ConnectionBanner` is loaded: it may be lost before. */
export function EarlyConnectionBanner() {
  const connection = useConnectionStatus();
  return (
    <div className={classes.container}>
      <output className={classes.output}>
        {connection !== 'online' && (
          <span className={classes.banner}>{connectionMessages[connection]()}</span>
        )}
      </output>
    </div>
  );
}
