import { LRUCache } from 'lru-cache';
import type { Database } from '#server/core/database.ts';
import type { TopicEvent } from '#server/core/events.ts';
import type { DocumentRequest } from '#server/core/response-cache.ts';
import { isAuthorRename, listAuthorTopics } from '#server/posts/index.ts';
import type { Topic } from '#shared/core/events.ts';
import type { SearchResults } from '#shared/discovery/search.ts';
import { isOperator, parseSearch } from '#shared/discovery/search-query.ts';
import { type SearchRequest, search } from './search.ts';

/** Number of recent searches that are remembered. */
const maxRemembered = 5_000;

/**
 * `getDocument` decides which searches are cached: those of words only, whose results are the same for all viewers and
 * times, from the second time on. Most searches come once, and would evict pages that many members read.
 */
export function createSearchDocuments(searching: Database): {
  getDocument: (wanted: SearchRequest) => DocumentRequest | undefined;
  /** Whether the search found nothing when it was last run here. */
  isKnownEmpty: (page: DocumentRequest) => boolean;
} {
  const seenSearches = new LRUCache<string, { isEmpty: boolean }>({ max: maxRemembered });
  return {
    getDocument(wanted) {
      if (wanted.kind === 'users' || parseSearch(wanted.query).some(isOperator)) return undefined;
      const page = searchDocument(searching, wanted, ({ total }) => {
        seenSearches.set(page.key, { isEmpty: total === 0 });
      });
      if (seenSearches.has(page.key)) return page;
      seenSearches.set(page.key, { isEmpty: false });
      return undefined;
    },
    isKnownEmpty: ({ key }) => seenSearches.get(key)?.isEmpty === true,
  };
}

/** A page of results. It becomes stale when a post that could be in it is written, changed or voted on. */
function searchDocument(
  searching: Database,
  wanted: SearchRequest,
  onRead: (results: SearchResults) => void,
): DocumentRequest {
  const { kind, sort, cursor, query } = wanted;
  return {
    key: `search ${kind} ${sort} ${cursor ?? ''} ${query}`,
    topics,
    async read() {
      const results = await search(searching, wanted);
      onRead(results);
      const posts = [...results.questions, ...results.answers];
      const isStaleBy = createStaleCheck(results);
      return {
        json: JSON.stringify(results),
        topics: [...topics, ...listAuthorTopics(posts.map((post) => post.authorId))],
        isStaleBy: (change) => isAuthorRename(change) ?? isStaleBy(change),
      };
    },
  };
}

const topics: readonly Topic[] = ['feeds', 'answers'];

function createStaleCheck(results: SearchResults): (event: TopicEvent) => boolean {
  const shownIds = new Set(results.questions.map(({ id }) => id));
  return ({ topic, event }) => {
    // Without results, the page suggests questions, for every kind of search.
    // Questions are also found by the words of their answers.
    if (results.total > 0 && topic !== (results.in === 'answers' ? 'answers' : 'feeds'))
      return results.in === 'questions' && event.kind === 'answer-edited';
    // Votes change the order, also of posts that are not shown.
    if (event.kind === 'question-counted') return event.by !== 'view' || shownIds.has(event.questionId);
    return true;
  };
}
