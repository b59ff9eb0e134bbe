import type { Command } from 'commander';
import type { Config } from '#server/core/config.ts';
import type { ConnectedDatabase } from '#server/postgres/index.ts';
import { type Output, createTerminalProgress } from '#server/core/progress.ts';
import { runUntilInterrupted } from '#server/core/signals.ts';
import { StartupError } from '#server/core/startup-error.ts';
import type { RepairedRow } from './integrity-repair.ts';
import { runDoctor } from './doctor.ts';
import { type Finding, createFinding, formatFinding } from './doctor-findings.ts';

export type DoctorCommandDeps = {
  /** @throws StartupError if the settings are invalid */
  readConfig: () => Config;
  /** Opens the community's database without migrating it. */
  connect: (config: Config) => Promise<ConnectedDatabase>;
  migrationsDirectory: string;
  out: Output;
  err: Output;
  exitWith: (code: number) => unknown;
};

type Options = { json?: boolean; quick?: boolean; repair?: boolean; testEmail?: string };

/** Adds `doctor`. */
export function registerDoctorCommand(program: Command, deps: DoctorCommandDeps): void {
  program
    .command('doctor')
    .description('run health checks and say what to do')
    .option('--quick', 'skip the comparison of every count with its rows')
    .option('--repair', 'recount what is wrong, also while Parley serves, and list the changes')
    .option('--test-email <address>', 'send a test email to this address')
    .option('--json', 'write one JSON document instead of lines')
    .addHelpText('after', help)
    .action(async (options: Options) => {
      const interrupted = 'Repairs until then are kept.';
      const run = (signal: AbortSignal) => runDoctorCommand(options, deps, signal);
      deps.exitWith(await runUntilInterrupted(deps.err, { run, interrupted }));
    });
}

const help = `
It checks the settings, the public address, the mail server, disks, the database, clocks, the event stream, jobs,
backups, replicas, and every count. It changes nothing without --repair and sends no email without --test-email.

Exit codes: 0 nothing found, or only hints; 3 there are warnings; 1 there are problems; 130 interrupted.`;

async function runDoctorCommand(
  options: Options,
  deps: DoctorCommandDeps,
  signal: AbortSignal,
): Promise<number> {
  const { out, err, connect, migrationsDirectory } = deps;
  const { json = false, quick = false, repair: isRepairing = false, testEmail: emailTo } = options;
  const onFinding = (finding: Finding) => void (json || out.write(formatFinding(finding)));
  let findings: Finding[] = [];
  let changed: RepairedRow[] = [];
  try {
    const config = deps.readConfig();
    ({ findings, changed } = await runDoctor({
      config,
      connect: () => connect(config),
      migrationsDirectory,
      quick,
      isRepairing,
      emailTo,
      onFinding,
      progress: createTerminalProgress(err),
      signal,
    }));
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    findings = [
      createFinding('settings')(
        'problem',
        error.message,
        'Parley does not start with these settings.',
        'Correct them in the environment or .env.',
      ),
    ];
    findings.forEach(onFinding);
  }
  const count = (level: Finding['level']) => findings.filter((finding) => finding.level === level).length;
  const [problems, warnings] = [count('problem'), count('warning')];
  if (json)
    out.write(`${JSON.stringify({ well: problems + warnings === 0, findings, changed }, undefined, 1)}\n`);
  else {
    for (const { rule, id, stored, expected } of changed)
      out.write(`changed   ${rule} of ${id}: from ${stored} to ${expected}\n`);
    out.write(`\n${problems} problems, ${warnings} warnings, ${count('hint')} hints.\n`);
  }
  if (problems > 0) return 1;
  return warnings > 0 ? 3 : 0;
}
