import { getAvatarPath } from '#shared/core/avatars.ts';
import classes from './Avatar.module.css';

/**
 * The picture of a member, or the initial on a color derived from the id. Decorative: the name is next to it.
 * @param id null for an author without an account here.
 * @param avatar the name of the picture; null for none
 * @param size in CSS pixels
 */
export function Avatar({
  id,
  name,
  avatar,
  size = 28,
}: {
  id: number | null;
  name: string;
  avatar: string | null;
  size?: number;
}) {
  // The golden angle spreads adjacent ids over the color wheel.
  const hue = id === null ? null : Math.round((id * 137.508) % 360);
  return (
    <span
      className={classes.avatar}
      data-unknown={id === null || undefined}
      aria-hidden="true"
      style={{
        inlineSize: size,
        blockSize: size,
        fontSize: Math.round(size * 0.46),
        ...(hue === null ? {} : { '--hue': hue }),
      }}
    >
      {initialOf(name)}
      {/* Covers the initial, which shows until the picture is loaded, and offline. */}
      {avatar !== null && (
        <img
          src={getAvatarPath(avatar, size > 32 ? 256 : 64)}
          alt=""
          width={size}
          height={size}
          loading="lazy"
          decoding="async"
          className={classes.picture}
        />
      )}
    </span>
  );
}

function initialOf(name: string): string {
  const first = graphemes.segment(name.trim())[Symbol.iterator]().next();
  return first.done ? '?' : first.value.segment.toLocaleUpperCase();
}

const graphemes = new Intl.Segmenter();
