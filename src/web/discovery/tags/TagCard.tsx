import { type ReactNode, useId } from 'react';
import { Count } from '#web/ui/Count.tsx';
import { TagLink } from '#web/posts/index.ts';
import { FollowTagButton } from '#web/engagement/index.ts';
import { translateTagDescription } from './tags.ts';
import classes from './TagCard.module.css';
import { t } from '@lingui/core/macro';
import { LoadingRegion } from '#web/ui/LoadingRegion.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';

/** A tag in a grid, with its follow button. */
export function TagCard({
  listedTag,
  onFollow,
  children,
}: {
  listedTag: {
    name: string;
    description: string;
    following: boolean;
    questionsCount?: number;
    followersCount?: number;
  };
  /** Called with the chosen state before it is saved, and with the previous state if the server refuses. */
  onFollow?: (following: boolean) => void;
  /** More about the tag, shown below. */
  children?: ReactNode;
}) {
  const titleId = useId();
  return (
    <article className={classes.card} aria-labelledby={titleId}>
      <div className={classes.head}>
        <h2 id={titleId} className={classes.tag}>
          <TagLink tag={listedTag.name} shortcutStop />
        </h2>
        <FollowTagButton
          tag={listedTag.name}
          following={listedTag.following}
          describedBy={titleId}
          {...(onFollow && { onChange: onFollow })}
        />
      </div>
      <p className={classes.description} dir="auto">
        {translateTagDescription(listedTag)}
      </p>
      {listedTag.questionsCount !== undefined && (
        <p className={classes.counts}>
          <Count of={listedTag.questionsCount} singular="question" />
          {listedTag.followersCount !== undefined && (
            <Count of={listedTag.followersCount} singular="follower" />
          )}
        </p>
      )}
      {children}
    </article>
  );
}

const widths = ['6rem', '4.5rem', '8rem', '5rem', '7rem', '6.5rem', '4rem', '5.5rem'];

/** The placeholder of a grid of tags. */
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

/** Tags in columns where there is space. */
export function TagGrid({ children, faded = false }: { children: ReactNode; faded?: boolean }) {
  return (
    <div className={classes.grid} aria-busy={faded} data-faded={faded || undefined}>
      {children}
    </div>
  );
}
