import classes from './Avatar.module.css';

/**
 * The initial of a member on a color derived from the id. Decorative: the name is next to it.
 * @param id null for an author without an account here.
 */
export function Avatar({ id, name, size = 28 }: { id: number | null; name: string; size?: number }) {
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
    </span>
  );
}

function initialOf(name: string): string {
  const first = new Intl.Segmenter().segment(name.trim())[Symbol.iterator]().next();
  return first.done ? '?' : first.value.segment.toLocaleUpperCase();
}
