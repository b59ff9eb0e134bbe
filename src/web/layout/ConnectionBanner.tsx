import { useConnection } from '#web/platform/connection.ts';
import classes from './ConnectionBanner.module.css';

/** Tells that what is on the page may be old; goes by itself when the server answers again. */
export function ConnectionBanner() {
  const connection = useConnection();
  return (
    <output className={classes.place}>
      {connection === 'offline' && (
        <span className={classes.banner}>You are offline. What you see may be old.</span>
      )}
      {connection === 'restarting' && (
        <span className={classes.banner}>
          The server is restarting. This page carries on by itself in a moment.
        </span>
      )}
    </output>
  );
}
