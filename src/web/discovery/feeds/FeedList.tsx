import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { type InfiniteData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '#web/ui/Link.tsx';
import type { Feed } from '#shared/discovery/feeds.ts';
import type { FeedPage, MutedChoice } from '#shared/engagement/mutes.ts';
import { countMuted, MutedBanner, useIsMuted, useMutedFilter } from '#web/engagement/index.ts';
import { ApiError } from '#web/core/errors.ts';
import { fetchNextPage } from '#web/core/query-helpers.ts';
import { Announcements } from '#web/discovery/announcements/Announcements.tsx';
import { announcementsQuery } from '#web/discovery/announcements/announcements.ts';
import { feedQuery } from './feeds.ts';
import { QuestionCard } from './QuestionCard.tsx';
import { FirstPageLink } from '#web/ui/FirstPageLink.tsx';
import { useListStart, useNextPageAddress } from '#web/ui/list-address.ts';
import { LoadMore } from '#web/ui/LoadMore.tsx';
import { NewItemsPill } from '#web/ui/NewItemsPill.tsx';
import { LoadError } from '#web/ui/LoadError.tsx';
import { QuestionCardSkeletons } from './QuestionCardSkeletons.tsx';
import classes from '#web/ui/list-states.module.css';
import type { PendingNewItems } from '#web/core/live-list.ts';
import { mapQuestionCards, useLiveQuestionCards } from './useLiveQuestionCards.ts';

/** One tab of the home feed. */
export function FeedList({ feed }: { feed: Feed }) {
  const muted = useMutedFilter();
  const after = useListStart();
  const query = useInfiniteQuery(feedQuery(feed, muted, after));
  const newItems = useLiveFeed(feed, muted, after);
  const questions = query.data === undefined ? [] : uniqueById(questionsOf(query.data));
  const nextPage = useNextPageAddress(query.data?.pages.at(-1)?.nextCursor ?? null);

  const announcements = useQuery(announcementsQuery(null));
  // The announcements above the list would move it. Offline they may be missing.
  if (query.isPending || announcements.isLoading) return <QuestionCardSkeletons />;
  if (query.data === undefined)
    return <LoadError text={t`The questions could not be loaded.`} query={query} />;

  return (
    <>
      {after === null && <Announcements tag={null} />}
      <FirstPageLink />
      <MutedBanner count={countMuted(query.data)} muted={muted} />
      {questions.length === 0 && <EmptyFeed feed={feed} />}
      {newItems.pill !== null && <NewItemsPill onClick={newItems.show}>{newItems.pill}</NewItemsPill>}
      {questions.map((question) => (
        <QuestionCard key={question.id} question={question} />
      ))}
      {query.hasNextPage && (
        <LoadMore
          name={t`Load more`}
          failure={
            query.isFetchNextPageError
              ? `${t`More questions could not be loaded.`} ${errorReason(query.error)}`
              : null
          }
          isLoading={query.isFetchingNextPage}
          href={nextPage}
          load={() => void fetchNextPage(query)}
        />
      )}
    </>
  );
}

function EmptyFeed({ feed }: { feed: Feed }) {
  return (
    <div className={classes.empty}>
      <h2 className={classes.title}>{t`No questions found`}</h2>
      <p>
        {feed === 'unanswered'
          ? t`Questions without an answer show up here.`
          : t`New questions show up here.`}
      </p>
      <Button renderRoot={(props) => <Link href="/ask" {...props} />} variant="default">
        {t`Ask a question`}
      </Button>
    </div>
  );
}

const questionsOf = ({ pages }: InfiniteData<FeedPage>) => pages.flatMap((page) => page.items);

/** A question can move between two pages while they load, so both may contain it. */
function uniqueById<T extends { id: number }>(items: readonly T[]): T[] {
  return [...new Map(items.map((item) => [item.id, item])).values()];
}

function errorReason(error: Error | null): string {
  return error instanceof ApiError ? error.message : '';
}

/** Updates a feed live. New questions enter a list that begins at its beginning. */
export function useLiveFeed(feed: Feed, muted: MutedChoice, after: string | null): PendingNewItems {
  const isHidden = useIsMuted(muted);
  return useLiveQuestionCards({
    queryKey: feedQuery(feed, muted, after).queryKey,
    mapCards: mapQuestionCards,
    // A new question has no votes.
    belongs: (posted) => feed !== 'popular' && after === null && !isHidden(posted),
    isMutedAfterEdit: isHidden,
    sortedBy: ({ recent: undefined, popular: 'vote', unanswered: 'answer' } as const)[feed],
  });
}
