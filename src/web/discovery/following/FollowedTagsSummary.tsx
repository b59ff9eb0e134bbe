import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import type { FollowedTagsSummary as Summary } from '#shared/discovery/tags.ts';
import { TagLink, tagLinkStyles as tags } from '#web/posts/index.ts';
import classes from './following.module.css';

/** The first followed tags and how many more there are (docs/product.md 10.7). */
export function FollowedTagsSummary({ summary }: { summary: Summary }) {
  if (summary.total === 0) return null;
  const more = summary.total - summary.tags.length;
  return (
    <ul className={`${tags.tags} ${classes.summary}`} aria-label={t`Topics you follow`}>
      {summary.tags.map((tag) => (
        <li key={tag}>
          <TagLink tag={tag} className={tags.tag} />
        </li>
      ))}
      {more > 0 && (
        <li>
          <Link to="/following" search={{ tab: 'topics' }} resetScroll={false} className={classes.more}>
            <Trans>+{more} more</Trans>
          </Link>
        </li>
      )}
    </ul>
  );
}
