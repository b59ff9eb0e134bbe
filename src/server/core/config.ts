import { projectRoot } from './paths.ts';
import { readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseEnv } from 'node:util';
import type { z } from 'zod';
import { variables } from './config-variables.ts';
import type { ObjectStoreSettings } from './object-store.ts';
import type { OperatorSettings } from './operator-settings.ts';
import { getErrorCode, getErrorMessage, StartupError } from './startup-error.ts';

/** Where the files of pictures belong: in the database, or in an S3-compatible object store. */
export type PictureStore = 'database' | 's3';

export type BackupSchedule = NonNullable<Config['backups']>;

/** Scheduled exports of what members can see (docs/exporting.md). */
export type ExportSchedule = NonNullable<Config['exports']>;

/** The configuration from the environment and `.env`. `.env.example` explains each setting. */
export type Config = Readonly<ReturnType<typeof toConfig> & { unknownVariables: readonly string[] }>;

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
  const unknownVariables = Object.keys(fromFile).filter(
    (name) => !Object.hasOwn(variables.shape, name.replace(/_FILE$/, '')),
  );
  return { ...toConfig(parsed.data), unknownVariables };
}

function toConfig(value: z.infer<typeof variables>) {
  const pictureStore: PictureStore =
    value.PICTURE_STORE ?? (value.S3_BUCKET === undefined ? 'database' : 's3');
  return {
    /** 0 means any free port. */
    port: value.PORT,
    host: value.HOST,
    /** The operator's own PostgreSQL. Undefined: the embedded one. */
    databaseUrl: value.DATABASE_URL,
    /** The same database without a pooler. Undefined if `databaseUrl` is not a pooler. */
    databaseDirectUrl: value.DATABASE_DIRECT_URL,
    databaseReplicaUrls: value.DATABASE_REPLICA_URLS,
    /** An absolute path. Undefined: `data` in the project directory. */
    dataDirectory: value.PARLEY_DATA,
    logLevel: value.LOG_LEVEL,
    nodeName: value.NODE_NAME ?? defaultNodeName(value.PORT),
    /** 0: none. */
    slowQueryMs: value.SLOW_QUERY_MS,
    drainSeconds: value.DRAIN_SECONDS,
    /** 0: no cache. */
    cacheSizeMb: value.CACHE_SIZE_MB,
    /** Undefined: created at the first start and stored in the database. */
    secret: value.SECRET,
    /** Undefined: no metrics. */
    metricsToken: value.METRICS_TOKEN,
    /** Undefined: no scheduled backups. */
    backups: toBackupSchedule(value),
    /** Undefined: no scheduled exports. */
    exports: toExportSchedule(value),
    /** A bucket for the files of pictures. Undefined: they are in the database. */
    objectStore: toObjectStore(value),
    pictureStore,
    /** Undefined: no emails are sent. */
    email: toEmailSettings(value),
    /** False: no emails, push messages and web hooks are sent. */
    isSending: value.SENDING,
    /** Whether the request limits of request-limits.ts apply. */
    rateLimits: value.RATE_LIMITS,
    settings: {
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
      webhookHosts: value.WEBHOOK_HOSTS,
    } satisfies Omit<OperatorSettings, 'secret'>,
  };
}

/** The port distinguishes several nodes on one machine. */
const defaultNodeName = (port: number) => (port === 0 ? os.hostname() : `${os.hostname()}:${port}`);

function toBackupSchedule(value: z.infer<typeof variables>) {
  if (value.BACKUP_DIRECTORY === undefined) return undefined;
  return {
    /** An absolute path. */
    directory: value.BACKUP_DIRECTORY,
    /** Minutes since midnight, in the time zone of the machine. */
    minuteOfDay: value.BACKUP_TIME,
    retention: value.BACKUP_RETENTION,
    /** The absolute path where a backup is restored once a week to verify it. Undefined: backups are not verified. */
    scratchDirectory: value.BACKUP_SCRATCH_DIRECTORY,
  };
}

function toExportSchedule(value: z.infer<typeof variables>) {
  if (value.EXPORT_DIRECTORY === undefined || value.EXPORT_LICENSE === undefined) return undefined;
  return {
    /** An absolute path. */
    directory: value.EXPORT_DIRECTORY,
    /** The licence of the members' posts, such as 'CC BY-SA 4.0'. */
    license: value.EXPORT_LICENSE,
    /** Days from one export to the next. */
    days: value.EXPORT_DAYS,
    /** How many exports are kept. */
    retention: value.EXPORT_RETENTION,
  };
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

function toObjectStore(value: z.infer<typeof variables>): ObjectStoreSettings | undefined {
  const { S3_BUCKET: bucket, S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = value;
  if (bucket === undefined || accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  return {
    bucket,
    endpoint: value.S3_ENDPOINT,
    region: value.S3_REGION,
    accessKeyId,
    secretAccessKey,
    prefix: value.S3_PREFIX,
  };
}

function toIdentityProvider(value: z.infer<typeof variables>): OperatorSettings['identityProvider'] {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = value;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return null;
  return { issuer, clientId, clientSecret, name: value.OIDC_NAME ?? new URL(issuer).hostname };
}

function toEmailSettings(value: z.infer<typeof variables>) {
  const { SMTP_URL: url, EMAIL_FROM: from } = value;
  if (url === undefined || from === undefined) return undefined;
  return {
    url,
    from,
    bounceAddress: value.BOUNCE_ADDRESS,
    replyAddress: value.REPLY_ADDRESS,
    replySecret: value.REPLY_SECRET,
  };
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
