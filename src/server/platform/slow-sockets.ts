import type { Server } from 'socket.io';
import { packetsOf, webSocketOf } from './fan-out.ts';

/** Bytes that may wait for one socket: more than a busy page hears in a minute. */
const mostWaiting = 256 * 1024;

const interval = 1_000;

/**
 * Cuts off the sockets that do not take what they are sent, such as a phone without a network, before it costs memory.
 * Their browsers come back and hear what they missed.
 */
export function closeSlow(io: Pick<Server, 'sockets'>): NodeJS.Timeout {
  return setInterval(() => {
    for (const { conn } of io.sockets.sockets.values()) {
      const socket = webSocketOf(conn.transport);
      // The end of the connection closes the Socket.IO socket as well. A proper goodbye would wait in the same line.
      if (socket !== undefined && socket.bufferedAmount + queued(conn) > mostWaiting) socket.terminate();
    }
  }, interval);
}

function queued(connection: object): number {
  return packetsOf(connection).reduce(
    (bytes, { data }) => bytes + (typeof data === 'string' ? data.length : 0),
    0,
  );
}
