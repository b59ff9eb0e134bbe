import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { setFlagsFromString } from 'node:v8';
import { Command, CommanderError } from 'commander';
import pg from 'pg';
import type { Logger } from 'pino';
import packageJson from '#package.json' with { type: 'json' };
import { addRemoveTwoFactorCommand, addResetPasswordCommand, logSecurityEvents } from './identity/index.ts';
import {
  addJsonLinesCommand,
  addPicturesCommand,
  registerConvertCommand,
  registerExportCommand,
  registerImportCommand,
} from './import-export/index.ts';
import {
  assertNoCommunityIsMissing,
  assertNoDataIsMissing,
  isDatabaseEmpty,
  listAppliedMigrations,
  registerBackupCommands,
  registerDoctorCommand,
  registerUpgradeCommand,
} from './operations/index.ts';
import { addMemberCommands, addSettingsCommands, addSignInProviderCommands } from './admin/index.ts';
import { addRemovalCommands, registerSpamCommands } from './moderation/index.ts';
import { addEmailCommand, type ReceivingEmails } from './notifications/index.ts';
import { createObjectStore } from './core/object-store.ts';
import { type Config, readConfig } from './core/config.ts';
import {
  connectToRunningOrStart,
  defaultDataDirectory,
  listPendingMigrations,
  migrate,
  MigrationError,
  resolveDataDirectory,
} from './postgres/index.ts';
import { type Database, openDatabase, type Reader } from './core/database.ts';
import { createLogger } from './core/log.ts';
import { formatAddress } from './core/http-server.ts';
import { findStoredSetting } from './core/stored-settings.ts';
import { readSiteSettings } from './core/site-settings.ts';
import { StartupError } from './core/startup-error.ts';
import { migrationsDirectory } from './core/paths.ts';

/**
 * Runs one command line. Returns the exit code: 0 done, 1 failed, 2 invalid arguments. An expected failure writes one
 * sentence to standard error; only an unexpected one has a stack trace.
 */
export async function runCommand(parameters: string[]): Promise<number> {
  // The large heap of node-options.json shortens the start of this thread. Worker threads would begin with one each.
  setFlagsFromString('--initial-old-space-size=0');
  try {
    await createProgram().parseAsync(parameters, { from: 'user' });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    // Commander has printed the error or the help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    console.error(error instanceof StartupError || error instanceof MigrationError ? error.message : error);
    return 1;
  }
}

/** All commands, listed explicitly. */
function createProgram(): Command {
  const program = new Command('parley')
    .description('A community question-and-answer server.')
    .helpOption('-h, --help', 'show help for the command')
    .helpCommand(false)
    .showHelpAfterError('(parley --help lists the commands)')
    .addHelpText(
      'after',
      '\nParley reads its settings from the environment and the file .env; .env.example explains them.',
    )
    .exitOverride();
  program
    .command('serve')
    .description('serve the community (as npm start does)')
    .option('--demo', 'load the demo community first')
    .action(async (options: { demo?: boolean }) => {
      // Other commands start faster without it.
      const { serve } = await import('./serve.ts');
      await serve({ ...loadContext(), ...options });
    });
  program
    .command('migrate')
    .description('apply pending migrations, and nothing else')
    .action(() => migrateOnly(loadContext()));
  const terminal = {
    out: process.stdout,
    err: process.stderr,
    exitWith: (code: number) => (process.exitCode = code),
  };
  const imports = registerImportCommand(program, {
    ...terminal,
    ask: process.stdin.isTTY ? askOnTerminal : null,
    withClient: (work) => withClient(work, 'migrated'),
  });
  addJsonLinesCommand(imports, { ...terminal, withClient: (work) => withClient(work, 'migrated') });
  addPicturesCommand(imports, { ...terminal, withDatabase });
  registerConvertCommand(program, { ...terminal, withClient: (work) => withClient(work, 'unused') });
  registerExportCommand(program, {
    ...terminal,
    withClient: (work) => withClient(work, 'migrated'),
    getObjectStore: () => {
      const { objectStore } = readConfig();
      return objectStore && createObjectStore(objectStore);
    },
  });
  addResetPasswordCommand(program, { ...terminal, withDatabase });
  const members = addMemberCommands(program, { ...terminal, withDatabase });
  addRemoveTwoFactorCommand(members, { ...terminal, withDatabase });
  addRemovalCommands(members, { ...terminal, withDatabase });
  addSettingsCommands(program, { ...terminal, withDatabase });
  addSignInProviderCommands(program, { ...terminal, withDatabase });
  registerSpamCommands(program, { ...terminal, withReader });
  addEmailCommand(program, { ...terminal, input: process.stdin, withReceivedEmails });
  registerBackupCommands(program, {
    ...terminal,
    withClient,
    migrationsDirectory,
    version: packageJson.version,
  });
  const examination = {
    ...terminal,
    readConfig: () => readConfig(),
    connect: (config: Config) => connect({ config, log: createLogger('warn') }, { creates: false }),
    migrationsDirectory,
  };
  registerDoctorCommand(program, examination);
  registerUpgradeCommand(program, { ...examination, version: packageJson.version });
  return program;
}

async function askOnTerminal(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question(question);
  } finally {
    terminal.close();
  }
}

type CommandContext = { config: Config; log: Logger };

function loadContext(): CommandContext {
  const config = readConfig();
  return { config, log: createLogger(config.logLevel, config.nodeName) };
}

