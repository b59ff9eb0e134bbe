import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import type { EncodeReply } from '#server/posts/uploads-encoding.ts';
import { createPng } from '#tests/support/pictures.ts';
import { answerHelp } from './usage.ts';

answerHelp(`bench/hostile-pictures.ts

Sends pictures that are as expensive as possible to the process that decodes uploads. Prints its answer, its time (with
its start), and the largest memory it used.`);

const noise = (width: number, height: number) =>
  sharp({
    create: {
      width,
      height,
      channels: 3,
      background: '#888',
      noise: { type: 'gaussian', mean: 128, sigma: 40 },
    },
  });
const flat = (width: number, height: number, channels: 3 | 4 = 3) =>
  sharp({ create: { width, height, channels, background: '#c84' }, limitInputPixels: false });

const files: Record<string, () => Promise<Buffer> | Buffer> = {
  'photo of 12 megapixels (JPEG)': () => noise(4000, 3000).blur(2).jpeg().toBuffer(),
  'photo of 50 megapixels (JPEG)': () => noise(8160, 6120).blur(2).jpeg({ quality: 60 }).toBuffer(),
  'the same, progressive and turned': () =>
    noise(8160, 6120)
      .blur(2)
      .withMetadata({ orientation: 6 })
      .jpeg({ quality: 60, progressive: true })
      .toBuffer(),
  '50 megapixels of one colour (PNG of 150 kB)': () => flat(7000, 7000).png().toBuffer(),
  'the same, interlaced with 16 bits and alpha': () =>
    flat(7000, 7000, 4).toColourspace('rgb16').png({ progressive: true }).toBuffer(),
  '50 megapixels (WebP, lossless)': () => flat(7000, 7000).webp({ lossless: true, effort: 0 }).toBuffer(),
  'screenshot of 1080 × 46,000': () => flat(1080, 46_000).png().toBuffer(),
  'PNG that claims 60,000 × 60,000 pixels': () =>
    createPng({ width: 60_000, height: 60_000, data: deflateSync(Buffer.alloc(1000)) }),
  'PNG with 1 GB of zeros behind its pixels': () =>
    createPng({ width: 100, height: 100, data: deflateSync(Buffer.alloc(1_000_000_000), { level: 9 }) }),
  'GIF with 20,000 frames': () => createGif(20_000),
  'JPEG, truncated': async () => (await noise(3000, 2000).jpeg().toBuffer()).subarray(0, 500_000),
  'random bytes': () => Buffer.alloc(1_000_000, 'q8#'),
};

/** A GIF of one pixel with many frames (GIF89a). */
function createGif(frames: number): Buffer {
  const header = Buffer.from('47494638396101000100800000ff0000ffffff', 'hex');
  const frame = Buffer.from('21f90400010000002c0000000001000100000202440100', 'hex');
  return Buffer.concat([header, ...Array.from({ length: frames }, () => frame), Buffer.from(';')]);
}

for (const [name, create] of Object.entries(files)) {
  const bytes = await create();
  const start = performance.now();
  const encoder = fork(new URL('../src/server/posts/uploads-encoder.ts', import.meta.url), {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [],
    env: {},
  });
  let reply: EncodeReply | undefined;
  encoder.on('message', (message: EncodeReply) => (reply = message));
  encoder.send({ message: { bytes, kind: 'picture' }, maxMemory: 512 * 1024 * 1024 }, () => {});
  let peak = 0;
  const watch = setInterval(() => {
    // Linux only: the process may have ended.
    try {
      const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${encoder.pid}/status`, 'utf8')) ?? [];
      peak = Math.max(peak, Number(kilobytes ?? 0) / 1024);
    } catch {}
  }, 5);
  await once(encoder, 'close');
  clearInterval(watch);
  const seconds = ((performance.now() - start) / 1000).toFixed(2);
  const result =
    reply === undefined
      ? 'ended without a reply'
      : 'error' in reply
        ? reply.error
        : reply.files.map(({ width, height, content }) => `${width}x${height} ${content.length}`).join(', ');
  console.log(`${name}: ${bytes.length} bytes, ${seconds} s, ${peak.toFixed(0)} MiB: ${result}`);
}
