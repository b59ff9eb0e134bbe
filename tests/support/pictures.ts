import { crc32, deflateSync } from 'node:zlib';

let pictures = 0;

/** A small PNG, another one each time. */
export function createPngPicture({ width = 4, height = 3 } = {}): Uint8Array {
  const color = [++pictures % 256, (pictures >> 8) % 256, 90];
  const row = Buffer.from([0, ...Array.from({ length: width }, () => color).flat()]);
  return createPng({
    width,
    height,
    data: deflateSync(Buffer.concat(Array.from({ length: height }, () => row))),
  });
}

/** A PNG with three bytes per pixel, whatever its compressed pixels contain (RFC 2083). */
export function createPng({ width, height, data }: { width: number; height: number; data: Buffer }): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from('\u0089PNG\r\n\u001A\n', 'latin1'),
    createChunk('IHDR', header),
    createChunk('IDAT', data),
    createChunk('IEND', Buffer.alloc(0)),
  ]);
}

function createChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const chunk = Buffer.alloc(body.length + 8);
  chunk.writeUInt32BE(data.length, 0);
  chunk.set(body, 4);
  chunk.writeUInt32BE(crc32(body), body.length + 4);
  return chunk;
}
