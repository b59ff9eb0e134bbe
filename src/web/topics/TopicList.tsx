import { plural, t } from '@lingui/core/macro';
import { VisuallyHidden } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import type { TopicSort } from '#shared/topics.ts';
import { paths } from '#web/platform/paths.ts';
import { ButtonLink } from '#web/ui/ButtonLink.tsx';
import { Empty } from '#web/ui/Empty.tsx';
import { NewItems } from '#web/ui/NewItems.tsx';
import { PagedList } from '#web/ui/PagedList.tsx';
import { TopicCard } from './TopicCard.tsx';
import { TopicGrid } from './TopicGrid.tsx';
import { topicsQuery } from './topics.ts';
import { TopicSkeletons } from './TopicSkeletons.tsx';
import { useLiveTopics } from './useLiveTopics.ts';

/** The grid of /topics; while one types, the grid before stays until the next is there. */
export function TopicList({ q, sort }: { q: string; sort: TopicSort }) {
  const news = useLiveTopics({ q, sort });
  const query = useInfiniteQuery({ ...topicsQuery({ q, sort }), placeholderData: keepPreviousData });
  return (
    <PagedList
      query={query}
      noun="topics"
      keyOf={(topic) => topic.tag}
      pending={<TopicSkeletons />}
      empty={<NoTopics q={q} />}
    >
      {(topics) => (
        <>
          {news.pill !== null && <NewItems onClick={news.show}>{news.pill}</NewItems>}
          <VisuallyHidden component="output">
            {query.hasNextPage
              ? plural(topics.length, { one: '# or more topics', other: '# or more topics' })
              : plural(topics.length, { one: '# topic', other: '# topics' })}
          </VisuallyHidden>
          <TopicGrid faded={query.isPlaceholderData}>
            {topics.map((topic) => (
              <TopicCard key={topic.tag} topic={topic} />
            ))}
          </TopicGrid>
        </>
      )}
    </PagedList>
  );
}

function NoTopics({ q }: { q: string }) {
  if (q === '')
    return (
      <Empty title={t`No topics yet`} text={t`Every tag of a question becomes a topic.`}>
        <ButtonLink href={paths.ask}>{t`Ask a question`}</ButtonLink>
      </Empty>
    );
  return (
    <Empty title={t`No topics match “${q}”`} text={t`Try a part of the name, or fewer letters.`}>
      <ButtonLink href={paths.topics}>{t`Show all topics`}</ButtonLink>
    </Empty>
  );
}
