import { getRequestListener } from '@hono/node-server';
import { sql } from 'kysely';
import { pino } from 'pino';
import type { PasswordCost } from '#server/accounts/password.ts';
import { createApp } from '#server/app.ts';
import { type Background, type BackgroundOptions, startBackground } from '#server/background.ts';
import { type Database, openDatabase, openSearchDatabase } from '#server/platform/database.ts';
import { listen } from '#server/platform/http-server.ts';
import type { Settings } from '#server/platform/settings.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { Caller, type Member, register } from './member.ts';
import { quickPasswords } from './quick-passwords.ts';

/** Parley over real HTTP on a database of its own, as the tests of one file use it. */
export type TestParley = {
  /** Such as 'http://127.0.0.1:40123'. */
  address: string;
  database: TestDatabase;
  db: Database;
  /** Someone who is signed out. */
  visitor(): Caller;
  /** A newly registered member of that name, signed in. */
  register(name: string): Promise<Member>;
  /** The same for several, however many there were before. */
  registerAll<Names extends readonly string[]>(...names: Names): Promise<{ [Place in keyof Names]: Member }>;
  /** Another Parley on the same database, with settings of its own, which mails and pushes if asked to; stop it first. */
  beside(settings?: Given, outgoing?: Outgoing): Promise<TestParley>;
  /** What it mails and pushes with. */
  background: Background | undefined;
  /** Makes every limit on rates start anew. */
  forgetRates(): Promise<void>;
  /** Makes every edit so many minutes older: those of a few minutes are one version. */
  ageEdits(minutes: number): Promise<void>;
  stop(): Promise<void>;
};

/** How a Parley of a test mails and pushes. */
export type Outgoing = Partial<Pick<BackgroundOptions, 'mail' | 'pushServices' | 'log' | 'rounds'>>;

/** What a test decides; passwords cost next to nothing where it does not say what they cost. */
export type Given = Partial<Settings> & { passwordCost?: PasswordCost };

export const defaults: Settings = {
  publicUrl: null,
  secret: 'a secret that only the tests know, long enough to be one',
  trustedProxies: 0,
  accountsPerNetwork: 0,
  signUp: true,
  passwordSignIn: true,
  hideLoginReason: false,
  profileEmail: 'shown',
  selfVotes: true,
  identityProvider: null,
  refuseCommonPasswords: false,
  hsts: 'host',
  serviceWorker: true,
};

/** @param webFolder the built browser part; absent where only the API is served. */
export async function startTestServer(
  settings: Given = {},
  outgoing?: Outgoing,
  webFolder?: string,
): Promise<TestParley> {
  const database = await createTestDatabase();
  const server = await serveOn(database, settings, outgoing, webFolder);
  return {
    ...server,
    async stop() {
      await server.stop();
      await database.drop();
    },
  };
}

/** The same on a database that is there already. */
export async function serveOn(
  database: TestDatabase,
  { passwordCost = quickPasswords, ...given }: Given = {},
  outgoing?: Outgoing,
  webFolder?: string,
): Promise<TestParley> {
  const { connection } = database;
  const db = openDatabase({ connection });
  const log = pino({ level: 'error' });
  const settings = { ...defaults, ...given };
  const quick = { lookSeconds: 0.5, recoverSeconds: 1 };
  const background =
    outgoing &&
    (await startBackground({ db, connection, settings, log, mail: undefined, ...quick, ...outgoing }));
  const searching = openSearchDatabase({ connection });
  const app = createApp({
    db,
    searching,
    settings,
    log,
    background,
    passwordCost,
    ...(webFolder && { webFolder }),
  });
  const http = await listen(getRequestListener(app.fetch), '127.0.0.1', 0);
  const forgetRates = async () => void (await sql`delete from rate_limit`.execute(db));
  return {
    address: http.address,
    database,
    db,
    visitor: () => new Caller(http.address),
    register: (name) => register(http.address, name),
    async registerAll<Names extends readonly string[]>(...names: Names) {
      await forgetRates();
      const members = [];
      for (const name of names) members.push(await register(http.address, name));
      return members as { [Place in keyof Names]: Member };
    },
    beside: (other = {}, mailing) => serveOn(database, other, mailing, webFolder),
    background,
    forgetRates,
    ageEdits: async (minutes) =>
      void (await sql`update revision set replaced_at = replaced_at - make_interval(mins => ${minutes}::int)`.execute(
        db,
      )),
    async stop() {
      http.cutOff();
      await http.stop(0);
      await background?.stop();
      await Promise.all([db.destroy(), searching.destroy()]);
    },
  };
}
