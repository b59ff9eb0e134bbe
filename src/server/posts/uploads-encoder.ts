import sharp, { type Sharp } from 'sharp';
import { answerOnce } from '#server/core/picture-process.ts';
import { limits } from '#shared/core/limits.ts';
import { avatarSizes, getPictureSizes, type PictureSize } from '#shared/core/uploads.ts';
import type { EncodeReply, EncodeRequest } from './uploads-encoding.ts';

// The program of the process that decodes one picture and then ends (uploads-encoding.ts starts it). Decoders are
// native code that reads bytes of strangers: this process has no environment, no connection to the database, and limits
// on time and memory.

sharp.cache(false);
sharp.concurrency(1);
// The content of the file decides. Everything else is refused before it is read, such as SVG, PDF, TIFF and HEIC.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: [
    'VipsForeignLoadJpegBuffer',
    'VipsForeignLoadPngBuffer',
    'VipsForeignLoadWebpBuffer',
    'VipsForeignLoadNsgifBuffer',
  ],
});

answerOnce(encode);

async function encode({ bytes, kind }: EncodeRequest): Promise<EncodeReply> {
  const maxPixels = limits.uploadMegapixels * 1_000_000;
  // Of an animation, the first frame. The number of pixels is checked below.
  const image = sharp(bytes, { limitInputPixels: false, failOn: 'error', autoOrient: true });
  let size: PictureSize;
  try {
    ({ autoOrient: size } = await image.metadata());
  } catch {
    return { error: 'upload-not-picture' };
  }
  if (size.width * size.height > maxPixels) return { error: 'upload-too-many-pixels' };
  if (kind === 'avatar') cropToSquare(image, size);
  const sizes = kind === 'avatar' ? avatarSizes : getPictureSizes(size);
  const full = sizes.at(-1) ?? size;
  try {
    // Decoded once. What is not a pixel (location, camera, comments, anything appended to the file) is lost here.
    const { data, info } = await image
      .resize({ ...full, fit: 'fill' })
      .toColourspace('srgb')
      .raw()
      .toBuffer({ resolveWithObject: true });
    const { width, height, channels } = info;
    const files = [];
    for (const each of sizes) {
      const pixels = sharp(data, { raw: { width, height, channels } });
      const content = await pixels
        .resize({ ...each, fit: 'fill' })
        .webp({ quality: 82, smartSubsample: true, effort: 2 })
        .toBuffer();
      files.push({ ...each, content });
    }
    return { files };
  } catch {
    return { error: 'upload-damaged' };
  }
}

/** An avatar has no transparent parts, because it is shown on backgrounds of both themes. */
function cropToSquare(image: Sharp, { width, height }: PictureSize): void {
  const side = Math.min(width, height);
  const [left, top] = [Math.floor((width - side) / 2), Math.floor((height - side) / 2)];
  image.extract({ left, top, width: side, height: side }).flatten({ background: '#fff' });
}
