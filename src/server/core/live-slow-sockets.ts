import type { Server } from 'socket.io';
import { getQueuedPackets, getWebSocket } from './live-fan-out.ts';

/** The maximum number of queued bytes per socket: more than a busy page receives in a minute. */
const maxQueuedBytes = 256 * 1024;

const intervalMs = 1_000;

/**
 * Closes sockets that do not read, such as a phone without a network, before their queues use much memory. Their
 * browsers reconnect and catch up.
 */
export function closeSlowSockets(io: Pick<Server, 'sockets'>): NodeJS.Timeout {
  return setInterval(() => {
    for (const { conn } of io.sockets.sockets.values()) {
      const socket = getWebSocket(conn.transport);
      // Closing the connection also closes the Socket.IO socket. A close packet would wait in the same queue.
      if (socket !== undefined && socket.bufferedAmount + countQueuedBytes(conn) > maxQueuedBytes)
        socket.terminate();
    }
  }, intervalMs);
}

function countQueuedBytes(connection: object): number {
  return getQueuedPackets(connection).reduce(
    (bytes, { data }) => bytes + (typeof data === 'string' ? data.length : 0),
    0,
  );
}
