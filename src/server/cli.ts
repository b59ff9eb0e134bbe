import { Command, CommanderError } from 'commander';
import pg from 'pg';
import type { Logger } from 'pino';
import packageJson from '#package.json' with { type: 'json' };
import { addRemoveTwoFactorCommand, addResetPasswordCommand } from './identity/accounts-command.ts';
import { logSecurityEvents } from './identity/security-events.ts';
import { registerImportCommand } from './import-export/stack-exchange-command.ts';
import { registerBackupCommands } from './operations/backup-command.ts';
import { addMemberCommands } from './admin/members-command.ts';
import { addRemovalCommands } from './moderation/removals-command.ts';
import { registerDoctorCommand } from './operations/doctor-command.ts';
import { type Config, readConfig } from './core/config.ts';
import { connectBesideRunning } from './postgres/connect.ts';
import { type Database, openDatabase } from './core/database.ts';
import { createLogger } from './core/log.ts';
import { migrate, MigrationError } from './postgres/migrations.ts';
import { StartupError } from './core/startup-error.ts';
import { migrationsDirectory, serve } from './serve.ts';

/**
 * Runs one command line and gives the exit code: 0 done, 1 failed, 2 not understood. What keeps a command from its
 * work is one sentence on the standard error; only what nobody foresaw has a stack trace.
 */
export async function runCommand(parameters: string[]): Promise<number> {
  try {
    await createProgram().parseAsync(parameters, { from: 'user' });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    // Commander has said what is wrong, or was asked for help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    console.error(error instanceof StartupError || error instanceof MigrationError ? error.message : error);
    return 1;
  }
}

/** Every command, listed by hand. */
function createProgram(): Command {
  const program = new Command('parley')
    .description('A community question-and-answer server.')
    .helpOption('-h, --help', 'explain the command')
    .helpCommand(false)
    .showHelpAfterError('(parley --help lists the commands)')
    .addHelpText(
      'after',
      '\nThe configuration is the environment or the file .env; .env.example explains it.',
    )
    .exitOverride();
  program
    .command('serve')
    .description('serve the community (what npm start does)')
    .option('--demo', 'load the demo community first, to look around in')
    .action((options: { demo?: boolean }) => serve({ ...loadContext(), ...options }));
  program
    .command('migrate')
    .description('bring the database up to date, and nothing else')
    .action(() => migrateOnly(loadContext()));
  const terminal = {
    out: process.stdout,
    err: process.stderr,
    exitWith: (code: number) => (process.exitCode = code),
  };
  registerImportCommand(program, { ...terminal, withClient: (work) => withClient(work, 'migrated') });
  addResetPasswordCommand(program, { ...terminal, withDatabase });
  const members = addMemberCommands(program, { ...terminal, withDatabase });
  addRemoveTwoFactorCommand(members, { ...terminal, withDatabase });
  addRemovalCommands(members, { ...terminal, withDatabase });
  registerBackupCommands(program, {
    ...terminal,
    withClient,
    migrationsDirectory,
    version: packageJson.version,
  });
  registerDoctorCommand(program, {
    ...terminal,
    readConfig: () => readConfig(),
    connect: (config) => connectBesideRunning(config, createLogger('warn')),
    migrationsDirectory,
  });
  return program;
}

type CommandContext = { config: Config; log: Logger };

function loadContext(): CommandContext {
  const config = readConfig();
  return { config, log: createLogger(config.logLevel, config.nodeName) };
}

async function migrateOnly({ config, log }: CommandContext): Promise<void> {
  const { connection, stop } = await connectBesideRunning(config, log);
  const db = openDatabase({ connection });
  try {
    const applied = await migrate(db, migrationsDirectory, (name) => console.log(`Applying ${name} …`));
    console.log(applied.length === 0 ? 'The database is up to date.' : `Applied: ${applied.join(', ')}.`);
  } finally {
    await db.destroy();
    await stop();
  }
}

/** The community's database, brought up to date, and where its members find it. */
async function withDatabase<Result>(work: (db: Database, site: string) => Promise<Result>): Promise<Result> {
  const { config, log } = loadContext();
  const { connection, stop } = await connectBesideRunning(config, log);
  const db = openDatabase({ connection });
  try {
    await migrate(db, migrationsDirectory);
    logSecurityEvents(db, log);
    return await work(db, config.settings.publicUrl ?? `http://localhost:${config.port}`);
  } finally {
    await db.destroy();
    await stop();
  }
}

/** A connection of its own to the community's database, brought up to date where that is wanted. */
async function withClient<Result>(
  work: (client: pg.Client) => Promise<Result>,
  as: 'migrated' | 'as it is',
): Promise<Result> {
  const { config, log } = loadContext();
  const { connection, stop } = await connectBesideRunning(config, log);
  try {
    if (as === 'migrated') await migrateDatabase(connection);
    const client = new pg.Client({ ...connection, application_name: 'parley command' });
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end().catch(() => {});
    }
  } finally {
    await stop();
  }
}

async function migrateDatabase(connection: pg.PoolConfig): Promise<void> {
  const db = openDatabase({ connection });
  try {
    await migrate(db, migrationsDirectory);
  } finally {
    await db.destroy();
  }
}
