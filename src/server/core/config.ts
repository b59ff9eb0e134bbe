import { projectRoot } from './paths.ts';
import { readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { z } from 'zod';
import { emailVisibilities } from '#shared/identity/profiles.ts';
import { type LogLevel, logLevels } from './log.ts';
import type { SiteSettings } from './site-settings.ts';
import { getErrorCode, getErrorMessage, StartupError } from './startup-error.ts';

/** How many backups stay: the newest of each of so many days, weeks and months. */
export type BackupRetention = Readonly<{ daily: number; weekly: number; monthly: number }>;

export type BackupSchedule = Readonly<{
  /** Absolute. */
  directory: string;
  /** Minutes since midnight, by the machine's clock and time zone. */
  minuteOfDay: number;
  retention: BackupRetention;
  /** Where a backup is restored once a week to see that it is whole, absolute; undefined: it is not. */
  scratchDirectory: string | undefined;
}>;

/** What an operator sets in the environment or in `.env`; `.env.example` explains each. */
export type Config = Readonly<{
  /** 0 stands for any free one. */
  port: number;
  host: string;
  /** A PostgreSQL of the operator's own; undefined: the embedded one. */
  databaseUrl: string | undefined;
  /** The same without the pooler that `databaseUrl` leads to; undefined: there is none. */
  databaseDirectUrl: string | undefined;
  /** Streaming replicas of it, which serve reads. */
  databaseReplicaUrls: readonly string[];
  /** Absolute; undefined: `data` in the project folder. */
  dataDirectory: string | undefined;
  logLevel: LogLevel;
  /** What this node is called in its log, its metrics and the list of backups. */
  nodeName: string;
  /** Statements that take so many milliseconds or more are logged; 0: none. */
  slowQueryMs: number;
  /** How long Parley serves on after it is told to stop, in seconds. */
  drainSeconds: number;
  /** What each Parley keeps in memory of pages that are looked at, in megabytes; 0: nothing. */
  cacheSizeMb: number;
  /** Undefined: made at the first start and kept in the database. */
  secret: string | undefined;
  /** Undefined: there are no metrics. */
  metricsToken: string | undefined;
  /** Undefined: nothing is backed up by itself. */
  backups: BackupSchedule | undefined;
  /** The mail server, and whom mails are from; undefined: nothing is mailed. */
  email: Readonly<{ url: string; from: string }> | undefined;
  /** Whether members and networks that send very many requests are slowed down. */
  rateLimits: boolean;
  settings: Readonly<Omit<SiteSettings, 'secret'>>;
}>;

/**
 * Reads the configuration. The environment wins over `.env`; an empty value counts as none.
 * @throws StartupError that lists everything that is wrong.
 */
export function readConfig(environment: NodeJS.ProcessEnv = process.env, file = defaultFile): Config {
  const given = { ...readEnvFile(file), ...environment };
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value?.trim()));
  const parsed = variables.safeParse(set);
  const wrong = parsed.error?.issues.map((issue) => `${String(issue.path[0])} ${issue.message}.`) ?? [];
  if (set['DATABASE_DIRECT_URL'] !== undefined && set['DATABASE_URL'] === undefined)
    wrong.push('DATABASE_DIRECT_URL must stand beside DATABASE_URL, which names the pooler.');
  if (set['DATABASE_REPLICA_URLS'] !== undefined && set['DATABASE_URL'] === undefined)
    wrong.push(
      'DATABASE_REPLICA_URLS must stand beside DATABASE_URL: the embedded PostgreSQL has no replicas.',
    );
  const { SMTP_URL: smtpUrl, MAIL_FROM: from, PUBLIC_URL: publicUrl } = set;
  if (smtpUrl !== undefined && (from === undefined || publicUrl === undefined))
    wrong.push(
      'SMTP_URL must stand beside MAIL_FROM and PUBLIC_URL: mails have a sender and lead to the site.',
    );
  const provider = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'];
  const isNamed = [...provider, 'OIDC_NAME'].some((name) => set[name] !== undefined);
  if (isNamed && [...provider, 'PUBLIC_URL'].some((name) => set[name] === undefined))
    wrong.push(
      'OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET must stand together, and beside PUBLIC_URL.',
    );
  if (set['BACKUP_FOLDER'] === undefined)
    for (const name of ['BACKUP_AT', 'BACKUP_KEEP', 'BACKUP_SCRATCH'])
      if (set[name] !== undefined) wrong.push(`${name} must stand beside BACKUP_FOLDER.`);
  if (!parsed.success || wrong.length > 0)
    throw new StartupError(`The configuration is not valid:\n${wrong.map((line) => `  ${line}`).join('\n')}`);
  const value = parsed.data;
  return Object.freeze({
    port: value.PORT,
    host: value.HOST,
    databaseUrl: value.DATABASE_URL,
    databaseDirectUrl: value.DATABASE_DIRECT_URL,
    databaseReplicaUrls: Object.freeze(value.DATABASE_REPLICA_URLS),
    dataDirectory: value.PARLEY_DATA,
    logLevel: value.LOG_LEVEL,
    nodeName: value.NODE_NAME ?? defaultNodeName(value.PORT),
    slowQueryMs: value.SLOW_QUERY_MS,
    drainSeconds: value.DRAIN_SECONDS,
    cacheSizeMb: value.CACHE_SIZE_MB,
    secret: value.SECRET,
    metricsToken: value.METRICS_TOKEN,
    backups: toBackupSchedule(value),
    email: toEmailSettings(value.SMTP_URL, value.MAIL_FROM),
    rateLimits: value.RATE_LIMITS,
    settings: Object.freeze({
      publicUrl: value.PUBLIC_URL ?? null,
      trustedProxies: value.TRUST_PROXY,
      maxAccountsPerNetwork: value.ACCOUNTS_PER_NETWORK,
      isSignUpOpen: value.SIGN_UP,
      hasPasswordSignIn: value.PASSWORD_SIGN_IN,
      hidesLoginReason: value.HIDE_LOGIN_REASON,
      profileEmail: value.PROFILE_EMAIL,
      allowsSelfVotes: value.SELF_VOTES,
      identityProvider: toIdentityProvider(value),
      refusesCommonPasswords: value.COMMON_PASSWORDS === 'refuse',
      hsts: value.HSTS,
      hasServiceWorker: value.SERVICE_WORKER,
    }),
  });
}

