import { type Database, type Reader, transaction, type Tx } from '#server/core/database.ts';
import { databaseNowMs } from '#server/core/database-clock.ts';
import { ProblemError } from '#server/core/errors.ts';
import type { JobDefinition } from '#server/core/job-queue.ts';
import { deleteOldEmptySearches, findTagByKey } from '#server/discovery/index.ts';
import { tagKey } from '#shared/core/text.ts';
import {
  addPeriods,
  getPeriodStart,
  type PeriodStatistics,
  periodsShown,
  type Statistics,
  statisticsUnit,
  type StatisticsUnit,
  type TagStatistics,
} from '#shared/admin/statistics.ts';
import {
  countPeriod,
  deleteOldStatistics,
  findCountState,
  listPeriods,
  listPeriodTags,
  listTagPeriods,
  lockCounts,
  markDaysSince,
  type PeriodRow,
  type PeriodTagRow,
  planOncePerPeriod,
  saveCountState,
  takeStalePeriods,
  type TagPeriodRow,
} from './statistics-queries.ts';

/** Milliseconds that one run of the job may take. The next minute's run continues. */
const jobTimeoutMs = 50_000;

/** The pause after a run, as a multiple of its duration: counting takes at most 1 % of the time. */
const pauseFactor = 100;

/** Counts the statistics of the community (docs/decisions/074). */
export function communityStatisticsJob(db: Database): JobDefinition {
  return {
    name: 'community-statistics',
    retries: { limit: 0, delaySeconds: 1, maxDelaySeconds: 1 },
    timeoutSeconds: 300,
    concurrency: 1,
    runsEvery: 'minute',
    async run() {
      const state = await findCountState(db);
      if (state !== null && databaseNowMs() < state.countedAt.getTime() + state.tookMs * pauseFactor) return;
      await countStatistics(db, Date.now() + jobTimeoutMs);
    },
  };
}

/**
 * Counts the current day, week and month, and those that are stale. Returns the number of periods.
 * @param until milliseconds since 1970; no transaction starts later
 */
export async function countStatistics(db: Database, until: number): Promise<number> {
  const started = performance.now();
  const countedAt = await markDaysSince(db, (await findCountState(db))?.countedAt ?? null);
  let [counted, isComplete] = [0, false];
  while (!isComplete && Date.now() < until) {
    const periods = await countLatestMonth(db, countedAt);
    counted += periods;
    isComplete = periods === 0;
  }
  for (const unit of statisticsUnit.options)
    await deleteOldStatistics(db, { unit, before: getFirstPeriod(unit, countedAt) });
  await deleteOldEmptySearches(db);
  // After an interruption, the next run follows immediately.
  await saveCountState(db, { countedAt, tookMs: isComplete ? performance.now() - started : 0 });
  return counted;
}

/** Counts the periods of the latest month with stale days. Returns how many; 0 if no day is stale. */
async function countLatestMonth(db: Database, now: Date): Promise<number> {
  const count = async (tx: Tx) => {
    await lockCounts.execute(tx);
    await planOncePerPeriod.execute(tx);
    const periods = await takeStalePeriods(tx);
    for (const { unit, start } of periods)
      await countPeriod(tx, { unit, start, tagsFrom: getFirstPeriod(unit, now) });
    return periods.length;
  };
  // A short wait for a lock would repeat all of it.
  return transaction(db, count, { lockTimeoutMs: 0 });
}

/** A period by any of its days; the current one without a day. */
type TagPeriod = { unit: StatisticsUnit; day?: string | undefined };

const getCurrentDay = () => toDay(new Date(databaseNowMs()));
const toDay = (at: Date) => at.toISOString().slice(0, 10);

/** The period before the first one of a chart. */
function getFirstPeriod(unit: StatisticsUnit, now: Date): string {
  return addPeriods(unit, getPeriodStart(unit, toDay(now)), -periodsShown[unit]);
}

/**
 * Returns the latest periods of the community or a tag, with zeros for periods that are not stored.
 * @throws ProblemError 'tag-not-found'
 */
