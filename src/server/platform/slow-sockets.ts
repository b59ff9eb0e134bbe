import type { Server } from 'socket.io';
import { WebSocket } from 'ws';

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
      const socket = underlying(conn.transport);
      // The end of the connection closes the Socket.IO socket as well. A proper goodbye would wait in the same line.
      if (socket !== undefined && socket.bufferedAmount + queued(conn) > mostWaiting) socket.terminate();
    }
  }, interval);
}

/** Engine.IO keeps it to itself. */
function underlying(transport: object): WebSocket | undefined {
  const socket: unknown = Reflect.get(transport, 'socket');
  return socket instanceof WebSocket ? socket : undefined;
}

/** Engine.IO hands over nothing until the last message has left: what waits for a socket that is stuck waits there. */
function queued(connection: object): number {
  const packets: unknown = Reflect.get(connection, 'writeBuffer');
  if (!Array.isArray(packets)) return 0;
  return packets.reduce((bytes: number, packet: { data?: unknown }) => {
    return bytes + (typeof packet.data === 'string' ? packet.data.length : 0);
  }, 0);
}