/** Several on one machine are told apart by their port. */
const defaultNodeName = (port: number) => (port === 0 ? os.hostname() : `${os.hostname()}:${port}`);

function toBackupSchedule(value: z.infer<typeof variables>): Config['backups'] {
  if (value.BACKUP_FOLDER === undefined) return undefined;
  return Object.freeze({
    directory: value.BACKUP_FOLDER,
    minuteOfDay: value.BACKUP_AT,
    retention: Object.freeze(value.BACKUP_KEEP),
    scratchDirectory: value.BACKUP_SCRATCH,
  });
}

function toIdentityProvider(value: z.infer<typeof variables>): SiteSettings['identityProvider'] {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = value;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return null;
  return Object.freeze({ issuer, clientId, clientSecret, name: value.OIDC_NAME ?? new URL(issuer).hostname });
}

function toEmailSettings(url: string | undefined, from: string | undefined): Config['email'] {
  return url === undefined || from === undefined ? undefined : Object.freeze({ url, from });
}

const defaultFile = path.join(projectRoot, '.env');

function readEnvFile(file: string): NodeJS.Dict<string> {
  try {
    return parseEnv(readFileSync(file, 'utf8'));
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return {};
    throw new StartupError(`The configuration file ${file} cannot be read: ${getErrorMessage(error)}.`);
  }
}

const wholeNumber = (most: number) => {
  const message = `must be a whole number from 0 to ${most}`;
  return z
    .string()
    .regex(/^\d{1,9}$/, message)
    .transform(Number)
    .refine((number) => number <= most, message);
};

const onOff = () =>
  z.stringbool({ truthy: ['on', 'true'], falsy: ['off', 'false'], error: 'must be on or off' });

/** Absolute from here on. */
const folder = () =>
  z
    .string()
    .transform((name) => path.resolve(name))
    .optional();

/** '7 daily, 4 weekly, 12 monthly', or some of these; undefined for anything else, and for what would keep nothing. */
function parseRetention(text: string): BackupRetention | undefined {
  const keep = { daily: 0, weekly: 0, monthly: 0 };
  for (const part of text.split(',')) {
    const [, count, each] = /^(\d{1,4}) (daily|weekly|monthly)$/.exec(part.trim()) ?? [];
    if (count === undefined || each === undefined) return undefined;
    keep[each as keyof BackupRetention] = Number(count);
  }
  return Object.values(keep).some((count) => count > 0) ? keep : undefined;
}

const address = (protocols: RegExp, message: string) => z.url({ protocol: protocols, error: message });

const postgres = /^postgres(ql)?$/;

