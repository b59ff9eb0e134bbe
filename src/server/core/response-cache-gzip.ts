import zlib from 'node:zlib';
import { LRUCache } from 'lru-cache';

/** The beginning of bytes, compressed once, so that each of many ends can follow it. */
export type DeflatedPrefix = { deflated: Buffer; crc: number; length: number };

/** Half of what the best level takes off costs a quarter of its time. */
const level = 4;

/** Fit to be kept. */
export function gzipBytes(bytes: Buffer): Buffer {
  return copyToOwnBuffer(zlib.gzipSync(bytes, { level }));
}

export function deflatePrefix(bytes: Buffer): DeflatedPrefix {
  // Up to the end of a byte, and not the last block.
  const deflated = copyToOwnBuffer(
    zlib.deflateRawSync(bytes, { level, finishFlush: zlib.constants.Z_SYNC_FLUSH }),
  );
  return { deflated, crc: zlib.crc32(bytes), length: bytes.length };
}

/** Bytes that are kept uncompressed, for requests that accept no gzip. */
export const maxInflatedBytes = 16 * 1_024 * 1_024;

/** Where a proxy asks for everything uncompressed, inflating takes most of the time that a page from memory costs. */
const inflated = new LRUCache<DeflatedPrefix, Buffer>({
  maxSize: maxInflatedBytes,
  sizeCalculation: ({ length }) => Math.max(1, length),
});

/** The bytes of a beginning; not to be changed, since other requests get the same. */
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

/** The longest block that is stored as it is (RFC 1951, section 3.2.4). */
const maxStoredBlockBytes = 65_535;

/** One gzip member: the beginning, and the end as it is in a last block. @param end up to 65,535 bytes. */
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
 * The same bytes in memory of their own. Those of zlib lie in a block of 16 KB, and short ones of Buffer.from in one that
 * many share: whoever keeps a few of them keeps all of it.
 */
export function copyToOwnBuffer(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}
