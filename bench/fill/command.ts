import { type Command, InvalidArgumentError } from 'commander';
import { pino } from 'pino';
import { connectDatabase } from '#server/postgres/connect.ts';
import { readConfig } from '#server/core/config.ts';
import { openDatabase } from '#server/core/database.ts';
import { migrate } from '#server/postgres/migrations.ts';
import { findViolations } from '#server/operations/integrity-check.ts';
import { migrationsDirectory } from '#server/core/paths.ts';
import { benchPassword, fill } from './fill.ts';
import { getComparisonShape, getShape } from './shape.ts';
import { memberEmail } from './tables.ts';
import path from 'node:path';

type Options = {
  questions: number;
  data?: string;
  seed: number;
  newest: Date;
  comparison?: true;
  check?: true;
};

const wholeNumber = (text: string) => {
  if (!/^\d{1,8}$/u.test(text)) throw new InvalidArgumentError('Must be a whole number.');
  return Number(text);
};

const date = (text: string) => {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) throw new InvalidArgumentError('Must be a date such as 2026-11-22.');
  return time;
};

/** Today at 00:00 UTC. */
const today = () => new Date(new Date().toISOString().slice(0, 10));

/** Adds the command `fill`. */
export function registerFill(program: Command): void {
  program
    .command('fill')
    .description('fill an empty database (DATABASE_URL or --data) with a generated community')
    .option('--questions <count>', 'number of questions: 10000, 100000, 1000000 …', wholeNumber, 10_000)
    .option('--comparison', '20,000 questions with two answers each instead')
    .option('--data <directory>', 'data directory with an embedded PostgreSQL, created if missing')
    .option('--seed <number>', 'the same seed creates the same community', wholeNumber, 1)
    .option('--newest <date>', 'date of the newest post', date, today())
    .option('--check', 'verify all counts afterwards (reads all tables)')
    .addHelpText('after', help)
    .action(runFill);
}

const help = `
Every member signs in with the password ${benchPassword}: ${memberEmail(1)}, ${memberEmail(2)} …
A question has 2.5 answers, 3 replies, 10 votes and 20 views on average; a few have very many. The use of tags and the
activity of members follow Zipf's law. The posts span ten years.`;

async function runFill(options: Options): Promise<void> {
  const { questions, data, seed, comparison, check } = options;
  const newest = options.newest.getTime();
  const shape = comparison ? getComparisonShape({ seed, newest }) : getShape({ questions, seed, newest });
  const environment =
    data === undefined ? process.env : { ...process.env, DATABASE_URL: '', PARLEY_DATA: path.resolve(data) };
  const { connection, stop } = await connectDatabase(readConfig(environment), pino({ level: 'warn' }));
  const db = openDatabase({ connection: { ...connection, statement_timeout: 0 } });
  try {
    await migrate(db, migrationsDirectory);
    const began = performance.now();
    const seconds = () => Math.round((performance.now() - began) / 1_000);
    let next = 0;
    await fill({
      connection,
      shape,
      log(message) {
        // Prints frequent messages only from time to time.
        if (/ of .* questions$/u.test(message) && performance.now() < next) return;
        next = performance.now() + 5_000;
        process.stderr.write(`${String(seconds()).padStart(5)} s  ${message}\n`);
      },
    });
    console.log(`Filled in ${seconds()} s.`);
    if (!check) return;
    const broken = await findViolations(db);
    console.log(broken.length === 0 ? 'Every count equals its rows.' : broken);
    if (broken.length > 0) process.exitCode = 1;
  } finally {
    await db.destroy();
    await stop();
  }
}
