import { getRequestListener } from '@hono/node-server';
import { sql } from 'kysely';
import { pino } from 'pino';
import type { PasswordCost } from '#server/identity/passwords.ts';
import { createApp } from '#server/app.ts';
import { createEmptySearchCounter, type EmptySearchCounter } from '#server/discovery/index.ts';
import { type BackgroundJobs, type BackgroundJobsOptions, startBackgroundJobs } from '#server/jobs.ts';
import { type Database, openDatabase, openSearchDatabase } from '#server/core/database.ts';
import { startHttpServer } from '#server/core/http-server.ts';
import { openSiteSettings, type SiteSettings } from '#server/core/site-settings.ts';
import type { ObjectStore } from '#server/core/object-store.ts';
import { createRecentPages } from '#server/core/recent-pages.ts';
import type { RequestLimits } from '#server/core/request-limits.ts';
import type { OperatorSettings } from '#server/core/operator-settings.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { ApiClient, type Member, register } from './member.ts';
import { cheapPasswordCost } from './cheap-passwords.ts';

/** A server over real HTTP with its own database, for the tests of one file. */
export type TestServer = {
  /** Such as 'http://127.0.0.1:40123'. */
  address: string;
  database: TestDatabase;
  db: Database;
  emptySearches: EmptySearchCounter;
  /** `refresh()` after a change: the server reads a changed setting a moment later. */
  siteSettings: SiteSettings;
  /** A signed-out client. */
  visitor(): ApiClient;
  /** Registers a member with this name and signs in. */
  register(name: string): Promise<Member>;
  /** Registers several, without reaching a rate limit. */
  registerAll<Names extends readonly string[]>(...names: Names): Promise<{ [Place in keyof Names]: Member }>;
  /**
   * Starts another server on the same database, with its own settings, which sends email and push if requested. Stop it
   * first.
   */
  startSecondNode(settings?: TestSettings, outgoing?: TestDelivery): Promise<TestServer>;
  /** The jobs that send its email and push. */
  backgroundJobs: BackgroundJobs | undefined;
  /** Resets every rate limit. */
  resetRateLimits(): Promise<void>;
  /** Ages the edits of the last minutes: those within a few minutes are one version. */
  ageEdits(minutes: number): Promise<void>;
  stop(): Promise<void>;
};

/** How a test server sends email and push. */
export type TestDelivery = Partial<
  Pick<
    BackgroundJobsOptions,
    'email' | 'isSending' | 'pushServices' | 'log' | 'runsScheduledJobs' | 'webhooks' | 'changes'
  >
>;

/** Settings of a test. Passwords are cheap by default. */
export type TestSettings = Partial<OperatorSettings> & {
  passwordCost?: PasswordCost;
  objectStore?: ObjectStore | undefined;
  requestLimits?: RequestLimits;
};

export const defaultSettings: OperatorSettings = {
  publicUrl: null,
  secret: 'a secret that only the tests know, long enough to be one',
  trustedProxies: 0,
  maxAccountsPerNetwork: 0,
  isSignUpOpen: true,
  hasPasswordSignIn: true,
  hidesLoginReason: false,
  profileEmail: 'shown',
  allowsSelfVotes: true,
  importedSite: null,
  identityProvider: null,
  refusesCommonPasswords: false,
  hsts: 'host',
  hasServiceWorker: true,
  webhookHosts: [],
};

/** @param webDirectory the built web app; absent where only the API is served */
export async function startTestServer(
  settings: TestSettings = {},
  outgoing?: TestDelivery,
  webDirectory?: string,
): Promise<TestServer> {
  const database = await createTestDatabase();
  const server = await startServerOn(database, settings, outgoing, webDirectory);
  return {
    ...server,
    async stop() {
      await server.stop();
      await database.drop();
    },
  };
}

/** Starts a server on an existing database. */
export async function startServerOn(
  database: TestDatabase,
  { passwordCost = cheapPasswordCost, objectStore, requestLimits, ...given }: TestSettings = {},
  outgoing?: TestDelivery,
  webDirectory?: string,
): Promise<TestServer> {
  const { connection } = database;
  const db = openDatabase({ connection });
  const log = pino({ level: 'error' });
  const settings = { ...defaultSettings, ...given };
  const siteSettings = await openSiteSettings(db);
  const quick = { pollSeconds: 0.5, supervisionSeconds: 1 } satisfies Partial<BackgroundJobsOptions>;
  const backgroundJobs =
    outgoing &&
    (await startBackgroundJobs({
      db,
      connection,
      settings,
      siteSettings,
      log,
      email: undefined,
      ...quick,
      ...outgoing,
    }));
  const searchDb = openSearchDatabase({ connection });
  const emptySearches = createEmptySearchCounter(db);
  const recentPages = await createRecentPages({
    settings,
    hasPublicReading: () => siteSettings.get('publicReading'),
    canVisit: requestLimits?.canVisit,
    measure: undefined,
  });
  const app = createApp({
    db,
    emptySearches,
    siteSettings,
    searchDb,
    settings,
    log,
    background: backgroundJobs,
    objectStore,
    recentPages,
    requestLimits,
    passwordCost,
    ...(webDirectory && { webDirectory }),
  });
  const http = await startHttpServer(recentPages.serve(getRequestListener(app.fetch)), '127.0.0.1', 0);
  const resetRateLimits = async () => void (await sql`delete from rate_limit`.execute(db));
  return {
    address: http.address,
    database,
    db,
    visitor: () => new ApiClient(http.address),
    register: (name) => register(http.address, name),
    async registerAll<Names extends readonly string[]>(...names: Names) {
      await resetRateLimits();
      const members = [];
      for (const name of names) members.push(await register(http.address, name));
      return members as { [Place in keyof Names]: Member };
    },
    startSecondNode: (other = {}, delivery) => startServerOn(database, other, delivery, webDirectory),
    backgroundJobs,
    emptySearches,
    siteSettings,
    resetRateLimits,
    ageEdits: async (minutes) =>
      void (await sql`update revision set replaced_at = replaced_at - make_interval(mins => ${minutes}::int)
        where replaced_at > now() - interval '15 minutes'`.execute(db)),
    async stop() {
      http.closeConnections();
      await http.stop(0);
      await backgroundJobs?.stop();
      await emptySearches.stop();
      await Promise.all([db.destroy(), searchDb.destroy()]);
    },
  };
}
