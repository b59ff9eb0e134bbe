import { paths } from '#web/platform/paths.ts';
import { PathLink } from './PathLink.tsx';
import classes from './TagLinks.module.css';

/** The tags of a question; each leads to the questions with it. @param max how many to show before '+N more'. */
export function TagLinks({ tags, max = tags.length }: { tags: readonly string[]; max?: number }) {
  if (tags.length === 0) return null;
  const more = tags.length - max;
  return (
    <ul className={classes.tags} aria-label="Tags">
      {tags.slice(0, max).map((tag) => (
        <li key={tag}>
          <PathLink
            href={`${paths.search}?${new URLSearchParams({ q: tag }).toString()}`}
            className={classes.tag}
            dir="auto"
          >
            {tag}
          </PathLink>
        </li>
      ))}
      {more > 0 && (
        <li className={classes.more} title={tags.slice(max).join(', ')}>
          +{more} more
        </li>
      )}
    </ul>
  );
}
