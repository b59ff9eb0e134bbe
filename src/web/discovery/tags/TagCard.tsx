import { type ReactNode, useId } from 'react';
import { Count } from '#web/ui/Count.tsx';
import { TagLink } from '#web/posts/TagLinks.tsx';
import { FollowTagButton } from '#web/engagement/FollowTagButton.tsx';
import { translateTagDescription } from './tags.ts';
import classes from './TagCard.module.css';
import { t } from '@lingui/core/macro';
import { LoadingRegion } from '#web/ui/LoadingRegion.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';

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

const widths = ['6rem', '4.5rem', '8rem', '5rem', '7rem', '6.5rem', '4rem', '5.5rem'];

/** A grid of topics on its way. */
export function TagSkeletons() {
  return (
    <LoadingRegion label={t`Loading topics`}>
      <TagGrid>
        {widths.map((width) => (
          <span key={width} className={classes.card} style={{ gap: '0.75rem' }}>
            <Skeleton width={width} height="1.5rem" />
            <Skeleton width="90%" />
            <Skeleton width="9rem" height="0.875rem" />
          </span>
        ))}
      </TagGrid>
    </LoadingRegion>
  );
}

/** Topics side by side where there is room. */
export function TagGrid({ children, faded = false }: { children: ReactNode; faded?: boolean }) {
  return (
    <div className={classes.grid} aria-busy={faded} data-faded={faded || undefined}>
      {children}
    </div>
  );
}
