import { projectRoot } from './paths.ts';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { z } from 'zod';
import { emailVisibilities } from '#shared/identity/profiles.ts';
import { type LogLevel, logLevels } from './log.ts';
import type { ObjectStoreSettings } from './object-store.ts';
import type { SiteSettings } from './site-settings.ts';
import { getErrorCode, getErrorMessage, StartupError } from './startup-error.ts';

/** How many backups are retained: the newest of each of the last `daily` days, `weekly` weeks and `monthly` months. */
export type BackupRetention = Readonly<{ daily: number; weekly: number; monthly: number }>;

/** Where the files of pictures belong: in the database, or in an object store that speaks the protocol of S3. */
export type PictureStore = 'database' | 's3';

export type BackupSchedule = Readonly<{
  /** An absolute path. */
  directory: string;
  /** Minutes since midnight, in the time zone of the machine. */
  minuteOfDay: number;
  retention: BackupRetention;
  /** The absolute path where a backup is restored once a week to verify it. Undefined: backups are not verified. */
  scratchDirectory: string | undefined;
}>;

/** Scheduled exports of public content (docs/exporting.md). */
export type ExportSchedule = Readonly<{
  /** An absolute path. */
  directory: string;
  /** The licence of the members' posts, such as 'CC BY-SA 4.0'. */
  license: string;
  /** Days from one export to the next. */
  days: number;
  /** How many exports are kept. */
  retention: number;
}>;

/** The configuration from the environment and `.env`. `.env.example` explains each setting. */
export type Config = Readonly<{
  /** 0 means any free port. */
  port: number;
  host: string;
  /** The operator's own PostgreSQL. Undefined: the embedded one. */
  databaseUrl: string | undefined;
  /** The same database without a pooler. Undefined if `databaseUrl` is not a pooler. */
  databaseDirectUrl: string | undefined;
  /** Streaming replicas of the database, for reads. */
  databaseReplicaUrls: readonly string[];
  /** An absolute path. Undefined: `data` in the project directory. */
  dataDirectory: string | undefined;
  logLevel: LogLevel;
  /** The name of this node in its log, its metrics and the list of backups. */
  nodeName: string;
  /** Statements that take at least this many milliseconds are logged. 0: none. */
  slowQueryMs: number;
  /** How many seconds Parley keeps serving after a stop signal. */
  drainSeconds: number;
  /** The size of the response cache of each node, in megabytes. 0: no cache. */
  cacheSizeMb: number;
  /** Undefined: created at the first start and stored in the database. */
  secret: string | undefined;
  /** Undefined: no metrics. */
  metricsToken: string | undefined;
  /** Undefined: no scheduled backups. */
  backups: BackupSchedule | undefined;
  /** Undefined: no scheduled exports. */
  exports: ExportSchedule | undefined;
  /** A bucket for the files of pictures. Undefined: they are in the database. */
  objectStore: ObjectStoreSettings | undefined;
  /** Where the files of pictures belong. */
  pictureStore: PictureStore;
  /** The mail server and the sender. Undefined: no emails are sent. */
  email: Readonly<{ url: string; from: string; bounceAddress: string | undefined }> | undefined;
  /** Whether the request limits of request-limits.ts apply. */
  rateLimits: boolean;
  settings: Readonly<Omit<SiteSettings, 'secret'>>;
}>;

/**
 * Reads the configuration. The environment takes precedence over `.env`. An empty value counts as unset. NAME_FILE names
 * a file with the value of NAME, as container engines and systemd provide secrets.
 * @throws StartupError listing everything that is invalid
 */
