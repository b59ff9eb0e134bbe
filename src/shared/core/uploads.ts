/** The size of a picture in pixels. */
export type PictureSize = { width: number; height: number };

/** The formats that can be uploaded. Phones convert others, such as HEIC, for a form with this list. */
export const pictureTypes = 'image/jpeg,image/png,image/webp,image/gif';

/** The widths of the smaller files of a picture. */
const widths = [320, 640, 1280] as const;

/** The largest file of a picture: its width, its height (the most that WebP can have), and its area. */
const largest = { width: 2560, height: 16_383, area: 16_000_000 } as const;

/**
 * The sizes of the files that are stored of a picture, from the smallest to the largest. None is larger than the
 * picture. The address of the largest file names its size, so browser and server derive the others from it.
 */
export function getPictureSizes(picture: PictureSize): PictureSize[] {
  const { width, height } = picture;
  const scale = Math.min(
    1,
    largest.width / width,
    largest.height / height,
    Math.sqrt(largest.area / (width * height)),
  );
  const full = { width: scaled(width, scale), height: scaled(height, scale) };
  // A size just below the largest would save nothing.
  const smaller = widths.filter((each) => each * 1.25 <= full.width);
  return [...smaller.map((each) => ({ width: each, height: scaled(full.height, each / full.width) })), full];
}

const scaled = (length: number, by: number) => Math.max(1, Math.floor(length * by + 0.5));

const fileName = /^\/uploads\/([\w-]{22})\/([1-9]\d{0,4})x([1-9]\d{0,4})\.webp$/;

/** An address of a file of an upload. */
export type UploadFile = PictureSize & { name: string };

export const getUploadPath = ({ name, width, height }: UploadFile) =>
  `/uploads/${name}/${width}x${height}.webp`;

/** Returns null for other paths. */
export function parseUploadPath(path: string): UploadFile | null {
  const [, name, width, height] = fileName.exec(path) ?? [];
  return name === undefined ? null : { name, width: Number(width), height: Number(height) };
}

/** The names of the uploads in a Markdown text. */
export function findUploadNames(text: string): string[] {
  return [...new Set(Array.from(text.matchAll(/\/uploads\/([\w-]{22})\//g), ([, name = '']) => name))];
}