/**
 * Connects to the community, which must not be missing. Where the embedded PostgreSQL has no data, as before the first
 * start, `creates` it.
 * @throws StartupError
 */
async function connect({ config, log }: CommandContext, { creates }: { creates: boolean }) {
  await assertNoDataIsMissing(config);
  const data = resolveDataDirectory(config.dataDirectory ?? defaultDataDirectory());
  if (config.databaseUrl === undefined && !existsSync(data.cluster)) {
    if (!creates)
      throw new StartupError(
        `There is no community in ${data.root}. Start Parley there, or set PARLEY_DATA or DATABASE_URL to where it is.`,
      );
    console.error(`There is no community in ${data.root} yet. Creating its database …`);
  }
  const connected = await connectToRunningOrStart(config, log);
  try {
    await assertNoCommunityIsMissing(config, connected.connection);
    return connected;
  } catch (error) {
    await connected.stop();
    throw error;
  }
}

async function migrateOnly({ config, log }: CommandContext): Promise<void> {
  const { connection, stop } = await connect({ config, log }, { creates: true });
  const db = openDatabase({ connection });
  try {
    const applied = await migrate(db, migrationsDirectory, {
      onUpgrade: (name) => console.log(`Applying ${name} …`),
      onLocked: () => console.log('Waiting for another transaction, such as a backup …'),
    });
    console.log(applied.length === 0 ? 'The database is up to date.' : `Applied: ${applied.join(', ')}.`);
  } finally {
    await db.destroy();
    await stop();
  }
}

/** Runs `work` with the community's database, after pending migrations, and with the site's address. */
async function withDatabase<Result>(work: (db: Database, site: string) => Promise<Result>): Promise<Result> {
  const { config, log } = loadContext();
  const { connection, stop } = await connect({ config, log }, { creates: true });
  const db = openDatabase({ connection });
  try {
    await migrate(db, migrationsDirectory);
    logSecurityEvents(db, log);
    return await work(db, siteOf(config));
  } finally {
    await db.destroy();
    await stop();
  }
}

/**
 * The address of the site, without a trailing slash. Without PUBLIC_URL it is the one that the server prints, because
 * browsers store the session by origin. With a wildcard address, it is reached by this name.
 */
const siteOf = ({ settings, host, port }: Config): string =>
  settings.publicUrl ?? formatAddress(/^(?:0\.0\.0\.0|::)$/.test(host) ? 'localhost' : host, port);

/** Milliseconds that one statement of a long reading command may take. */
const readingTimeoutMs = 10 * 60_000;

/** Runs `work` with a replica, or the community's database if none responds, to read from. It is not migrated. */
async function withReader<Result>(
  work: (db: Reader, publicUrl: string | null) => Promise<Result>,
): Promise<Result> {
  const { config, log } = loadContext();
  const { connection, stop } = await connectReader(config, log);
  const db = openDatabase({ connection: { ...connection, statement_timeout: readingTimeoutMs } });
  try {
    if (await isDatabaseEmpty(db)) throw new StartupError('There is no community in this database.');
    if ((await listPendingMigrations(await listAppliedMigrations(db), migrationsDirectory)).length > 0)
      throw new StartupError('The database has an older schema. Start this version, or run: parley migrate');
    return await work(db, config.settings.publicUrl);
  } finally {
    await db.destroy();
    await stop();
  }
}

async function connectReader(
  config: Config,
  log: Logger,
): Promise<{ connection: pg.PoolConfig; stop: () => Promise<void> }> {
  for (const url of config.databaseReplicaUrls) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
    try {
      await client.connect();
      await client.end();
      return { connection: { connectionString: url }, stop: async () => {} };
    } catch (error) {
      log.warn({ err: error }, 'A replica does not respond.');
    }
  }
  return connect({ config, log }, { creates: false });
}

/** Runs `work` with the community's database and what emails to it need. */
async function withReceivedEmails<Result>(
  work: (db: Database, receiving: ReceivingEmails) => Promise<Result>,
): Promise<Result> {
  const { config } = loadContext();
  const { email, port } = config;
  return withDatabase(async (db, siteAddress) => {
    // The first start of a server has stored it.
    const secret = config.secret ?? (await findStoredSetting(db, 'secret'));
    const { siteName, accentColor, logo, language } = await readSiteSettings(db);
    return work(db, {
      secret,
      email,
      server: `http://127.0.0.1:${port}`,
      site: { site: siteAddress, siteName, accentColor, logo, language },
    });
  });
}

/**
 * Runs `work` with a dedicated connection to the community's database, after pending migrations if `schema` is 'migrated'.
 * 'empty': a backup is restored into an empty database. 'unused': the work needs only temporary tables.
 */
async function withClient<Result>(
  work: (client: pg.Client, site: string) => Promise<Result>,
  schema: 'migrated' | 'unchanged' | 'empty' | 'unused',
): Promise<Result> {
  const { config, log } = loadContext();
  const { connection, stop } = await (schema === 'empty'
    ? connectToRunningOrStart(config, log)
    : connect({ config, log }, { creates: schema !== 'unchanged' }));
  try {
    if (schema === 'migrated') await migrateDatabase(connection);
    const client = new pg.Client({ ...connection, application_name: 'parley command' });
    // The running query fails with the same error.
    client.on('error', () => {});
    await client.connect();
    try {
      return await work(client, siteOf(config));
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
