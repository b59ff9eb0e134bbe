import zlib from 'node:zlib';
import { LRUCache } from 'lru-cache';

/** A compressed prefix that can be combined with different ends. */
export type DeflatedPrefix = { deflated: Buffer; crc: number; length: number };

/** This level saves half as many bytes as the best one, in a quarter of its time. */
const level = 4;

/** Returns a buffer that can be stored. */
export function gzipBytes(bytes: Buffer): Buffer {
  return copyToOwnBuffer(zlib.gzipSync(bytes, { level }));
}

export function deflatePrefix(bytes: Buffer): DeflatedPrefix {
  // Ends at a byte boundary, without marking the last block.
  const deflated = copyToOwnBuffer(
    zlib.deflateRawSync(bytes, { level, finishFlush: zlib.constants.Z_SYNC_FLUSH }),
  );
  return { deflated, crc: zlib.crc32(bytes), length: bytes.length };
}

/** The maximum number of uncompressed bytes in the cache, for requests that do not accept gzip. */
export const maxInflatedBytes = 16 * 1_024 * 1_024;

/** Behind a proxy that requests everything uncompressed, inflating would be most of the cost of a cached page. */
const inflated = new LRUCache<DeflatedPrefix, Buffer>({
  maxSize: maxInflatedBytes,
  sizeCalculation: ({ length }) => Math.max(1, length),
});

/** The uncompressed prefix. Do not modify it: other requests share the buffer. */
export function inflatePrefix(beginning: DeflatedPrefix): Buffer {
  const known = inflated.get(beginning);
  if (known !== undefined) return known;
  const bytes = copyToOwnBuffer(
    zlib.inflateRawSync(beginning.deflated, { finishFlush: zlib.constants.Z_SYNC_FLUSH }),
  );
  inflated.set(beginning, bytes);
  return bytes;
}

/** The header of a gzip member without name and time (RFC 1952, section 2.3). */
const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);

/** The maximum length of a stored block (RFC 1951, section 3.2.4). */
const maxStoredBlockBytes = 65_535;

/**
 * Builds one gzip member from a compressed prefix and an end in a stored block.
 * @param end up to 65,535 bytes
 */
export function gzipWithPrefix({ deflated, crc, length }: DeflatedPrefix, end: Buffer): Buffer {
  if (end.length > maxStoredBlockBytes) throw new Error('the end is too long to be stored in one block');
  const whole = Buffer.allocUnsafe(header.length + deflated.length + 5 + end.length + 8);
  let at = header.copy(whole);
  at += deflated.copy(whole, at);
  at = whole.writeUInt8(1, at);
  at = whole.writeUInt16LE(end.length, at);
  at = whole.writeUInt16LE(~end.length & 0xffff, at);
  at += end.copy(whole, at);
  at = whole.writeUInt32LE(end.length === 0 ? crc : zlib.crc32(end, crc), at);
  whole.writeUInt32LE(length + end.length, at);
  return whole;
}

/**
 * Copies bytes to a buffer of their own. Buffers of zlib are parts of 16 KB blocks, and short ones of Buffer.from share
 * a pool: a stored slice would keep the whole block in memory.
 */
export function copyToOwnBuffer(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}
