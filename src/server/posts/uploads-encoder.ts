import sharp, { type Channels, type Sharp } from 'sharp';
import { answerOnce } from '#server/core/limited-process.ts';
import { neutralColors } from '#shared/core/accent.ts';
import { serverLimits } from '#shared/core/limits.ts';
import { getLogoSize, iconFiles } from '#shared/core/site-pictures.ts';
import { avatarSizes } from '#shared/core/avatars.ts';
import { getPictureSizes, type PictureSize } from '#shared/core/uploads.ts';
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
  const maxPixels = serverLimits.uploadMegapixels * 1_000_000;
  // Of an animation, the first frame. The number of pixels is checked below.
  const image = sharp(bytes, { limitInputPixels: false, failOn: 'error', autoOrient: true });
  let size: PictureSize;
  try {
    ({ autoOrient: size } = await image.metadata());
  } catch {
    return { error: 'upload-not-picture' };
  }
  if (size.width * size.height > maxPixels) return { error: 'upload-too-many-pixels' };
  if (kind === 'avatar' || kind === 'icon') cropToSquare(image, size);
  // An avatar has no transparent parts, because it is shown on backgrounds of both themes.
  if (kind === 'avatar') image.flatten({ background: '#fff' });
  const sizes = getSizes(kind, size);
  const full = sizes.at(-1) ?? size;
  try {
    // Decoded once. What is not a pixel (location, camera, comments, anything appended to the file) is lost here.
    const { data, info } = await image
      .resize({ ...full, fit: 'fill' })
      .toColourspace('srgb')
      .raw()
      .toBuffer({ resolveWithObject: true });
    const { width, height, channels } = info;
    if (kind === 'icon') return { files: await encodeIcon(data, { width, height, channels }) };
    const files = [];
    for (const each of sizes) {
      const pixels = sharp(data, { raw: { width, height, channels } });
      const content = await pixels
        .resize({ ...each, fit: 'fill' })
        .webp({ quality: 82, smartSubsample: true, effort: 2 })
        .toBuffer();
      files.push({ ...each, content });
    }
    if (kind === 'logo') {
      const pixels = sharp(data, { raw: { width, height, channels } });
      files.push({ width, height, content: await pixels.png({ compressionLevel: 9 }).toBuffer() });
    }
    return { files };
  } catch {
    return { error: 'upload-damaged' };
  }
}

function getSizes(kind: EncodeRequest['kind'], size: PictureSize): readonly PictureSize[] {
  if (kind === 'avatar') return avatarSizes;
  if (kind === 'icon') return [{ width: largestIcon, height: largestIcon }];
  return kind === 'logo' ? [getLogoSize(size)] : getPictureSizes(size);
}

const largestIcon = Math.max(...iconFiles.map(({ width }) => width));

/** The background of icons without transparent parts (src/web/app/theme.css). */
const paper = neutralColors.light.paper;

async function encodeIcon(data: Buffer, raw: { width: number; height: number; channels: Channels }) {
  const files = [];
  for (const { width, isOpaque, isMaskable } of iconFiles) {
    // The system may cut a maskable icon to the circle that is four fifths as wide.
    const margin = isMaskable ? Math.round(width * 0.1) : 0;
    const inner = width - 2 * margin;
    const icon = sharp(data, { raw })
      .resize({ width: inner, height: inner })
      .extend({ top: margin, bottom: margin, left: margin, right: margin, background: paper });
    if (isOpaque) icon.flatten({ background: paper });
    files.push({ width, height: width, content: await icon.png({ compressionLevel: 9 }).toBuffer() });
  }
  return files;
}

function cropToSquare(image: Sharp, { width, height }: PictureSize): void {
  const side = Math.min(width, height);
  const [left, top] = [Math.floor((width - side) / 2), Math.floor((height - side) / 2)];
  image.extract({ left, top, width: side, height: side });
}
