import { t } from '@lingui/core/macro';
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useId, useState } from 'react';
import type { FollowedTagsSummary } from '#shared/discovery/tags.ts';
import { TagCard, TagGrid } from '#web/discovery/tags/TagCard.tsx';
import classes from './following.module.css';

/** For members who follow no topic yet; each can be followed here. The first ones stay while the page is open. */
export function SuggestedTags(props: { topics: FollowedTagsSummary['suggested']; onFollow: () => void }) {
  const { onFollow } = props;
  const headingId = useId();
  const [topics] = useState(props.topics);
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
        {t`Follow a topic, and its questions come to you.`}
      </p>
      <TagGrid>
        {topics.map(({ name, description }) => (
          <TagCard
            key={name}
            topic={{ name, description, following: followed.has(name) }}
            onFollow={(following) => change(name, following)}
          />
        ))}
      </TagGrid>
      <Button variant="default" renderRoot={(props) => <Link to="/topics" {...props} />}>
        {t`Explore Topics`}
      </Button>
    </section>
  );
}