export async function readStatistics(
  db: Reader,
  { unit, tag }: { unit: StatisticsUnit; tag: string | undefined },
): Promise<Statistics> {
  const from = getFirstPeriod(unit, new Date(databaseNowMs()));
  const window = { unit, from, limit: periodsShown[unit] + 1 };
  const rows =
    tag === undefined
      ? (await listPeriods(db, window)).map(toPeriod)
      : (await listTagPeriods(db, { ...window, tagId: await findTagId(db, tag) })).map(toTagPeriod);
  const byStart = new Map(rows.map((row) => [row.start, row]));
  const state = await findCountState(db);
  return {
    unit,
    countedAt: state?.countedAt.toISOString() ?? null,
    periods: Array.from({ length: window.limit }, (_, index) => {
      const start = addPeriods(unit, from, index);
      return byStart.get(start) ?? createEmptyPeriod(start, tag === undefined);
    }),
  };
}

async function findTagId(db: Reader, tag: string): Promise<number> {
  const row = await findTagByKey(db, tagKey(tag));
  if (row === undefined) throw new ProblemError('tag-not-found');
  return row.id;
}

/** Tags of one page. */
const tagsShown = 20;

/** Returns the tags with the most questions in a period. */
export async function readTagStatistics(
  db: Reader,
  { unit, day = getCurrentDay() }: TagPeriod,
): Promise<TagStatistics> {
  const start = getPeriodStart(unit, day);
  const window = { unit, start, before: addPeriods(unit, start, -1), after: null, limit: tagsShown };
  return { start, items: (await listPeriodTags(db, window)).map(toTagItem) };
}

/** Rows that a download reads at once. */
const batchSize = 500;

/** All stored periods of the community or a tag, the oldest first. */
export async function* exportPeriods(
  db: Reader,
  { unit, tag }: { unit: StatisticsUnit; tag: string | undefined },
): AsyncGenerator<PeriodStatistics> {
  const tagId = tag === undefined ? null : await findTagId(db, tag);
  let from: string | null = '0001-01-01';
  while (from !== null) {
    const window: Parameters<typeof listPeriods>[1] = { unit, from, limit: batchSize };
    const periods =
      tagId === null
        ? (await listPeriods(db, window)).map(toPeriod)
        : (await listTagPeriods(db, { ...window, tagId })).map(toTagPeriod);
    yield* periods;
    const last = periods.at(-1);
    from = last === undefined || periods.length < batchSize ? null : addPeriods(unit, last.start, 1);
  }
}

/** All tags of a period, those with the most questions first. */
export async function* exportTags(
  db: Reader,
  { unit, day = getCurrentDay() }: TagPeriod,
): AsyncGenerator<TagStatistics['items'][number]> {
  const start = getPeriodStart(unit, day);
  const before = addPeriods(unit, start, -1);
  let after: PeriodTagRow | null = null;
  do {
    const rows: PeriodTagRow[] = await listPeriodTags(db, { unit, start, before, after, limit: batchSize });
    yield* rows.map(toTagItem);
    after = rows.length < batchSize ? null : (rows.at(-1) ?? null);
  } while (after !== null);
}

const toCounts = (row: TagPeriodRow | PeriodTagRow) => ({
  questions: row.questions,
  answeredQuestions: row.answered_questions,
  solvedQuestions: row.solved_questions,
  firstAnswerSeconds: row.first_answer_seconds,
  answers: row.answers,
});

const toTagPeriod = (row: TagPeriodRow): PeriodStatistics => ({
  start: row.start,
  ...toCounts(row),
  community: null,
});

const toPeriod = (row: PeriodRow): PeriodStatistics => ({
  start: row.start,
  ...toCounts(row),
  community: {
    activeMembers: row.active_members,
    newMembers: row.new_members,
    reports: row.reports,
    handledReports: row.handled_reports,
    handlingSeconds: row.handling_seconds,
    moderationActions: row.moderation_actions,
  },
});

const toTagItem = (row: PeriodTagRow) => ({
  tag: row.name,
  ...toCounts(row),
  questionsBefore: row.questions_before,
});

function createEmptyPeriod(start: string, isCommunity: boolean): PeriodStatistics {
  return {
    start,
    questions: 0,
    answeredQuestions: 0,
    solvedQuestions: 0,
    firstAnswerSeconds: null,
    answers: 0,
    community: isCommunity
      ? {
          activeMembers: 0,
          newMembers: 0,
          reports: 0,
          handledReports: 0,
          handlingSeconds: null,
          moderationActions: 0,
        }
      : null,
  };
}
