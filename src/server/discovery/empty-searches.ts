import { sql } from 'kysely';
import type { Database, Reader } from '#server/core/database.ts';
import { type EmptySearches, emptySearchDays } from '#shared/admin/statistics.ts';
import { isOperator, parseSearch } from '#shared/discovery/search-query.ts';

/** Searches that this node remembers until it stores them, and members per search. Further ones are not counted. */
const maxRemembered = { searches: 500, viewers: 100 } as const;

/** Different searches per day that are stored. */
const maxStoredPerDay = 500;

/** Longer texts are pasted, not searched for. */
const maxLength = 100;

const storeIntervalMs = 60_000;

/** Counts searches without results, in memory, and stores them every minute. */
export type EmptySearchCounter = {
  /**
   * Counts a search of words. A repetition by the same viewer before the next storing is not counted; who searched is
   * never stored. A search with operators or an email address is not counted.
   * @param query with single spaces, as from `foldSpaces`
   */
  count: (query: string, viewerId: number) => void;
  store: () => Promise<void>;
  stop: () => Promise<void>;
};

export function createEmptySearchCounter(db: Database): EmptySearchCounter {
  let viewersOf = new Map<string, Set<number>>();
  const timer = setInterval(() => void store().catch(() => {}), storeIntervalMs).unref();
  return {
    count(query, viewerId) {
      const text = query.toLowerCase();
      if (text === '' || text.length > maxLength || text.includes('@')) return;
      if (parseSearch(query).some(isOperator)) return;
      const viewers = viewersOf.get(text) ?? new Set();
      if (viewers.size === 0 && viewersOf.size >= maxRemembered.searches) return;
      if (viewers.size < maxRemembered.viewers) viewersOf.set(text, viewers.add(viewerId));
    },
    store,
    async stop() {
      clearInterval(timer);
      // Counts of the last minute are lost if the database is gone.
      await store().catch(() => {});
    },
  };

  async function store(): Promise<void> {
    const counted = [...viewersOf];
    viewersOf = new Map();
    if (counted.length === 0) return;
    await sql`
      insert into empty_search as known (day, query, searches)
      select utc_day(now()), query, searches
      from unnest(${counted.map(([query]) => query)}::text[], ${counted.map(([, viewers]) => viewers.size)}::int[])
        as found (query, searches)
      where exists (select from empty_search where day = utc_day(now()) and empty_search.query = found.query)
        or (select count(*) from empty_search where day = utc_day(now())) < ${sql.lit(maxStoredPerDay)}
      order by query
      on conflict (day, query) do update set searches = known.searches + excluded.searches`.execute(db);
  }
}

/** Searches of one page. */
const searchesShown = 50;

/** Returns searches without results of the last days, the most frequent first. */
export async function readEmptySearches(
  db: Reader,
  { days, limit = searchesShown }: { days: number; limit?: number },
): Promise<EmptySearches> {
  const { rows } = await sql<EmptySearches['items'][number]>`
    select query, sum(searches)::bigint as searches, to_char(max(day), 'YYYY-MM-DD') as "lastDay"
    from empty_search where day > utc_day(now()) - ${days}::int
    group by query order by sum(searches) desc, max(day) desc, query limit ${limit}`.execute(db);
  return { items: rows };
}

export async function deleteOldEmptySearches(db: Database): Promise<void> {
  await sql`delete from empty_search where day <= utc_day(now()) - ${sql.lit(emptySearchDays)}`.execute(db);
}
