import { projectRoot } from '#server/core/paths.ts';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { Command, CommanderError } from 'commander';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { findViolations } from '#server/operations/integrity-check.ts';
import { toDatabaseUrl } from '#tests/support/database-url.ts';
import { compileCache } from '#tests/support/parley-process.ts';
import { eventually } from '#tests/support/parley.ts';
import { addRemovalCommands } from './removals-command.ts';
import { startModeration } from '#tests/support/moderation.ts';

const { server, ann, moderator, community } = await startModeration();
const { db } = server;
const network = '203.0.113.5';
const program = path.join(projectRoot, 'src/server/cli-main.ts');
const env = {
  PATH: process.env['PATH'],
  NODE_COMPILE_CACHE: compileCache,
  DATABASE_URL: toDatabaseUrl(server.database.connection),
  SECRET: 'a secret that only this test knows, long enough',
  LOG_LEVEL: 'error',
};

type Ended = { code: number; out: string; err: string };

/** Runs a command of the program on this test's database. */
async function parley(...parameters: string[]): Promise<Ended> {
  const ended: Ended = { code: 0, out: '', err: '' };
  const output = { write: (text: string) => (ended.out += text) };
  const errors = { write: (text: string) => (ended.err += text) };
  const group = new Command('member').exitOverride().configureOutput({
    writeOut: output.write,
    writeErr: errors.write,
  });
  addRemovalCommands(group, {
    withDatabase: (work) => work(db),
    out: output,
    err: errors,
    exitWith: (code) => (ended.code = code),
  });
  try {
    await group.parseAsync(parameters, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    ended.code = error.exitCode === 0 ? 0 : 2;
  }
  return ended;
}

const reason = ['--reason', 'Sellers of watches'];

test('removes all activity of a network from the command line, survives a kill, and restores everything', async () => {
  const sellers = [await server.register('Seller one'), await server.register('Seller two')];
  const id = await ann.ask();
  for (const seller of sellers) {
    await sql`insert into registration (member_id, network) values (${seller.id}, ${network})
      on conflict (member_id) do update set network = excluded.network`.execute(db);
    for (let n = 0; n < 30; n++) await seller.answer(id, `Cheap watches ${n}.`);
    await seller.vote('questions', id, 'up');
  }
  const before = await community();

  const listed = await parley('registrations');
  expect(listed.out).toContain(`${network}\t2\t0\t`);
  const dry = await parley('remove-activity', '--network', network, ...reason, '--dry-run');
  expect(dry).toMatchObject({
    code: 0,
    out: expect.stringContaining('Accounts: 2. Questions: 0. Answers: 60.'),
  });
  expect(dry.out).toContain('Nothing was changed.');
  expect(await community()).toEqual(before);

  // The first process is killed while it removes. A second one finishes the work.
  const parameters = [program, 'member', 'remove-activity', '--network', network, ...reason];
  const child = spawn(process.execPath, parameters, { env, stdio: 'ignore' });
  const ended = once(child, 'close');
  await eventually(async () => {
    const { rows } = await sql<{
      done: number;
    }>`select sum(posts_done)::int as done from activity_removal`.execute(db);
    return (rows[0]?.done ?? 0) > 0;
  });
  child.kill('SIGKILL');
  await ended;
  const { rows } = await sql<{ id: number; left: number }>`
    select bulk_removal.id, (select count(*) from answer where author_id <> ${ann.id}) as left from bulk_removal`.execute(
    db,
  );
  const [removal] = rows;
  expect(removal?.left).toBeGreaterThan(0);
  expect(await findViolations(db)).toEqual([]);
  const finished = await parley('continue-removal', String(removal?.id));
  expect(finished.out).toContain('is removed: 2 accounts, 60 posts');
  expect((await ann.read(id)).question).toMatchObject({ answerCount: 0, upvotes: 0 });

  expect(await parley('restore-activity', String(removal?.id), '--reason', 'A class')).toMatchObject({
    code: 0,
    out: expect.stringContaining('is restored'),
  });
  expect(await community()).toEqual(before);
  expect(await findViolations(db)).toEqual([]);
});

test('refuses moderators, unknown addresses and invalid times on the command line, and changes nothing', async () => {
  const before = await community();
  expect(await parley('remove-activity', moderator.email, ...reason)).toMatchObject({
    code: 1,
    err: expect.stringContaining('Nothing is left to remove'),
  });
  expect(await parley('remove-activity', 'nobody@example.org', ...reason)).toMatchObject({
    code: 1,
    err: 'No account has the address nobody@example.org.\n',
  });
  expect((await parley('remove-activity', '--network', network, '--since', 'soon', ...reason)).code).toBe(2);
  expect((await parley('remove-activity', ann.email)).code).toBe(2);
  expect((await parley('remove-activity', ...reason)).code).toBe(1);
  const help = await parley('remove-activity', '--help');
  expect(help.out).toContain('--dry-run');
  expect(await community()).toEqual(before);
});