/** Values that are secrets, or may hold one, are never repeated in a message; the others are short enough to find. */
const variables = z.object({
  PORT: wholeNumber(65_535).default(3000),
  HOST: z
    .string()
    .regex(/^[\w.:-]+$/, 'must be a host name or an address, such as 127.0.0.1')
    .default('127.0.0.1'),
  PUBLIC_URL: address(/^https?$/, 'must be an address such as https://ask.example.org')
    .refine((url) => isOrigin(url), 'must end after the host: Parley is served at the root of its address')
    .transform((url) => new URL(url).origin)
    .optional(),
  DATABASE_URL: address(
    postgres,
    'must be an address such as postgres://user:password@host:5432/database',
  ).optional(),
  DATABASE_DIRECT_URL: address(
    postgres,
    'must be an address such as postgres://user:password@host:5432/database',
  ).optional(),
  DATABASE_REPLICA_URLS: z
    .string()
    .transform((list) => list.split(',').map((url) => url.trim()))
    .pipe(
      z.array(
        address(
          postgres,
          'must be addresses such as postgres://user:password@host:5432/database, separated by commas',
        ),
      ),
    )
    .default([]),
  PARLEY_DATA: z
    .string()
    .transform((folder) => path.resolve(folder))
    .optional(),
  NODE_NAME: z
    .string()
    .regex(/^[\w.:-]{1,64}$/, 'must be at most 64 letters, digits, or any of -._:')
    .optional(),
  SLOW_QUERY_MS: wholeNumber(600_000).default(1_000),
  BACKUP_FOLDER: folder(),
  BACKUP_AT: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of the day such as 03:30')
    .transform((time) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3)))
    .default(3 * 60 + 30),
  BACKUP_KEEP: z
    .string()
    .transform(parseRetention)
    .refine((keep) => keep !== undefined, 'must be such as 7 daily, 4 weekly, 12 monthly')
    .default({ daily: 7, weekly: 4, monthly: 12 }),
  BACKUP_SCRATCH: folder(),
  LOG_LEVEL: z.enum(logLevels, `must be one of ${logLevels.join(', ')}`).default('info'),
  DRAIN_SECONDS: wholeNumber(3_600).default(0),
  CACHE_SIZE_MB: wholeNumber(16_384).default(64),
  SECRET: z.string().min(32, 'must have at least 32 characters').optional(),
  METRICS_TOKEN: z
    .string()
    .regex(/^[\w.~+/=-]{16,}$/, 'must have at least 16 letters, digits, or any of -._~+/=')
    .optional(),
  SMTP_URL: address(
    /^smtps?$/,
    'must be an address such as smtp://user:password@mail.example.org:587, or smtps:// for TLS from the start',
  ).optional(),
  MAIL_FROM: z
    .string()
    .regex(
      /^(?:[^<>"@\p{Cc}]+ <[^\s<>@]+@[\w.-]+>|[^\s<>@]+@[\w.-]+)$/u,
      'must be an address such as Parley <parley@example.org>',
    )
    .optional(),
  TRUST_PROXY: wholeNumber(10).default(0),
  RATE_LIMITS: onOff().default(true),
  ACCOUNTS_PER_NETWORK: wholeNumber(1_000).default(20),
  SIGN_UP: onOff().default(true),
  PASSWORD_SIGN_IN: onOff().default(true),
  HIDE_LOGIN_REASON: onOff().default(false),
  OIDC_ISSUER: z
    .url('must be an address such as https://id.example.org')
    .refine(
      (url) => url.startsWith('https:') || /^http:\/\/(127\.0\.0\.1|localhost)(?=[:/]|$)/.test(url),
      'must begin with https://',
    )
    .optional(),
  OIDC_CLIENT_ID: z.string().optional(),
  OIDC_CLIENT_SECRET: z.string().optional(),
  OIDC_NAME: z
    .string()
    .trim()
    .regex(/^[^\p{Cc}]{1,40}$/u, 'must have 1 to 40 characters')
    .optional(),
  COMMON_PASSWORDS: z.enum(['allow', 'refuse'], 'must be allow or refuse').default('allow'),
  PROFILE_EMAIL: z.enum(emailVisibilities, `must be one of ${emailVisibilities.join(', ')}`).default('shown'),
  SELF_VOTES: onOff().default(true),
  HSTS: z.enum(['host', 'subdomains', 'off'], 'must be host, subdomains or off').default('host'),
  SERVICE_WORKER: onOff().default(true),
});

function isOrigin(url: string): boolean {
  const { pathname, search, hash, username, password } = new URL(url);
  return pathname === '/' && search + hash + username + password === '';
}
