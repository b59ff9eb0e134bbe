import net from 'node:net';
import pg from 'pg';

/** Sockets that can be ended at once, also where nobody answers at the other end. */
export function trackSockets() {
  const open = new Set<net.Socket>();
  return {
    /** For pg's option of that name: what each of its connections is made of. */
    stream: () => {
      const socket = new net.Socket();
      open.add(socket);
      socket.once('close', () => open.delete(socket));
      return socket;
    },
    /** Queries that are running fail, as when the server had gone. */
    destroy: () => {
      for (const socket of open) socket.destroy();
    },
  };
}

/**
 * A connection of its own for one short question at a time, made when it is needed and thrown away when a question fails,
 * or takes longer than `timeout` milliseconds. `onEnd` is called when a connection that was made has ended.
 */
export function createProbe({ connection, timeoutMs, onEnd = () => {} }: ProbeOptions) {
  let current: { client: pg.Client; end: () => void } | undefined;
  let stopped = false;

  return {
    async query<Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<Row | undefined> {
      try {
        current ??= await connect();
        const { rows } = await current.client.query<Row>(text, values);
        return rows[0];
      } catch (error) {
        current?.end();
        throw error;
      }
    },
    stop() {
      stopped = true;
      current?.end();
    },
  };

  async function connect() {
    const sockets = trackSockets();
    const client = new pg.Client({
      ...connection,
      application_name: 'parley watch',
      connectionTimeoutMillis: timeoutMs,
      query_timeout: timeoutMs,
      stream: sockets.stream,
    });
    client.on('error', () => {});
    try {
      await client.connect();
    } catch (error) {
      sockets.destroy();
      throw error;
    }
    const made = { client, end: sockets.destroy };
    // A connection that comes up after the end would keep the process from ending.
    if (stopped) made.end();
    client.on('end', () => {
      if (current === made) current = undefined;
      onEnd();
    });
    return made;
  }
}

type ProbeOptions = { connection: pg.ClientConfig; timeoutMs: number; onEnd?: () => void };
