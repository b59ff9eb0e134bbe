import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { usePageSearch } from '#web/core/router.ts';
import { useState, type ReactNode } from 'react';
import { QuestionCardSkeletons } from '#web/discovery/feeds/QuestionCardSkeletons.tsx';
import { FollowedQuestions, RecentActivity } from './FollowedQuestions.tsx';
import { FollowedTags } from './FollowedTags.tsx';
import { followedSummaryQuery } from '#web/engagement/index.ts';
import { SuggestedTags } from './SuggestedTags.tsx';
import { paths } from '#web/core/paths.ts';
import { ButtonLink, Link } from '#web/ui/Link.tsx';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { PageHeading, usePageTitle } from '#web/ui/PageHeading.tsx';
import { TabLinks, type TabLink } from '#web/ui/TabLinks.tsx';
import page from '#web/ui/page.module.css';
import type { FollowedTagsSummary as Summary } from '#shared/discovery/tags.ts';
import { TagLink, tagLinkStyles as tags } from '#web/posts/index.ts';
import classes from './following.module.css';
import { oneOf } from '#web/core/page-search.ts';

const parseFollowingSearch = ({
  tab,
  muted,
}: Record<string, unknown>): {
  tab?: 'activity' | 'topics' | undefined;
  muted?: 'show' | undefined;
} => ({
  tab: oneOf(tab, 'activity', 'topics'),
  muted: oneOf(muted, 'show'),
});

type Tab = 'questions' | 'activity' | 'topics';

const tabs = (): readonly TabLink<Tab>[] => [
  { key: 'questions', label: t`All Questions`, href: paths.following },
  { key: 'activity', label: t`Recent Activity`, href: `${paths.following}?tab=activity` },
  { key: 'topics', label: t`My Topics`, href: `${paths.following}?tab=topics` },
];

export function FollowingPage() {
  usePageTitle(t`Following`);
  const { tab = 'questions' } = usePageSearch(parseFollowingSearch);
  const { data: summary, isPending } = useQuery(followedSummaryQuery);
  // After following one suggestion, members may want another: the suggestions stay until the page is left.
  const [followedHere, setFollowedHere] = useState(false);
  const suggesting = summary !== undefined && (summary.total === 0 || followedHere);

  const heading = (
    <div className={page.header}>
      <PageHeading className={page.heading}>{t`Following`}</PageHeading>
    </div>
  );
  // Followed items come first on the page. Rendering the rest before they are loaded would make it jump.
  if (isPending)
    return (
      <>
        {heading}
        <QuestionCardSkeletons />
      </>
    );
  return (
    <>
      {heading}
      {summary && <FollowedTagsSummary summary={summary} />}
      <TabLinks label={t`Following feeds`} tabs={tabs()} current={tab}>
        {/* Below 'My Topics', so that a tag just unfollowed stays in its place. */}
        {tab === 'topics' && (
          <FollowedTags
            none={summary?.total === 0}
            still={followedHere}
            empty={<ShortEmptyText>{empty.tags()}</ShortEmptyText>}
          />
        )}
        {suggesting && <SuggestedTags tags={summary.suggested} onFollow={() => setFollowedHere(true)} />}
        {tab === 'questions' && (
          <FollowedQuestions
            empty={suggesting ? <ShortEmptyText>{empty.questions()}</ShortEmptyText> : <NoQuestions />}
          />
        )}
        {tab === 'activity' && (
          <RecentActivity
            empty={suggesting ? <ShortEmptyText>{empty.activity()}</ShortEmptyText> : <NoActivity />}
          />
        )}
      </TabLinks>
    </>
  );
}

const empty = {
  questions: () => t`Questions you follow and questions in topics you follow show up here.`,
  activity: () => t`Questions you follow that were asked or answered in the last 7 days show up here.`,
  tags: () => t`Topics you follow show up here, each with its newest questions.`,
} as const;

/** The suggestions above already show the next step. */
function ShortEmptyText({ children }: { children: ReactNode }) {
  return <p className={page.lead}>{children}</p>;
}

function NoQuestions() {
  return (
    <EmptyState title={t`No questions found`} text={empty.questions()}>
      <ButtonLink href={paths.ask}>{t`Ask a question`}</ButtonLink>
    </EmptyState>
  );
}

function NoActivity() {
  return (
    <EmptyState title={t`No activity this week`} text={empty.activity()}>
      <ButtonLink href={paths.following}>{t`Show all questions`}</ButtonLink>
    </EmptyState>
  );
}

/** The first followed tags and how many more there are (docs/product.md 10.7). */
function FollowedTagsSummary({ summary }: { summary: Summary }) {
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
          <Link href={`${paths.following}?tab=topics`} resetScroll={false} className={classes.more}>
            <Trans>+{more} more</Trans>
          </Link>
        </li>
      )}
    </ul>
  );
}
