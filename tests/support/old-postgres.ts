import { once } from 'node:events';
import net from 'node:net';

/**
 * Simulates PostgreSQL 14, which is not available here: accepts every login and responds to every query with its major
 * version (PostgreSQL manual, "Message Formats").
 */
export async function startOldPostgres(): Promise<{ port: number; close: () => void }> {
  const server = net.createServer((socket) => {
    socket.once('data', () => {
      socket.write(Buffer.concat([message('R', int32(0)), ready]));
      socket.on('data', (data) => {
        if (data.toString('latin1', 0, 1) === 'Q') socket.write(rowResponse('version', '14'));
        else socket.end();
      });
    });
    socket.on('error', () => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    close: () => void server.close(),
  };
}

function message(type: string, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

const ready = message('Z', Buffer.from('I'));
const int4 = 23;

/** A table of one column and one row. */
function rowResponse(name: string, value: string): Buffer {
  const column = [Buffer.from(`${name}\0`), int32(0), int16(0), int32(int4), int16(4), int32(-1), int16(0)];
  const row = [int16(1), int32(value.length), Buffer.from(value)];
  return Buffer.concat([
    message('T', int16(1), ...column),
    message('D', ...row),
    message('C', Buffer.from('SELECT 1\0')),
    ready,
  ]);
}