export function readConfig(environment: NodeJS.ProcessEnv = process.env, file = defaultFile): Config {
  const allVariables = { ...readEnvFile(file), ...environment };
  const given = Object.fromEntries(Object.entries(allVariables).filter(([, value]) => value?.trim()));
  const files = readValueFiles(given);
  const set: NodeJS.Dict<string> = { ...given, ...files.values };
  const parsed = variables.safeParse(set);
  const issues = parsed.error?.issues.map((issue) => `${String(issue.path[0])} ${issue.message}.`) ?? [];
  const wrong = [...files.wrong, ...issues];
  if (set['DATABASE_DIRECT_URL'] !== undefined && set['DATABASE_URL'] === undefined)
    wrong.push('DATABASE_DIRECT_URL requires DATABASE_URL, which names the pooler.');
  if (set['DATABASE_REPLICA_URLS'] !== undefined && set['DATABASE_URL'] === undefined)
    wrong.push('DATABASE_REPLICA_URLS requires DATABASE_URL: the embedded PostgreSQL has no replicas.');
  const { SMTP_URL: smtpUrl, EMAIL_FROM: from, PUBLIC_URL: publicUrl } = set;
  if (smtpUrl !== undefined && (from === undefined || publicUrl === undefined))
    wrong.push('SMTP_URL requires EMAIL_FROM and PUBLIC_URL: emails have a sender and links to the site.');
  if (set['BOUNCE_ADDRESS'] !== undefined && smtpUrl === undefined)
    wrong.push('BOUNCE_ADDRESS requires SMTP_URL.');
  const provider = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'];
  const isNamed = [...provider, 'OIDC_NAME'].some((name) => set[name] !== undefined);
  if (isNamed && [...provider, 'PUBLIC_URL'].some((name) => set[name] === undefined))
    wrong.push('OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET require each other, and PUBLIC_URL.');
  if (set['BACKUP_DIRECTORY'] === undefined)
    for (const name of ['BACKUP_TIME', 'BACKUP_RETENTION', 'BACKUP_SCRATCH_DIRECTORY'])
      if (set[name] !== undefined) wrong.push(`${name} requires BACKUP_DIRECTORY.`);
  if (set['EXPORT_DIRECTORY'] === undefined) {
    for (const name of ['EXPORT_LICENSE', 'EXPORT_DAYS', 'EXPORT_RETENTION'])
      if (set[name] !== undefined) wrong.push(`${name} requires EXPORT_DIRECTORY.`);
  } else if (set['EXPORT_LICENSE'] === undefined)
    wrong.push('EXPORT_DIRECTORY requires EXPORT_LICENSE: others may use an export by its licence only.');
  wrong.push(...checkObjectStoreVariables(set));
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
    exports: toExportSchedule(value),
    objectStore: toObjectStore(value),
    pictureStore: value.PICTURE_STORE ?? (value.S3_BUCKET === undefined ? 'database' : 's3'),
    email: toEmailSettings(value),
    rateLimits: value.RATE_LIMITS,
    settings: Object.freeze({
      publicUrl: value.PUBLIC_URL ?? null,
      trustedProxies: value.TRUSTED_PROXIES,
      maxAccountsPerNetwork: value.ACCOUNTS_PER_NETWORK,
      isSignUpOpen: value.SIGN_UP,
      hasPasswordSignIn: value.PASSWORD_SIGN_IN,
      hidesLoginReason: value.HIDE_LOGIN_REASON,
      profileEmail: value.PROFILE_EMAIL,
      allowsSelfVotes: value.SELF_VOTES,
      importedSite: value.IMPORTED_ADDRESSES ?? null,
      identityProvider: toIdentityProvider(value),
      refusesCommonPasswords: value.COMMON_PASSWORDS === 'refuse',
      hsts: value.HSTS,
      hasServiceWorker: value.SERVICE_WORKER,
      webhookHosts: Object.freeze(value.WEBHOOK_HOSTS),
    }),
  });
}

/** The port distinguishes several nodes on one machine. */
const defaultNodeName = (port: number) => (port === 0 ? os.hostname() : `${os.hostname()}:${port}`);

function toBackupSchedule(value: z.infer<typeof variables>): Config['backups'] {
  if (value.BACKUP_DIRECTORY === undefined) return undefined;
  return Object.freeze({
    directory: value.BACKUP_DIRECTORY,
    minuteOfDay: value.BACKUP_TIME,
    retention: Object.freeze(value.BACKUP_RETENTION),
    scratchDirectory: value.BACKUP_SCRATCH_DIRECTORY,
  });
}

function toExportSchedule(value: z.infer<typeof variables>): Config['exports'] {
  if (value.EXPORT_DIRECTORY === undefined || value.EXPORT_LICENSE === undefined) return undefined;
  return Object.freeze({
    directory: value.EXPORT_DIRECTORY,
    license: value.EXPORT_LICENSE,
    days: value.EXPORT_DAYS,
    retention: value.EXPORT_RETENTION,
  });
}

