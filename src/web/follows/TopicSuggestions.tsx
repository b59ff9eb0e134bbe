import { t } from '@lingui/core/macro';
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { topicDescription } from '#shared/tags.ts';
import { suggestedTopics } from '#shared/topics.ts';
import { TopicCard } from '#web/topics/TopicCard.tsx';
import { TopicGrid } from '#web/topics/TopicGrid.tsx';
import classes from './TopicSuggestions.module.css';

/** For members who follow no topic yet; each can be followed here. */
export function TopicSuggestions({ onFollow }: { onFollow: () => void }) {
  const headingId = useId();
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
      <TopicGrid>
        {suggestedTopics.map((tag) => (
          <TopicCard
            key={tag}
            topic={{ tag, description: topicDescription(tag), following: followed.has(tag) }}
            onFollow={(following) => change(tag, following)}
          />
        ))}
      </TopicGrid>
      <Button variant="default" renderRoot={(props) => <Link to="/topics" {...props} />}>
        {t`Explore Topics`}
      </Button>
    </section>
  );
}
