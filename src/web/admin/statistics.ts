import { queryOptions } from '@tanstack/react-query';
import type { StatisticsUnit } from '#shared/admin/statistics.ts';
import { api, readJson } from '#web/core/api.ts';
import { paths, stringifySearch } from '#web/core/paths.ts';

/** What the statistics page shows: a unit, the topic, and the first day of the chosen period. */
export type StatisticsView = { unit: StatisticsUnit; tag: string | undefined; start: string | undefined };

export const statisticsPath = ({ unit, tag, start }: Partial<StatisticsView>) =>
  `${paths.statistics}${stringifySearch({ unit, tag, start })}`;

export const downloadPath = (name: string, query: Record<string, unknown>) =>
  `/api/admin/statistics${name}.csv${stringifySearch(query)}`;

/** Days of searches that the page lists. */
export const searchDays = 30;

const statisticsKey = (...rest: readonly unknown[]) => ['admin', 'statistics', ...rest];

/** Milliseconds between two looks for the first count. */
const firstCountPollMs = 5_000;

export const statisticsQuery = ({ unit, tag }: Pick<StatisticsView, 'unit' | 'tag'>) =>
  queryOptions({
    queryKey: statisticsKey('periods', unit, tag),
    queryFn: ({ signal }) =>
      readJson(
        api.admin.statistics.$get(
          { query: { unit, ...(tag !== undefined && { tag }) } },
          { init: { signal } },
        ),
      ),
    staleTime: 0,
    // Before the first count, until it is there.
    refetchInterval: ({ state }) => (state.data?.countedAt === null ? firstCountPollMs : false),
  });

export const tagStatisticsQuery = ({ unit, day }: { unit: StatisticsUnit; day: string }) =>
  queryOptions({
    queryKey: statisticsKey('tags', unit, day),
    queryFn: ({ signal }) =>
      readJson(api.admin.statistics.tags.$get({ query: { unit, day } }, { init: { signal } })),
    staleTime: 0,
  });

export const emptySearchesQuery = queryOptions({
  queryKey: statisticsKey('searches'),
  queryFn: ({ signal }) =>
    readJson(
      api.admin.statistics.searches.$get({ query: { days: String(searchDays) } }, { init: { signal } }),
    ),
  staleTime: 0,
});
