import { listMembersByEmail } from '#server/identity/index.ts';
import type { MemberCommandDeps, Output } from '#server/core/progress.ts';
import { Presets, SingleBar } from 'cli-progress';
import { type Command, InvalidArgumentError } from 'commander';
import type { Database } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import { eventChannel, notifyNodes } from '#server/core/events.ts';
import type { RemovalPreview, RemovalSelection } from '#shared/moderation/removals.ts';
import { readRegistrationNetworks } from './registrations.ts';
import { beginRemoval, beginRestoration, previewRemoval, readRemoval } from './removals.ts';
import { runRemovalStep } from './activity-removal.ts';

export type RemovalCommandDeps = MemberCommandDeps & { err: Output };

type Options = { network?: string; since?: Date; until?: Date; reason: string; dryRun?: boolean };

/** Adds `member registrations`, `member remove-activity` and `member restore-activity`. */
export function addRemovalCommands(members: Command, parts: RemovalCommandDeps): void {
  const { withDatabase, out } = parts;
  members
    .command('registrations')
    .description('list the networks from which accounts registered')
    .option('--hours <number>', 'how far back, up to 720', wholeNumber(1, 720), 24)
    .addHelpText(
      'after',
      '\nColumns: network, accounts, accounts waiting for approval, first and last registration.',
    )
    .action(async ({ hours }: { hours: number }) => {
      const { items } = await withDatabase((db) => readRegistrationNetworks(db, { hours }));
      for (const { network, accounts, pendingAccounts, firstAt, latestAt } of items)
        out.write(`${network ?? '(not stored)'}\t${accounts}\t${pendingAccounts}\t${firstAt}\t${latestAt}\n`);
    });
  members
    .command('remove-activity')
    .description('remove all posts and votes of many accounts')
    .argument('[email...]', 'email addresses of the accounts')
    .option('--network <network>', 'instead: all accounts that registered from this network')
    .option('--since <time>', 'with --network: registered at this time or later', isoTime)
    .option('--until <time>', 'with --network: registered at this time or earlier', isoTime)
    .requiredOption('--reason <text>', 'the reason; every member can read it in the moderation log')
    .option('--dry-run', 'show what would be removed, and change nothing')
    .addHelpText(
      'after',
      '\nThe accounts stay; moderators are skipped. The command works in small steps, also while a server runs. If it is\n' +
        'interrupted, a running server finishes the removal, and so does `parley member continue-removal NUMBER`.\n' +
        '`parley member restore-activity NUMBER` restores everything. Networks are stored for 30 days;\n' +
        '`parley member registrations` lists them. Example of a time: 2026-01-31T18:00:00Z.\n\n' +
        'Exit codes: 0 done; 1 nothing was selected, or an address has no account.',
    )
    .action((emails: string[], options: Options) =>
      reportProblem(parts, () => removeActivity(parts, emails, options)),
    );
  members
    .command('restore-activity')
    .description('restore everything that a removal took')
    .argument('<number>', 'the number of the removal', wholeNumber(1, Number.MAX_SAFE_INTEGER))
    .requiredOption('--reason <text>', 'the reason; every member can read it in the moderation log')
    .addHelpText('after', '\nExit codes: 0 done; 1 there is no such removal, or it is already restored.')
    .action((id: number, { reason }: { reason: string }) =>
      reportProblem(parts, () =>
        withDatabase(async (db) => {
          await beginRestoration(db, { id, reason, remover: { moderatorId: null } });
          await runRemoval(parts, db, id);
        }),
      ),
    );
  members
    .command('continue-removal')
    .description('finish a removal or a restoration that was interrupted')
    .argument('<number>', 'the number of the removal', wholeNumber(1, Number.MAX_SAFE_INTEGER))
    .action((id: number) => reportProblem(parts, () => withDatabase((db) => runRemoval(parts, db, id))));
}

async function removeActivity(parts: RemovalCommandDeps, emails: string[], options: Options): Promise<void> {
  const { withDatabase, out } = parts;
  await withDatabase(async (db) => {
    const selection = await resolveSelection(db, emails, options);
    showPreview(out, await previewRemoval(db, selection));
    if (options.dryRun === true) {
      out.write('Nothing was changed.\n');
      return;
    }
    const id = await beginRemoval(db, { selection, reason: options.reason, remover: { moderatorId: null } });
    out.write(`Removal ${id} started.\n`);
    await runRemoval(parts, db, id);
  });
}

