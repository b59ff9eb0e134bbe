import { plural, t } from '@lingui/core/macro';
import { VisuallyHidden } from '#web/ui/VisuallyHidden.tsx';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import type { TagSort } from '#shared/discovery/tags.ts';
import { paths } from '#web/core/paths.ts';
import { ButtonLink } from '#web/ui/Link.tsx';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { NewItemsPill } from '#web/ui/NewItemsPill.tsx';
import { useListStart } from '#web/ui/list-address.ts';
import { PagedList } from '#web/ui/PagedList.tsx';
import { TagCard, TagGrid, TagSkeletons } from './TagCard.tsx';
import { tagsQuery } from './tags.ts';
import { useLiveTags } from './useLiveTags.ts';

/** The grid of /topics. While the member types, the previous grid stays until the next one is loaded. */
export function TagList({ q, sort }: { q: string; sort: TagSort }) {
  const newItems = useLiveTags({ q, sort });
  const query = useInfiniteQuery({
    ...tagsQuery({ q, sort, after: useListStart() }),
    placeholderData: keepPreviousData,
  });
  return (
    <PagedList
      query={query}
      noun="tags"
      hasAddresses
      keyOf={(tag) => tag.name}
      pending={<TagSkeletons />}
      empty={<NoTags q={q} />}
    >
      {(tags) => (
        <>
          {newItems.pill !== null && <NewItemsPill onClick={newItems.show}>{newItems.pill}</NewItemsPill>}
          <VisuallyHidden component="output">
            {query.hasNextPage
              ? plural(tags.length, { one: '# or more topics', other: '# or more topics' })
              : plural(tags.length, { one: '# topic', other: '# topics' })}
          </VisuallyHidden>
          <TagGrid faded={query.isPlaceholderData}>
            {tags.map((tag) => (
              <TagCard key={tag.name} listedTag={tag} />
            ))}
          </TagGrid>
        </>
      )}
    </PagedList>
  );
}

function NoTags({ q }: { q: string }) {
  if (q === '')
    return (
      <EmptyState title={t`No topics yet`} text={t`Every tag used on a question becomes a topic.`}>
        <ButtonLink href={paths.ask}>{t`Ask a question`}</ButtonLink>
      </EmptyState>
    );
  return (
    <EmptyState title={t`No topics match “${q}”`} text={t`Try part of the name, or fewer letters.`}>
      <ButtonLink href={paths.tags}>{t`Show all topics`}</ButtonLink>
    </EmptyState>
  );
}
