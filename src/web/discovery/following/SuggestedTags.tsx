import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { Link } from '#web/ui/Link.tsx';
import { useId, useState } from 'react';
import type { FollowedTagsSummary } from '#shared/discovery/tags.ts';
import { TagCard, TagGrid } from '#web/discovery/tags/TagCard.tsx';
import classes from './following.module.css';

/**
 * Suggestions for members who follow no tag yet, each with a follow button. The first ones stay while the page is open.
 */
export function SuggestedTags(props: { tags: FollowedTagsSummary['suggested']; onFollow: () => void }) {
  const { onFollow } = props;
  const headingId = useId();
  const [tagNames] = useState(props.tags);
  const [followed, setFollowed] = useState<ReadonlySet<string>>(new Set());

  function change(tag: string, following: boolean) {
    setFollowed((before) => {
      const after = new Set(before);
      if (following) after.add(tag);
      else after.delete(tag);
      return after;
    });
    if (following) onFollow();
  }

  return (
    <section aria-labelledby={headingId} className={classes.suggestions}>
      <p id={headingId} className={classes.heading}>
        {t`Follow topics to see their questions here.`}
      </p>
      <TagGrid>
        {tagNames.map(({ name, description }) => (
          <TagCard
            key={name}
            listedTag={{ name, description, following: followed.has(name) }}
            onFollow={(following) => change(name, following)}
          />
        ))}
      </TagGrid>
      <Button variant="default" renderRoot={(props) => <Link href="/topics" {...props} />}>
        {t`Explore Topics`}
      </Button>
    </section>
  );
}
