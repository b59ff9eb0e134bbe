import { t } from '@lingui/core/macro';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import type { Feed } from '#shared/discovery/feeds.ts';
import { followedSummaryQuery, useMutedFilter } from '#web/engagement/index.ts';
import { paths } from '#web/core/paths.ts';
import { useMember } from '#web/core/session.ts';
import page from '#web/ui/page.module.css';
import { useListStart } from '#web/ui/list-address.ts';
import { Link } from '#web/ui/Link.tsx';
import { TagLinks } from '#web/posts/index.ts';
import { Time } from '#web/ui/Time.tsx';
import { feedQuery } from './feeds.ts';
import classes from './HomeSidebar.module.css';
import { QuestionLink, QuestionLinks } from './QuestionLinks.tsx';
import { mapQuestionCards, useLiveQuestionCards } from './useLiveQuestionCards.ts';

/** Fewer than fit on a screen. */
const maxUnanswered = 4;

/** The column next to the feed in wide windows: the followed tags, and unanswered questions that are not in view. */
export function HomeSidebar({ feed }: { feed: Feed }) {
  const isSignedIn = useMember() !== null;
  return (
    <aside className={`${classes.aside} ${page.sideColumn}`} aria-label={t`Topics and unanswered questions`}>
      {isSignedIn && <FollowedTagLinks />}
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
        <p className={classes.text}>{t`Follow topics to see their questions here.`}</p>
        <Link href={paths.tags} className={classes.more}>
          {t`Browse topics`}
        </Link>
      </SidebarSection>
    );
  return (
    <SidebarSection heading={t`Topics you follow`}>
      <TagLinks tags={followed.tags} />
      <Link href={paths.following} className={classes.more}>
        {t`View new questions`}
      </Link>
    </SidebarSection>
  );
}

/** Leaves out the questions that the feed shows. */
function UnansweredQuestions({ feed }: { feed: Feed }) {
  const inFeed = useInfiniteQuery(feedQuery(feed, useMutedFilter(), useListStart())).data;
  const unanswered = feedQuery('unanswered', 'hide');
  const { data } = useInfiniteQuery(unanswered);
  useLiveQuestionCards({ queryKey: unanswered.queryKey, mapCards: mapQuestionCards });
  if (inFeed === undefined || data === undefined) return null;
  const idsInFeed = new Set(inFeed.pages.flatMap(({ items }) => items.map(({ id }) => id)));
  const questions = data.pages
    .flatMap(({ items }) => items)
    .filter(({ id, answerCount }) => answerCount === 0 && !idsInFeed.has(id));
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
