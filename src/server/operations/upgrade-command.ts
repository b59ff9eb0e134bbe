import type { Command } from 'commander';
import { openDatabase } from '#server/core/database.ts';
import { StartupError } from '#server/core/startup-error.ts';
import type { DoctorCommandDeps } from './doctor-command.ts';
import { formatFinding } from './doctor-findings.ts';
import { formatMigration, planUpgrade } from './upgrade-check.ts';

type UpgradeCommandDeps = Omit<DoctorCommandDeps, 'err'> & { version: string };

/** Adds `upgrade`. */
export function registerUpgradeCommand(program: Command, deps: UpgradeCommandDeps): void {
  program
    .command('upgrade')
    .description('say what starting this version would do to the database')
    .option('--check', 'examine the database; required, because starting the new version is the upgrade')
    .option('--json', 'write one JSON document instead of lines')
    .addHelpText('after', help)
    .action(async (options: { check?: boolean; json?: boolean }) => {
      if (options.check !== true)
        throw new StartupError(
          'Starting a new version is the upgrade (docs/operating.md). To see what it would do, run: parley upgrade --check',
        );
      deps.exitWith(await checkUpgrade(deps, options.json ?? false));
    });
}

const help = `
Run it with the new version, while the previous one serves. It reads only.

Exit codes: 0 the upgrade can be done; 3 there are warnings; 1 there are problems.`;

async function checkUpgrade(deps: UpgradeCommandDeps, json: boolean): Promise<number> {
  const { out, version, migrationsDirectory } = deps;
  const config = deps.readConfig();
  const { connection, stop } = await deps.connect(config);
  const db = openDatabase({ connection });
  try {
    const { migrations, findings } = await planUpgrade(db, { config, migrationsDirectory });
    if (json) out.write(`${JSON.stringify({ version, migrations, findings }, undefined, 1)}\n`);
    else {
      out.write(`Parley ${version}\n`);
      for (const finding of findings) out.write(formatFinding(finding));
      if (migrations.length > 0) out.write('\nMigrations that would be applied:\n');
      for (const migration of migrations) out.write(formatMigration(migration));
    }
    if (findings.some(({ level }) => level === 'problem')) return 1;
    return findings.some(({ level }) => level === 'warning') ? 3 : 0;
  } finally {
    await db.destroy();
    await stop();
  }
}
