import type { PictureSize } from './uploads.ts';

/** The settings that are pictures. */
export const sitePictureNames = ['logo', 'icon'] as const;
export type SitePictureName = (typeof sitePictureNames)[number];

/** A value of these settings: 22 characters of the hash, and the size in pixels. */
export const sitePicturePattern = /^[\w-]{22}-[1-9]\d{0,3}x[1-9]\d{0,3}$/u;

/** The most that a logo has in pixels: twice what the top bar shows. */
const largestLogo: PictureSize = { width: 480, height: 96 };

/** The size in which a logo is stored: never larger than the picture. */
export function getLogoSize({ width, height }: PictureSize): PictureSize {
  const scale = Math.min(1, largestLogo.width / width, largestLogo.height / height);
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

/**
 * The files of an icon with their widths in pixels. `isOpaque`: the system shows transparent parts in black.
 * `isMaskable`: the system cuts off up to a fifth on each side (Web App Manifest, purpose `maskable`).
 */
export const iconFiles = [
  { file: 'favicon.png', width: 64, isOpaque: false, isMaskable: false },
  { file: 'apple-touch-icon.png', width: 180, isOpaque: true, isMaskable: false },
  { file: 'icon-192.png', width: 192, isOpaque: false, isMaskable: false },
  { file: 'icon-512.png', width: 512, isOpaque: false, isMaskable: false },
  { file: 'maskable-192.png', width: 192, isOpaque: true, isMaskable: true },
  { file: 'maskable-512.png', width: 512, isOpaque: true, isMaskable: true },
] as const;

export const logoFile = 'logo.webp';
/** For emails: not all mail programs show WebP. */
export const emailLogoFile = 'logo.png';
export type SitePictureFile = typeof logoFile | typeof emailLogoFile | (typeof iconFiles)[number]['file'];

export const getSitePicturePath = (picture: string, file: SitePictureFile) => `/branding/${picture}/${file}`;
