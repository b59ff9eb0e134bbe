import { plural, t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { type InfiniteData, type QueryKey, useInfiniteQuery } from '@tanstack/react-query';
import {
  maxCountedResults,
  type SearchHighlight,
  type SearchResults as Results,
} from '#shared/discovery/search.ts';
import { QuestionCard } from '#web/discovery/feeds/QuestionCard.tsx';
import { QuestionCardSkeletons } from '#web/discovery/feeds/QuestionCardSkeletons.tsx';
import { useLiveQuestionCards } from '#web/discovery/feeds/useLiveQuestionCards.ts';
import { useConnectionStatus } from '#web/core/connection.ts';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { useListStart } from '#web/ui/list-address.ts';
import { PagedList } from '#web/ui/PagedList.tsx';
import { SearchTerms } from './SearchTerms.tsx';
import { AnswerCard } from '#web/discovery/feeds/AnswerCard.tsx';
import { MemberCard } from './MemberCard.tsx';
import { resultCountText, searchQuery, type Search } from './search.ts';
import { SearchSuggestions } from './SearchSuggestions.tsx';
import { useLiveAnswerCards } from '#web/discovery/feeds/useLiveAnswerCards.ts';
import classes from './SearchResults.module.css';

/** The results and their number. A failed search shows an empty list (docs/product.md 16.4). */
export function SearchResults({ search }: { search: Search }) {
  const wanted = searchQuery(search, useListStart());
  const { queryKey } = wanted;
  const query = useInfiniteQuery({ ...wanted, select: toList });
  const failed = query.isError && query.data === undefined;
  // Repeated when the connection returns (app/RootLayout.tsx).
  const isUnreachable = useConnectionStatus() === 'offline' && failed;
  const first = query.data?.first;

  return (
    <>
      {search.kind === 'questions' && <LiveQuestions queryKey={queryKey} />}
      {search.kind === 'answers' && <LiveAnswers queryKey={queryKey} />}
      <SearchTerms search={search} unknown={first?.unknownTerms ?? []} />
      {first?.corrected === true && (
        <p className={classes.corrected} dir="auto">
          {correctedMessage(search.q, first.total)}
        </p>
      )}
      <output className={classes.count}>
        {!query.isPending && !isUnreachable && resultCountText(first?.total ?? 0)}
      </output>
      {isUnreachable ? (
        <EmptyState title={t`This page will load when you are back online.`} />
      ) : failed ? (
        <EmptyState title={t`Search failed`}>
          <Button variant="default" onClick={() => void query.refetch()}>
            {t`Try again`}
          </Button>
        </EmptyState>
      ) : (
        <PagedList
          query={query}
          noun="results"
          hasAddresses
          keyOf={({ kind, item }) => `${kind} ${item.id}`}
          pending={<QuestionCardSkeletons />}
          empty={<SearchSuggestions q={search.q} kind={search.kind} suggestions={first?.suggestions} />}
        >
          {(results) => results.map((result) => <SearchResult key={result.item.id} {...result} />)}
        </PagedList>
      )}
    </>
  );
}

function correctedMessage(q: string, total: number): string {
  return plural(total, {
    one: `No exact match for “${q}”. Showing a similar result.`,
    other: `No exact match for “${q}”. Showing similar results.`,
  });
}

type FoundItem =
  | { kind: 'questions'; item: Results['questions'][number]; highlight: SearchHighlight | undefined }
  | { kind: 'answers'; item: Results['answers'][number]; highlight: SearchHighlight | undefined }
  | { kind: 'users'; item: Results['users'][number] };

function SearchResult(result: FoundItem) {
  switch (result.kind) {
    case 'questions':
      return <QuestionCard question={result.item} highlight={result.highlight} />;
    case 'answers':
      return <AnswerCard answer={result.item} highlight={result.highlight} />;
    case 'users':
      return <MemberCard member={result.item} />;
  }
}

/** Renders nothing. Updates the found posts live. New matches only appear in the next search. */
function LiveQuestions({ queryKey }: { queryKey: QueryKey }) {
  useLiveQuestionCards({ queryKey, mapCards: mapQuestions });
  return null;
}

function LiveAnswers({ queryKey }: { queryKey: QueryKey }) {
  useLiveAnswerCards({ queryKey, mapCards: mapAnswers });
  return null;
}

type Pages = InfiniteData<Results>;
type Change<Item> = (item: Item) => Item | null;

function mapQuestions(data: Pages, change: Change<Results['questions'][number]>): Pages {
  const lists = data.pages.map((page) => page.questions.map(change).filter((card) => card !== null));
  return replaceLists(data, (page, index) => {
    const questions = lists[index] ?? [];
    return {
      ...page,
      questions,
      highlights: remainingHighlights(page.highlights, page.questions, questions),
    };
  });
}

function mapAnswers(data: Pages, change: Change<Results['answers'][number]>): Pages {
  const lists = data.pages.map((page) => page.answers.map(change).filter((card) => card !== null));
  return replaceLists(data, (page, index) => {
    const answers = lists[index] ?? [];
    return { ...page, answers, highlights: remainingHighlights(page.highlights, page.answers, answers) };
  });
}

type CardText = { id: number; title?: string; questionTitle?: string; excerpt: string };

/** Drops the highlights of posts that were edited since the search. They show their current text. */
function remainingHighlights(
  highlights: readonly SearchHighlight[],
  before: readonly CardText[],
  now: readonly CardText[],
): SearchHighlight[] {
  const edited = new Set(
    before
      .filter((old) => now.some((card) => card.id === old.id && !hasSameText(card, old)))
      .map(({ id }) => id),
  );
  return highlights.filter(({ id }) => !edited.has(id));
}

function hasSameText(one: CardText, other: CardText): boolean {
  return (
    one.title === other.title && one.questionTitle === other.questionTitle && one.excerpt === other.excerpt
  );
}

/** Changes the lists and subtracts removed items from the number of results. */
function replaceLists(data: Pages, change: (page: Results, index: number) => Results): Pages {
  const pages = data.pages.map(change);
  const removedCount = countResults(data.pages) - countResults(pages);
  const remaining = (total: number) => (total > maxCountedResults ? total : total - removedCount);
  return { ...data, pages: pages.map((page) => ({ ...page, total: remaining(page.total) })) };
}

function countResults(pages: readonly Results[]): number {
  return pages.reduce((sum, page) => sum + page.questions.length + page.answers.length, 0);
}

function highlightFor({ highlights }: Results, id: number): SearchHighlight | undefined {
  return highlights.find((highlight) => highlight.id === id);
}

/** Every page has items of one kind; its other two lists are empty. */
function toList({ pages, pageParams }: { pages: Results[]; pageParams: unknown[] }) {
  return {
    first: pages[0],
    pages: pages.map((page) => ({
      nextCursor: page.nextCursor,
      items: [
        ...page.questions.map((item): FoundItem => ({
          kind: 'questions',
          item,
          highlight: highlightFor(page, item.id),
        })),
        ...page.answers.map((item): FoundItem => ({
          kind: 'answers',
          item,
          highlight: highlightFor(page, item.id),
        })),
        ...page.users.map((item): FoundItem => ({ kind: 'users', item })),
      ],
    })),
    pageParams,
  };
}
