import { useInfiniteQuery } from '@tanstack/react-query';
import type { SearchResults as Results } from '#shared/search.ts';
import { QuestionCard } from '#web/feeds/QuestionCard.tsx';
import { QuestionCardSkeletons } from '#web/feeds/QuestionCardSkeleton.tsx';
import { PagedList } from '#web/ui/PagedList.tsx';
import { AnswerCard } from './AnswerCard.tsx';
import { MemberCard } from './MemberCard.tsx';
import { resultCount, searchQuery, type Search } from './search.ts';
import { SearchSuggestions } from './SearchSuggestions.tsx';
import classes from './SearchResults.module.css';

/** What was found, and how much of it; a search that failed found nothing (SPEC section 8). */
export function SearchResults({ search }: { search: Search }) {
  const query = useInfiniteQuery({ ...searchQuery(search), select: toList });
  const failed = query.isError && query.data === undefined;
  const first = query.data?.first;
  const nothing = <SearchSuggestions q={search.q} kind={search.kind} suggestions={first?.suggestions} />;

  return (
    <>
      <output className={classes.count}>{!query.isPending && resultCount(first?.total ?? 0)}</output>
      {first?.corrected === true && (
        <p className={classes.corrected} dir="auto">
          Nothing matches “{search.q}” as typed. These are close to it.
        </p>
      )}
      {failed ? (
        nothing
      ) : (
        <PagedList
          query={query}
          noun="results"
          keyOf={({ kind, item }) => `${kind} ${item.id}`}
          pending={<QuestionCardSkeletons />}
          empty={nothing}
        >
          {(results) => results.map((result) => <Result key={result.item.id} {...result} />)}
        </PagedList>
      )}
    </>
  );
}

type Found =
  | { kind: 'questions'; item: Results['questions'][number] }
  | { kind: 'answers'; item: Results['answers'][number] }
  | { kind: 'users'; item: Results['users'][number] };

function Result(found: Found) {
  switch (found.kind) {
    case 'questions':
      return <QuestionCard question={found.item} />;
    case 'answers':
      return <AnswerCard answer={found.item} />;
    case 'users':
      return <MemberCard member={found.item} />;
  }
}

/** Every page has the list of one kind; the other two are empty. */
function toList({ pages, pageParams }: { pages: Results[]; pageParams: unknown[] }) {
  return {
    first: pages[0],
    pages: pages.map((page) => ({
      items: [
        ...page.questions.map((item): Found => ({ kind: 'questions', item })),
        ...page.answers.map((item): Found => ({ kind: 'answers', item })),
        ...page.users.map((item): Found => ({ kind: 'users', item })),
      ],
    })),
    pageParams,
  };
}
