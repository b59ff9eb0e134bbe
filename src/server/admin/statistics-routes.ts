import { createRoute, z } from '@hono/zod-openapi';
import { csvHeaders, type CsvValue, streamCsv } from '#server/core/csv.ts';
import { createRouter, jsonResponse, problemResponses } from '#server/core/http.ts';
import { readEmptySearches } from '#server/discovery/index.ts';
import { moderatorsOnly } from '#server/moderation/index.ts';
import {
  emptySearchDays,
  emptySearches,
  type PeriodStatistics,
  statistics,
  statisticsUnit,
  tagStatistics,
} from '#shared/admin/statistics.ts';
import { tagParam } from '#shared/core/fields.ts';
import { day } from '#shared/discovery/activity.ts';
import { exportPeriods, exportTags, readStatistics, readTagStatistics } from './statistics.ts';

const unit = statisticsUnit.default('week');
const ofPeriods = z.object({ unit, tag: tagParam.shape.tag.optional() });
/** Any day of the period. Absent: the current period. */
const ofTags = z.object({ unit, day: day.optional() });
const ofSearches = z.object({ days: z.coerce.number().int().min(1).max(emptySearchDays).default(30) });

const csvResponse = (description: string) => ({
  description,
  content: { 'text/csv': { schema: z.string() } },
});

const periodsRoute = createRoute({
  method: 'get',
  path: '/admin/statistics',
  summary: 'For moderators: get the statistics of the community or a tag per day, week or month (UTC)',
  request: { query: ofPeriods },
  responses: { 200: jsonResponse(statistics, 'The oldest period first'), ...problemResponses },
});

const tagsRoute = createRoute({
  method: 'get',
  path: '/admin/statistics/tags',
  summary: 'For moderators: list the tags with the most questions in the day, week or month of a day',
  request: { query: ofTags },
  responses: { 200: jsonResponse(tagStatistics, 'Most questions first'), ...problemResponses },
});

const searchesRoute = createRoute({
  method: 'get',
  path: '/admin/statistics/searches',
  summary: 'For moderators: list the most frequent searches without results of the last days',
  request: { query: ofSearches },
  responses: { 200: jsonResponse(emptySearches, 'Most frequent first'), ...problemResponses },
});

const periodsCsv = createRoute({
  method: 'get',
  path: '/admin/statistics.csv',
  summary: 'For moderators: download all statistics of the community or a tag as CSV',
  request: { query: ofPeriods },
  responses: { 200: csvResponse('A line per period, the oldest first'), ...problemResponses },
});

const tagsCsv = createRoute({
  method: 'get',
  path: '/admin/statistics/tags.csv',
  summary: 'For moderators: download all tags of a day, week or month as CSV',
  request: { query: ofTags },
  responses: { 200: csvResponse('A line per tag, most questions first'), ...problemResponses },
});

const searchesCsv = createRoute({
  method: 'get',
  path: '/admin/statistics/searches.csv',
  summary: 'For moderators: download the searches without results of the last days as CSV',
  request: { query: ofSearches },
  responses: { 200: csvResponse('A line per search, most frequent first'), ...problemResponses },
});

export function statisticsRoutes() {
  const routes = createRouter();
  for (const path of ['/admin/statistics/*', '/admin/statistics.csv']) routes.use(path, moderatorsOnly);
  return routes
    .openapi(periodsRoute, async (c) => {
      const { unit, tag } = c.req.valid('query');
      return c.json(await readStatistics(c.get('reader'), { unit, tag }), 200);
    })
    .openapi(tagsRoute, async (c) => {
      return c.json(await readTagStatistics(c.get('reader'), c.req.valid('query')), 200);
    })
    .openapi(searchesRoute, async (c) => {
      return c.json(await readEmptySearches(c.get('reader'), c.req.valid('query')), 200);
    })
    .openapi(periodsCsv, async (c) => {
      const { unit, tag } = c.req.valid('query');
      const db = c.get('reader');
      // Throws before the response begins if the tag does not exist.
      if (tag !== undefined) await readStatistics(db, { unit, tag });
      const head = [unit, ...postColumns, ...(tag === undefined ? communityColumns : [])];
      const body = streamCsv(head, mapLines(exportPeriods(db, { unit, tag }), toPeriodLine));
      return c.body(body, 200, csvHeaders(`statistics-${unit}s`));
    })
    .openapi(tagsCsv, async (c) => {
      const wanted = c.req.valid('query');
      const lines = mapLines(exportTags(c.get('reader'), wanted), (each) => [
        each.tag,
        ...toPostCounts(each),
        each.questionsBefore,
      ]);
      const body = streamCsv(['tag', ...postColumns, 'questions_before'], lines);
      return c.body(body, 200, csvHeaders(`tags-${wanted.unit}`));
    })
    .openapi(searchesCsv, async (c) => {
      const { days } = c.req.valid('query');
      const { items } = await readEmptySearches(c.get('reader'), { days, limit: maxSearchLines });
      const lines = mapLines(items, (each) => [each.query, each.searches, each.lastDay]);
      return c.body(streamCsv(['query', 'searches', 'last_day'], lines), 200, csvHeaders('searches'));
    });
}

/** Lines of a download of searches. */
const maxSearchLines = 10_000;

const postColumns = [
  'questions',
  'answered_questions',
  'solved_questions',
  'median_seconds_to_first_answer',
  'answers',
];
const communityColumns = [
  'active_members',
  'new_members',
  'reports',
  'handled_reports',
  'median_seconds_to_handle_a_report',
  'moderation_actions',
];

type PostCounts = Pick<
  PeriodStatistics,
  'questions' | 'answeredQuestions' | 'solvedQuestions' | 'firstAnswerSeconds' | 'answers'
>;

const toPostCounts = (each: PostCounts): CsvValue[] => [
  each.questions,
  each.answeredQuestions,
  each.solvedQuestions,
  each.firstAnswerSeconds,
  each.answers,
];

function toPeriodLine({ start, community, ...counts }: PeriodStatistics): CsvValue[] {
  const line = [start, ...toPostCounts(counts)];
  if (community === null) return line;
  return [
    ...line,
    community.activeMembers,
    community.newMembers,
    community.reports,
    community.handledReports,
    community.handlingSeconds,
    community.moderationActions,
  ];
}

async function* mapLines<Item>(
  items: AsyncIterable<Item> | Iterable<Item>,
  toLine: (item: Item) => CsvValue[],
): AsyncGenerator<CsvValue[]> {
  for await (const item of items) yield toLine(item);
}
