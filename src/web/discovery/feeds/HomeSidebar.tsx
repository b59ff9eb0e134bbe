import { t } from '@lingui/core/macro';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import type { Feed } from '#shared/discovery/feeds.ts';
import { followedSummaryQuery } from '#web/engagement/follows.ts';
import { useMutedFilter } from '#web/engagement/MutedBanner.tsx';
import { paths } from '#web/core/paths.ts';
import placed from '#web/ui/side-column.module.css';
import { PathLink } from '#web/ui/PathLink.tsx';
import { TagLinks } from '#web/posts/TagLinks.tsx';
import { Time } from '#web/ui/Time.tsx';
import { feedQuery } from './feeds.ts';
import classes from './HomeSidebar.module.css';
import { QuestionLink, QuestionLinks } from './QuestionLinks.tsx';

/** Fewer than a screen shows. */
const maxUnanswered = 4;

/** Beside the feed, where the window is wide: the topics followed, and what waits for an answer out of sight. */
export function HomeSidebar({ feed }: { feed: Feed }) {
  return (
    <aside className={`${classes.aside} ${placed.sideColumn}`} aria-label={t`Beside the feed`}>
      <FollowedTagLinks />
      {feed !== 'unanswered' && <UnansweredQuestions feed={feed} />}
    </aside>
  );
}

function FollowedTagLinks() {
  const { data: followed } = useQuery(followedSummaryQuery);
  if (followed === undefined) return null;
  if (followed.total === 0)
    return (
      <SidebarSection heading={t`Topics you follow`}>
        <p className={classes.text}>{t`Follow a topic, and its questions come to you.`}</p>
        <PathLink href={paths.topics} className={classes.more}>
          {t`Find something to follow`}
        </PathLink>
      </SidebarSection>
    );
  return (
    <SidebarSection heading={t`Topics you follow`}>
      <TagLinks tags={followed.tags} />
      <PathLink href={paths.following} className={classes.more}>
        {t`What is new in them`}
      </PathLink>
    </SidebarSection>
  );
}

/** None that stands in the feed as well. */
function UnansweredQuestions({ feed }: { feed: Feed }) {
  const inFeed = useInfiniteQuery(feedQuery(feed, useMutedFilter())).data;
  const { data } = useInfiniteQuery(feedQuery('unanswered', 'hide'));
  if (inFeed === undefined || data === undefined) return null;
  const seen = new Set(inFeed.pages.flatMap(({ items }) => items.map(({ id }) => id)));
  const questions = data.pages
    .flatMap(({ items }) => items)
    .filter(({ id, answerCount }) => answerCount === 0 && !seen.has(id));
  if (questions.length === 0) return null;
  return (
    <SidebarSection heading={t`Unanswered`}>
      <QuestionLinks>
        {questions.slice(0, maxUnanswered).map((question) => (
          <QuestionLink key={question.id} question={question}>
            <Time at={question.createdAt} kind="card" />
          </QuestionLink>
        ))}
      </QuestionLinks>
    </SidebarSection>
  );
}

function SidebarSection({ heading, children }: { heading: string; children: ReactNode }) {
  const headingId = useId();
  return (
    <section aria-labelledby={headingId} className={classes.part}>
      <h2 id={headingId} className={classes.heading}>
        {heading}
      </h2>
      {children}
    </section>
  );
}