const requiredObjectStoreVariables = ['S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const;

function checkObjectStoreVariables(set: NodeJS.Dict<string>): string[] {
  const isNamed = [...requiredObjectStoreVariables, 'S3_ENDPOINT', 'S3_REGION', 'S3_PREFIX'].some(
    (name) => set[name] !== undefined,
  );
  if (isNamed || set['PICTURE_STORE'] === 's3')
    if (requiredObjectStoreVariables.some((name) => set[name] === undefined))
      return [
        'PICTURE_STORE=s3, and every setting S3_…, requires S3_BUCKET, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY.',
      ];
  return [];
}

function toObjectStore(value: z.infer<typeof variables>): Config['objectStore'] {
  const { S3_BUCKET: bucket, S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = value;
  if (bucket === undefined || accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  return Object.freeze({
    bucket,
    endpoint: value.S3_ENDPOINT,
    region: value.S3_REGION,
    accessKeyId,
    secretAccessKey,
    prefix: value.S3_PREFIX,
  });
}

function toIdentityProvider(value: z.infer<typeof variables>): SiteSettings['identityProvider'] {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = value;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return null;
  return Object.freeze({ issuer, clientId, clientSecret, name: value.OIDC_NAME ?? new URL(issuer).hostname });
}

function toEmailSettings(value: z.infer<typeof variables>): Config['email'] {
  const { SMTP_URL: url, EMAIL_FROM: from, BOUNCE_ADDRESS: bounceAddress } = value;
  return url === undefined || from === undefined ? undefined : Object.freeze({ url, from, bounceAddress });
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

/** The values of the variables whose NAME_FILE is set. */
function readValueFiles(given: NodeJS.Dict<string>): { values: NodeJS.Dict<string>; wrong: string[] } {
  const values: NodeJS.Dict<string> = {};
  const wrong: string[] = [];
  for (const name of Object.keys(variables.shape)) {
    const file = given[`${name}_FILE`];
    if (file === undefined) continue;
    if (given[name] !== undefined) wrong.push(`${name} and ${name}_FILE exclude each other.`);
    try {
      values[name] = readFileSync(file, 'utf8').trim();
      if (values[name] === '') wrong.push(`${name}_FILE names an empty file.`);
    } catch (error) {
      wrong.push(
        `${name}_FILE names a file that cannot be read (${getErrorCode(error) ?? getErrorMessage(error)}).`,
      );
    }
  }
  return { values, wrong };
}

const wholeNumber = (max: number, min = 0) => {
  const message = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,9}$/, message)
    .transform(Number)
    .refine((number) => number >= min && number <= max, message);
};

const onOff = () =>
  z.stringbool({ truthy: ['on', 'true'], falsy: ['off', 'false'], error: 'must be on or off' });

/** Resolves to an absolute path. */
const directory = () =>
  z
    .string()
    .transform((name) => path.resolve(name))
    .optional();

/**
 * Parses '7 daily, 4 weekly, 12 monthly' or a part of it. Returns undefined for anything else, and if no backup would
 * be retained.
 */
function parseRetention(text: string): BackupRetention | undefined {
  const retention = { daily: 0, weekly: 0, monthly: 0 };
  for (const part of text.split(',')) {
    const [, count, each] = /^(\d{1,4}) (daily|weekly|monthly)$/.exec(part.trim()) ?? [];
    if (count === undefined || each === undefined) return undefined;
    retention[each as keyof BackupRetention] = Number(count);
  }
  return Object.values(retention).some((count) => count > 0) ? retention : undefined;
}

const address = (protocols: RegExp, message: string) => z.url({ protocol: protocols, error: message });

const postgres = /^postgres(ql)?$/;

/** Messages never repeat a value, because it may be or contain a secret. */
const variables = z.object({
  PORT: wholeNumber(65_535).default(3000),
  HOST: z
    .string()
    .regex(/^[\w.:-]+$/, 'must be a host name or an address, such as 127.0.0.1')
    .default('127.0.0.1'),
  PUBLIC_URL: address(/^https?$/, 'must be an address such as https://ask.example.org')
    .refine((url) => isOrigin(url), 'must not have a path: Parley is served at the root of its host')
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
    .transform((directory) => path.resolve(directory))
    .optional(),
  NODE_NAME: z
    .string()
    .regex(/^[\w.:-]{1,64}$/, 'must be at most 64 letters, digits, or any of -._:')
    .optional(),
  SLOW_QUERY_MS: wholeNumber(600_000).default(1_000),
  BACKUP_DIRECTORY: directory(),
  BACKUP_TIME: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of the day such as 03:30')
    .transform((time) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3)))
    .default(3 * 60 + 30),
  BACKUP_RETENTION: z
    .string()
    .transform(parseRetention)
    .refine((retention) => retention !== undefined, 'must have the form 7 daily, 4 weekly, 12 monthly')
    .default({ daily: 7, weekly: 4, monthly: 12 }),
  BACKUP_SCRATCH_DIRECTORY: directory(),
  EXPORT_DIRECTORY: directory(),
  EXPORT_LICENSE: z.string().trim().min(1).max(200, 'must be a name of at most 200 characters').optional(),
  EXPORT_DAYS: wholeNumber(366, 1).default(7),
  EXPORT_RETENTION: wholeNumber(1_000, 1).default(4),
  PICTURE_STORE: z.enum(['database', 's3'], 'must be database or s3').optional(),
  S3_BUCKET: z
    .string()
    .regex(
      /^[a-z\d][a-z\d.-]{1,61}[a-z\d]$/,
      'must be the name of a bucket: 3 to 63 lower-case letters, digits, dots or hyphens',
    )
    .optional(),
  S3_ENDPOINT: address(/^https?$/, 'must be an address such as https://s3.example.org')
    .refine((url) => isOrigin(url), 'must be an address without a path')
    .optional(),
  S3_REGION: z
    .string()
    .regex(/^[a-z\d-]{1,40}$/, 'must be a name such as eu-central-1')
    .default('us-east-1'),
  S3_ACCESS_KEY_ID: z.string().optional(),
  S3_SECRET_ACCESS_KEY: z.string().optional(),
  S3_PREFIX: z
    .string()
    .regex(/^[\w.-]{1,100}\/$/, "must be a name that ends with a slash, such as 'parley/'")
    .default(''),
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
  EMAIL_FROM: z
    .string()
    .regex(
      /^(?:[^<>"@\p{Cc}]+ <[^\s<>@]+@[\w.-]+>|[^\s<>@]+@[\w.-]+)$/u,
      'must be an address such as Parley <parley@example.org>',
    )
    .optional(),
  BOUNCE_ADDRESS: z
    .string()
    .toLowerCase()
    .regex(/^[\w.-]{1,16}@[\w.-]+$/, 'must be an address such as bounce@example.org')
    .optional(),
  TRUSTED_PROXIES: wholeNumber(10).default(0),
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
  IMPORTED_ADDRESSES: z
    .string()
    .toLowerCase()
    .regex(/^[a-z\d-]+(\.[a-z\d-]+)+$/, 'must be the name of a site such as cooking.stackexchange.com')
    .optional(),
  HSTS: z.enum(['host', 'subdomains', 'off'], 'must be host, subdomains or off').default('host'),
  SERVICE_WORKER: onOff().default(true),
  WEBHOOK_HOSTS: z
    .string()
    .toLowerCase()
    .transform((list) => list.split(',').map((host) => host.trim()))
    .refine(
      (list) => list.every(isHostOrRange),
      'must be host names, IP addresses or ranges such as 10.1.0.0/16, separated by commas',
    )
    .default([]),
});

/** Whether a text is a host name, an IP address, or a range such as 10.1.0.0/16. */
function isHostOrRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0) return bits === undefined && /^[a-z\d]([a-z\d.-]{0,251}[a-z\d])?$/.test(address);
  return (
    rest.length === 0 &&
    (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128)))
  );
}

function isOrigin(url: string): boolean {
  const { pathname, search, hash, username, password } = new URL(url);
  return pathname === '/' && search + hash + username + password === '';
}
