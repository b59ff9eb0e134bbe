import type { Server } from 'socket.io';
import { getQueuedPackets, getWebSocket } from './live-fan-out.ts';

/** Bytes that may wait for one socket: more than a busy page hears in a minute. */
const maxQueuedBytes = 256 * 1024;

const intervalMs = 1_000;

/**
 * Cuts off the sockets that do not take what they are sent, such as a phone without a network, before it costs memory.
 * Their browsers come back and hear what they missed.
 */
export function closeSlowSockets(io: Pick<Server, 'sockets'>): NodeJS.Timeout {
  return setInterval(() => {
    for (const { conn } of io.sockets.sockets.values()) {
      const socket = getWebSocket(conn.transport);
      // The end of the connection closes the Socket.IO socket as well. A proper goodbye would wait in the same line.
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
