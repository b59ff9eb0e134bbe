import pg from 'pg';
import type { Logger } from 'pino';

/** How long to wait for a lost connection to be made anew, in milliseconds. */
const retryAfterMs = 1_000;

/**
 * Listens to channels of NOTIFY on a connection of its own; a lost one is made anew. `heard` is also called, with an
 * undefined payload, when listening begins: what came before may have been missed.
 */
export function listenToChannels(options: {
  connection: pg.ClientConfig;
  channels: readonly string[];
  heard: (channel: string, payload: string | undefined) => void;
  log: Logger;
}): { stop: () => Promise<void> } {
  const { connection, channels, heard: onNotification, log } = options;
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
    const next = new pg.Client({ ...connection, application_name: 'parley events', keepAlive: true });
    client = next;
    let lost = false;
    const again = () => {
      if (lost || stopped) return;
      lost = true;
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
      log.debug({ err: error }, 'cannot listen to the database yet');
      again();
    }
  }
}
