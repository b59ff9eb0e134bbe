import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { TagLink } from './TopicLink.tsx';
import classes from './TagLinks.module.css';

/** The tags of a question; each leads to its topic. @param max how many to show before '+N more'. */
export function TagLinks({ tags, max = tags.length }: { tags: readonly string[]; max?: number }) {
  if (tags.length === 0) return null;
  const hiddenCount = tags.length - max;
  return (
    <ul className={classes.tags} aria-label={t`Tags`}>
      {tags.slice(0, max).map((tag) => (
        <li key={tag}>
          <TagLink tag={tag} className={classes.tag} />
        </li>
      ))}
      {hiddenCount > 0 && (
        <li className={classes.more} title={tags.slice(max).join(', ')}>
          <Trans>+{hiddenCount} more</Trans>
        </li>
      )}
    </ul>
  );
}
