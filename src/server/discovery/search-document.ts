import { LRUCache } from 'lru-cache';
import type { Database } from '#server/core/database.ts';
import type { TopicEvent } from '#server/core/events.ts';
import type { PageQuery } from '#server/core/response-cache.ts';
import { listAuthorTopics, isAuthorRename } from '#server/posts/posts.ts';
import type { Topic } from '#shared/core/events.ts';
import type { SearchResults } from '#shared/discovery/search.ts';
import { isOperator, parseSearch } from '#shared/discovery/search-query.ts';
import { type SearchRequest, search } from './search.ts';

/** Searches that were asked for once are remembered so many. */
const maxRemembered = 5_000;

/**
 * Tells which searches are worth keeping in memory: those of words alone, which are the same for everybody and at any
 * time, once they come a second time. Most come once, and would push out pages that many read.
 */
export function createSearchDocuments(searching: Database): (wanted: SearchRequest) => PageQuery | undefined {
  const seenSearches = new LRUCache<string, true>({ max: maxRemembered });
  return (wanted) => {
    if (wanted.kind === 'users' || parseSearch(wanted.query).some(isOperator)) return undefined;
    const page = searchDocument(searching, wanted);
    if (seenSearches.has(page.key)) return page;
    seenSearches.set(page.key, true);
    return undefined;
  };
}

/** A page of results until a post that may be among them is written, changed or voted on. */
function searchDocument(searching: Database, wanted: SearchRequest): PageQuery {
  const { kind, sort, cursor, query } = wanted;
  return {
    key: `search ${kind} ${sort} ${cursor ?? ''} ${query}`,
    topics,
    viewerKeys: [],
    async read() {
      const results = await search(searching, wanted);
      const posts = [...results.questions, ...results.answers];
      const isStaleBy = createStaleCheck(results);
      return {
        parts: {
          json: JSON.stringify(results),
          ids: [],
          topics: [...topics, ...listAuthorTopics(posts)],
          isStaleBy: (change) => isAuthorRename(change) ?? isStaleBy(change),
        },
        values: [],
      };
    },
    readViewerValues: () => Promise.resolve([]),
    viewerTopics: { topics: [], isStaleBy: () => false },
  };
}

const topics: readonly Topic[] = ['feeds', 'answers'];

function createStaleCheck(results: SearchResults): (news: TopicEvent) => boolean {
  const shownIds = new Set(results.questions.map(({ id }) => id));
  return ({ topic, event }) => {
    // Where nothing is found, questions are suggested, whatever was looked for.
    if (results.total > 0 && topic !== (results.in === 'answers' ? 'answers' : 'feeds')) return false;
    // Votes decide the order, also of what is not shown.
    if (event.kind === 'question-counted') return event.by !== 'view' || shownIds.has(event.questionId);
    return true;
  };
}
