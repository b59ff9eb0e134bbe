import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import classes from './TagLinks.module.css';
import type { ReactNode } from 'react';
import { tagPath } from '#web/core/paths.ts';
import { Link } from '#web/ui/Link.tsx';

/**
 * The tags of a question as links to their pages.
 * @param max how many to show before '+N more'.
 */
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

/** A link to the questions with a tag. */
export function TagLink({
  tag,
  className,
  shortcutStop = false,
  children = tag,
}: {
  tag: string;
  className?: string | undefined;
  /** Whether the `j` and `k` shortcuts stop here. */
  shortcutStop?: boolean;
  children?: ReactNode;
}) {
  const props = {
    className,
    dir: 'auto',
    'data-shortcut-stop': shortcutStop || undefined,
    children,
  } as const;
  return <Link href={tagPath(tag)} {...props} />;
}
