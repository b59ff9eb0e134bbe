import type { PictureSize } from './uploads.ts';

/** The widths of the files of an avatar, which is a square. */
const avatarWidths = [64, 256] as const;

export const avatarSizes: readonly PictureSize[] = avatarWidths.map((width) => ({ width, height: width }));

/** The path of an avatar by its name, in one of its two widths. As of other uploads (uploads.ts). */
export const getAvatarPath = (name: string, width: (typeof avatarWidths)[number]) =>
  `/uploads/${name}/${width}x${width}.webp`;
