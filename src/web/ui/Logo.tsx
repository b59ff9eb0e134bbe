import { getSitePicturePath, logoFile } from '#shared/core/site-pictures.ts';
import { useCachedSession } from '#web/core/session.ts';

/** The logo of the site, or two speech bubbles that meet. `size`: its height in pixels. */
export function Logo({ size = 28 }: { size?: number }) {
  const logo = useCachedSession()?.logo;
  if (logo)
    return (
      <img
        src={getSitePicturePath(logo, logoFile)}
        alt=""
        height={size}
        style={{ maxInlineSize: 'min(6rem, 22vmin)', objectFit: 'contain' }}
      />
    );
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <path fill="var(--accent)" d="M16 16H9a7 7 0 1 1 7-7z" />
      <path fill="var(--amber-fill)" d="M16 16h7a7 7 0 1 1-7 7z" />
    </svg>
  );
}
