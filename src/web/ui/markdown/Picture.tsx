import { t } from '@lingui/core/macro';
import { getPictureSizes, getUploadPath, type UploadFile } from '#shared/core/uploads.ts';
import classes from './Markdown.module.css';

/** The width of a text, and the height that fits a screen, in CSS pixels. */
const maxWidth = 720;
const maxHeight = 640;

/**
 * A picture that was uploaded to this site. Its address has its size, so nothing moves when it is loaded. Opens the
 * largest file, unless it is in a link.
 */
export function Picture({
  file,
  alt = '',
  inLink,
}: {
  file: UploadFile;
  alt?: string | undefined;
  inLink: boolean;
}) {
  const { name, width, height } = file;
  const scale = Math.min(1, maxHeight / height);
  const shown = { width: Math.max(1, Math.round(width * scale)), height: Math.round(height * scale) };
  const picture = (
    <img
      src={getUploadPath(file)}
      srcSet={getPictureSizes({ width, height })
        .map((size) => `${getUploadPath({ name, ...size })} ${size.width}w`)
        .join(', ')}
      sizes={`min(100vw, ${Math.min(shown.width, maxWidth)}px)`}
      width={shown.width}
      height={shown.height}
      alt={alt}
      loading="lazy"
      decoding="async"
      className={classes.picture}
    />
  );
  if (inLink) return picture;
  return (
    <a
      href={getUploadPath(file)}
      className={classes.pictureLink}
      aria-label={alt === '' ? t`Image` : undefined}
    >
      {picture}
    </a>
  );
}
