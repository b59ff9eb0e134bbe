import net from 'node:net';
import pg from 'pg';

/** Creates sockets that can be destroyed immediately, even if the other end does not respond. */
export function trackSockets() {
  const open = new Set<net.Socket>();
  return {
    /** For the option `stream` of pg, which creates the socket of each connection. */
    stream: () => {
      const socket = new net.Socket();
      open.add(socket);
      socket.once('close', () => open.delete(socket));
      return socket;
    },
    /** Running queries fail as if the server were gone. */
    destroy: () => {
      for (const socket of open) socket.destroy();
    },
  };
}

/**
 * A separate connection for short status queries, one at a time. It is opened on demand and closed when a query fails
 * or takes longer than `timeoutMs`. `onEnd` is called when an open connection has ended.
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
    const opened = { client, end: sockets.destroy };
    // A connection that opens after `stop` would prevent the process from exiting.
    if (stopped) opened.end();
    client.on('end', () => {
      if (current === opened) current = undefined;
      onEnd();
    });
    return opened;
  }
}

type ProbeOptions = { connection: pg.ClientConfig; timeoutMs: number; onEnd?: () => void };