async function resolveSelection(
  db: Database,
  emails: readonly string[],
  { network, since, until }: Options,
): Promise<RemovalSelection> {
  const members = await listMembersByEmail(db, emails);
  const unknown = emails.filter(
    (email) => !members.some((each) => each.email === email.trim().toLowerCase()),
  );
  if (unknown.length > 0)
    throw new ProblemError('accounts-not-found', { params: { emails: unknown.join(', ') } });
  const memberIds = members.map(({ id }) => id);
  return {
    memberIds,
    network: network ?? null,
    from: since?.toISOString() ?? null,
    to: until?.toISOString() ?? null,
  };
}

function showPreview(out: Output, preview: RemovalPreview): void {
  const { accounts, questions, answers, replies, votes, othersPosts, moderators, alreadyRemoved } = preview;
  out.write(
    `Accounts: ${accounts}. Questions: ${questions}. Answers: ${answers}. Replies: ${replies}. Votes: ${votes}.\n`,
  );
  if (othersPosts > 0)
    out.write(`Posts of others below these, which are hidden with them: ${othersPosts}.\n`);
  if (moderators > 0) out.write(`Skipped moderators: ${moderators}.\n`);
  if (alreadyRemoved > 0)
    out.write(`Skipped accounts whose activity is already removed: ${alreadyRemoved}.\n`);
  for (const item of preview.items)
    out.write(
      `  ${item.id}\t${printable(item.displayName)}\t${item.questions} questions, ${item.answers} answers, ` +
        `${item.replies} replies, ${item.votes} votes\n`,
    );
  if (preview.items.length < accounts) out.write(`  … and ${accounts - preview.items.length} more\n`);
  if (preview.sample.length > 0) out.write('The latest posts:\n');
  for (const post of preview.sample)
    out.write(
      `  ${post.kind} ${post.id} by ${printable(post.authorName)}: ${printable(post.text).slice(0, 100)}\n`,
    );
}

/** Removes control characters from member texts before they are written to the terminal. */
const printable = (text: string) => text.replace(/[\p{Cc}\p{Cf}]+/gu, ' ');

/** Runs steps until the removal or restoration has finished. Running nodes may work on it at the same time. */
async function runRemoval({ out, err }: RemovalCommandDeps, db: Database, id: number): Promise<void> {
  const removal = await readRemoval(db, id);
  const bar = createProgressBar(err, removal.posts + removal.votes);
  let shownAt = 0;
  try {
    while (await runRemovalStep(db, id)) {
      if (Date.now() - shownAt < 250) continue;
      const { postsDone, votesDone } = await readRemoval(db, id);
      bar.update(postsDone + votesDone);
      shownAt = Date.now();
    }
  } finally {
    bar.stop();
    // The process would exit before its own notification is sent.
    await notifyNodes(db, eventChannel, '');
  }
  const { state, accounts, postsDone, votesDone } = await readRemoval(db, id);
  out.write(
    `Removal ${id} is ${state}: ${accounts} accounts, ${postsDone} posts (with everything below them), ${votesDone} votes.\n`,
  );
}

/** Shows a progress bar in a terminal, nothing elsewhere. */
function createProgressBar(err: Output, total: number): { update: (done: number) => void; stop: () => void } {
  if (!('isTTY' in err) || err.isTTY !== true) return { update: () => {}, stop: () => {} };
  const bar = new SingleBar(
    {
      stream: err as unknown as NodeJS.WriteStream,
      format: '{bar} {percentage}% | {value} of {total} posts and votes | {eta_formatted} left',
      hideCursor: true,
      stopOnComplete: false,
    },
    Presets.shades_classic,
  );
  bar.start(total, 0);
  return { update: (done) => bar.update(done), stop: () => bar.stop() };
}

/** Writes a refusal as one sentence, with exit code 1. */
async function reportProblem(
  { err, exitWith }: RemovalCommandDeps,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    err.write(`${error.message}\n`);
    exitWith(1);
  }
}

const wholeNumber = (min: number, max: number) => (text: string) => {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < min || number > max)
    throw new InvalidArgumentError(`Must be a whole number from ${min} to ${max}.`);
  return number;
};

function isoTime(text: string): Date {
  const time = new Date(text);
  if (!/^\d{4}-\d\d-\d\d/.test(text) || Number.isNaN(time.getTime()))
    throw new InvalidArgumentError('Must be a time such as 2026-01-31T18:00:00Z.');
  return time;
}
