import { type Command, InvalidArgumentError } from 'commander';
import type { Reader } from '#server/core/database.ts';
import { createTerminalProgress, type Output } from '#server/core/progress.ts';
import { readSiteSettings } from '#server/core/site-settings.ts';
import { type ReplayRow, replaySpam, type SpamReplay } from './spam-replay.ts';

export type SpamCommandDeps = {
  /** Opens a replica or the database to read from, without migrating it, with the site's address. */
  withReader: <Result>(work: (db: Reader, publicUrl: string | null) => Promise<Result>) => Promise<Result>;
  out: Output;
  err: Output;
};

/** Adds `spam replay`. */
export function registerSpamCommands(program: Command, deps: SpamCommandDeps): void {
  program
    .command('spam')
    .description('measure the spam rules and the spam classifier')
    .command('replay')
    .description(
      'show what the spam rules and the classifier would have held in the history of this community',
    )
    .option('--since <time>', 'judge posts from this time on; the classifier learns from all', isoTime)
    .option('--json', 'write one JSON document instead of a table')
    .addHelpText('after', help)
    .action(async ({ since, json = false }: { since?: Date; json?: boolean }) => {
      const replay = await deps.withReader((db, publicUrl) => runReplay(db, deps, { publicUrl, since }));
      deps.out.write(json ? `${JSON.stringify(replay, undefined, 1)}\n` : formatReplay(replay));
    });
}

const help = `
It reads only, also while Parley serves, and from a replica if DATABASE_REPLICA_URLS names one. Posts are judged in the
order in which they were written, by the spam rules of today's settings and by what moderators had decided until then.

Spam: posts that moderators deleted as spam, rejected as spam, removed with all activity of an account, or removed after
a report of spam. Others: posts that are visible 7 days later. Only the first posts of members are judged, as many as
the setting spamRulesOfFirstPosts says. The text is that of today, after edits. Deleted posts are deleted permanently
after 30 days and are then missing in a replay.

Example of a time: 2026-01-31T18:00:00Z.`;

async function runReplay(
  db: Reader,
  { err }: SpamCommandDeps,
  { publicUrl, since }: { publicUrl: string | null; since: Date | undefined },
): Promise<SpamReplay> {
  const values = await readSiteSettings(db);
  const progress = createTerminalProgress(err, {
    describe: (posts) => `${posts.toLocaleString('en')} posts`,
  });
  let isStarted = false;
  try {
    return await replaySpam(db, {
      since: since ?? null,
      settings: { get: (name) => values[name] },
      publicUrl,
      onProgress(done, total) {
        if (!isStarted) progress.start(total);
        isStarted = true;
        progress.update('history', Math.min(done, total), done);
      },
    });
  } finally {
    if (isStarted) progress.stop();
  }
}

/** The replay as text for people. */
export function formatReplay(replay: SpamReplay): string {
  const { judged, learned, deletedSpam, leftOut, firstEstimateAt } = replay;
  const shown = replay.rows.filter(
    ({ minProbability }) => minProbability === null || firstEstimateAt !== null,
  );
  return `${[
    `${formatNumber(judged.spam + judged.others)} first posts of members were judged: ${formatNumber(judged.spam)} spam, ${formatNumber(judged.others)} others.`,
    `First posts are the first ${replay.firstPosts} of a member. Later spam, which is always missed: ${formatNumber(judged.spamLater)}.`,
    `Left out: ${formatNumber(leftOut)} posts that were removed for another reason or are younger than 7 days.`,
    ...(deletedSpam > 0
      ? [
          `Missing: ${formatNumber(deletedSpam)} spam posts that were deleted permanently, 30 days after a moderator deleted them.`,
        ]
      : []),
    `The classifier learned ${formatNumber(learned.spam)} spam posts and ${formatNumber(learned.others)} others.`,
    firstEstimateAt === null
      ? `That is too little for estimates: it needs ${learned.needed} of both.`
      : `It made estimates from ${firstEstimateAt.slice(0, 10)} on. ${formatNumber(replay.spamWithoutEstimate)} spam posts were written before and count as missed.`,
    '',
    formatTable(shown.map((row) => toCells(row, judged.others))),
    '',
    'held spam: would have been held rightly. held others: would have been held wrongly.',
    ...(firstEstimateAt === null
      ? []
      : ['Estimates are rounded and end at 99 %, so the row for 99 % begins at about 98.5 %.']),
  ].join('\n')}\n`;
}

const header = [
  'held by',
  'held spam',
  'held others',
  'missed spam',
  'precision',
  'recall',
  'wrongly held of 1,000',
];

function toCells(row: ReplayRow, others: number): string[] {
  const { heldBy, minProbability, spam, others: wrongly, missed, precision, recall } = row;
  return [
    minProbability === null
      ? 'rules'
      : `${heldBy === 'classifier' ? '' : 'rules or '}probability ≥ ${minProbability} %`,
    ...[spam, wrongly, missed].map(formatNumber),
    ...[precision, recall].map((share) => (share === null ? '–' : `${(100 * share).toFixed(1)} %`)),
    others === 0 ? '–' : ((1_000 * wrongly) / others).toFixed(1),
  ];
}

function formatTable(rows: readonly string[][]): string {
  const widths = header.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const format = (cells: readonly string[]) =>
    cells
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ');
  return [header, ...rows].map(format).join('\n');
}

const formatNumber = (value: number) => value.toLocaleString('en');

function isoTime(text: string): Date {
  const time = new Date(text);
  if (!/^\d{4}-\d\d-\d\d/.test(text) || Number.isNaN(time.getTime()))
    throw new InvalidArgumentError('Must be a time such as 2026-01-31T18:00:00Z.');
  return time;
}
