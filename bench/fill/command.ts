import { type Command, InvalidArgumentError } from 'commander';
import { pino } from 'pino';
import { connectDatabase } from '#server/postgres/connect.ts';
import { readConfig } from '#server/core/config.ts';
import { openDatabase } from '#server/core/database.ts';
import { migrate } from '#server/postgres/migrations.ts';
import { findViolations } from '#server/operations/integrity-check.ts';
import { migrationsDirectory } from '#server/serve.ts';
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
  if (!/^\d{1,8}$/u.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
};

const date = (text: string) => {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) throw new InvalidArgumentError('It must be a date such as 2026-11-22.');
  return time;
};

/** Today at its beginning, UTC. */
const today = () => new Date(new Date().toISOString().slice(0, 10));

/** Adds `fill`. */
export function registerFill(program: Command): void {
  program
    .command('fill')
    .description('fill the empty database of DATABASE_URL, or of a data folder, with a made-up community')
    .option('--questions <count>', 'how many questions: 10000, 100000, 1000000 …', wholeNumber, 10_000)
    .option('--comparison', 'instead 20,000 questions with two answers each, and nothing else')
    .option('--data <folder>', 'a data folder with a PostgreSQL of its own, made where there is none')
    .option('--seed <number>', 'the same seed makes the same community', wholeNumber, 1)
    .option('--newest <date>', 'the day of the newest post', date, today())
    .option('--check', 'count everything again afterwards (reads all tables)')
    .addHelpText('after', help)
    .action(runFill);
}

const help = `
Every member signs in with the password ${benchPassword}: ${memberEmail(1)}, ${memberEmail(2)} …
A question has 2.5 answers, 3 replies, 10 votes and 20 views on average; a few have very many. A tenth of the questions
has a hundredth of the tags, a few members write much of it. Ten years lie between the oldest post and the newest.`;

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
      log(sentence) {
        // What is said very often is shown now and then.
        if (/ of .* questions$/u.test(sentence) && performance.now() < next) return;
        next = performance.now() + 5_000;
        process.stderr.write(`${String(seconds()).padStart(5)} s  ${sentence}\n`);
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
