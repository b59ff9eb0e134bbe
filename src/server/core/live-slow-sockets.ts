import type { Server } from 'socket.io';
import { WebSocket } from 'ws';

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
      // The WebSocket and the queue are private in Engine.IO.
      const socket: unknown = Reflect.get(conn.transport, 'socket');
      // Closing the connection also closes the Socket.IO socket. A close packet would wait in the same queue.
      if (socket instanceof WebSocket && socket.bufferedAmount + countQueuedBytes(conn) > maxQueuedBytes)
        socket.terminate();
    }
  }, intervalMs);
}

/** The bytes of the packets that Engine.IO queues until the last message has been sent. */
function countQueuedBytes(connection: object): number {
  const packets = Reflect.get(connection, 'writeBuffer') as readonly { data?: unknown }[];
  return packets.reduce((bytes, { data }) => bytes + (typeof data === 'string' ? data.length : 0), 0);
}
