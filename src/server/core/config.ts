import { projectRoot } from './paths.ts';
import { readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseEnv } from 'node:util';
import type { z } from 'zod';
import { type BackupRetention, variables } from './config-variables.ts';
import type { LogLevel } from './log.ts';
import type { ObjectStoreSettings } from './object-store.ts';
import type { SiteSettings } from './site-settings.ts';
import { getErrorCode, getErrorMessage, StartupError } from './startup-error.ts';

/** Where the files of pictures belong: in the database, or in an S3-compatible object store. */
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
  /** Names in `.env` that are no settings, such as misspelt ones. */
  unknownVariables: readonly string[];
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
  email:
    | Readonly<{
        url: string;
        from: string;
        bounceAddress: string | undefined;
        replyAddress: string | undefined;
        replySecret: string | undefined;
      }>
    | undefined;
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
  const fromFile = readEnvFile(file);
  const allVariables = { ...fromFile, ...environment };
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
  const isReceiving = set['REPLY_ADDRESS'] !== undefined || set['BOUNCE_ADDRESS'] !== undefined;
  if (set['REPLY_SECRET'] !== undefined && (smtpUrl === undefined || !isReceiving))
    wrong.push('REPLY_SECRET requires SMTP_URL, and REPLY_ADDRESS or BOUNCE_ADDRESS.');
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
    unknownVariables: Object.freeze(
      Object.keys(fromFile).filter((name) => !Object.hasOwn(variables.shape, name.replace(/_FILE$/, ''))),
    ),
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
  const {
    SMTP_URL: url,
    EMAIL_FROM: from,
    BOUNCE_ADDRESS: bounceAddress,
    REPLY_ADDRESS: replyAddress,
    REPLY_SECRET: replySecret,
  } = value;
  return url === undefined || from === undefined
    ? undefined
    : Object.freeze({ url, from, bounceAddress, replyAddress, replySecret });
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
