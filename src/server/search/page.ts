import { LRUCache } from 'lru-cache';
import type { Database } from '#server/platform/database.ts';
import type { StreamedEvent } from '#server/platform/events.ts';
import type { WantedPage } from '#server/platform/read-models/read-models.ts';
import { authorTopics, renames } from '#server/posts/authors.ts';
import type { Topic } from '#shared/events.ts';
import type { SearchResults } from '#shared/search.ts';
import { isOperator, parseSearch } from '#shared/search-query.ts';
import { type Search, search } from './search.ts';

/** Searches that were asked for once are remembered so many. */
const remembered = 5_000;

/**
 * Tells which searches are worth keeping in memory: those of words alone, which are the same for everybody and at any
 * time, once they come a second time. Most come once, and would push out pages that many read.
 */
export function searchesKept(searching: Database): (wanted: Search) => WantedPage | undefined {
  const asked = new LRUCache<string, true>({ max: remembered });
  return (wanted) => {
    if (wanted.kind === 'users' || parseSearch(wanted.query).some(isOperator)) return undefined;
    const page = searchPage(searching, wanted);
    if (asked.has(page.key)) return page;
    asked.set(page.key, true);
    return undefined;
  };
}

/** A page of results until a post that may be among them is written, changed or voted on. */
function searchPage(searching: Database, wanted: Search): WantedPage {
  const { kind, sort, cursor, query } = wanted;
  return {
    key: `search ${kind} ${sort} ${cursor ?? ''} ${query}`,
    topics,
    own: [],
    async read() {
      const results = await search(searching, wanted);
      const posts = [...results.questions, ...results.answers];
      const isStaleBy = stalenessOf(results);
      return {
        parts: {
          json: JSON.stringify(results),
          ids: [],
          topics: [...topics, ...authorTopics(posts)],
          isStaleBy: (news) => renames(news) ?? isStaleBy(news),
        },
        values: [],
      };
    },
    readOwn: () => Promise.resolve([]),
    ownStaleBy: { topics: [], isStaleBy: () => false },
  };
}

const topics: readonly Topic[] = ['feeds', 'answers'];

function stalenessOf(results: SearchResults): (news: StreamedEvent) => boolean {
  const shown = new Set(results.questions.map(({ id }) => id));
  return ({ topic, event }) => {
    // Where nothing is found, questions are suggested, whatever was looked for.
    if (results.total > 0 && topic !== (results.in === 'answers' ? 'answers' : 'feeds')) return false;
    // Votes decide the order, also of what is not shown.
    if (event.kind === 'question-counted') return event.by !== 'view' || shown.has(event.questionId);
    return true;
  };
}
