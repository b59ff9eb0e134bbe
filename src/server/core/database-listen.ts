import pg from 'pg';
import type { Logger } from 'pino';
import { keepAlive } from './database.ts';

/** Begins the name of the connection on which a node listens for events; its version and its name follow. */
export const nodeApplicationPrefix = 'parley node ';

/** The timeout of opening a connection, in milliseconds. */
const connectTimeoutMs = 5_000;

/** Milliseconds before a lost connection is reopened. */
const retryAfterMs = 1_000;

/**
 * Listens to NOTIFY channels on a separate connection and reconnects when it is lost. `onMessage` is also called with an
 * undefined payload each time listening starts, because earlier notifications may have been missed.
 */
export function listenToChannels(options: {
  connection: pg.ClientConfig;
  /** The name of the connection. PostgreSQL truncates it to 63 bytes. */
  application?: string;
  channels: readonly string[];
  onMessage: (channel: string, payload: string | undefined) => void;
  log: Logger;
}): { stop: () => Promise<void> } {
  const { connection, application = 'parley events', channels, onMessage: onNotification, log } = options;
  let client: pg.Client | undefined;
  let stopped = false;
  let retry: NodeJS.Timeout | undefined;
  void connect();
  return {
    async stop() {
      stopped = true;
      clearTimeout(retry);
      await client?.end().catch(() => {});
    },
  };

  async function connect(): Promise<void> {
    const next = new pg.Client({
      ...connection,
      ...keepAlive,
      application_name: application,
      connectionTimeoutMillis: connectTimeoutMs,
    });
    client = next;
    let lost = false;
    const again = () => {
      if (lost || stopped) return;
      lost = true;
      // It is still open if only LISTEN failed, as on a standby.
      void next.end().catch(() => {});
      retry = setTimeout(() => void connect(), retryAfterMs);
    };
    next.on('error', again);
    next.on('end', again);
    next.on('notification', ({ channel, payload }) => onNotification(channel, payload ?? ''));
    try {
      await next.connect();
      await next.query(channels.map((channel) => `listen ${pg.escapeIdentifier(channel)}`).join('; '));
      for (const channel of channels) onNotification(channel, undefined);
    } catch (error) {
      log.debug({ err: error }, 'cannot listen to database notifications yet');
      again();
    }
  }
}
