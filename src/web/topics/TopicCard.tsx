import { useId, type ReactNode } from 'react';
import { Count } from '#web/ui/Count.tsx';
import { TagLink } from '#web/ui/TopicLink.tsx';
import { FollowTagButton } from '#web/follows/FollowTopicButton.tsx';
import { translateTagDescription } from './description.ts';
import classes from './TopicCard.module.css';

/** A topic in a grid, with the button to follow it. */
export function TagCard({
  topic,
  onFollow,
  children,
}: {
  topic: {
    name: string;
    description: string;
    following: boolean;
    questionsCount?: number;
    followersCount?: number;
  };
  /** Called with what the member wants, before it is saved, and with what was before when it is refused. */
  onFollow?: (following: boolean) => void;
  /** More about the topic, below. */
  children?: ReactNode;
}) {
  const titleId = useId();
  return (
    <article className={classes.card} aria-labelledby={titleId}>
      <div className={classes.head}>
        <h2 id={titleId} className={classes.tag}>
          <TagLink tag={topic.name} shortcutStop />
        </h2>
        <FollowTagButton
          tag={topic.name}
          following={topic.following}
          describedBy={titleId}
          {...(onFollow && { onChange: onFollow })}
        />
      </div>
      <p className={classes.description} dir="auto">
        {translateTagDescription(topic)}
      </p>
      {topic.questionsCount !== undefined && (
        <p className={classes.counts}>
          <Count of={topic.questionsCount} singular="question" />
          {topic.followersCount !== undefined && <Count of={topic.followersCount} singular="follower" />}
        </p>
      )}
      {children}
    </article>
  );
}
