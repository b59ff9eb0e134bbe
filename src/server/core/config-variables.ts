import { isIP } from 'node:net';
import path from 'node:path';
import { z } from 'zod';
import { emailVisibilities } from '#shared/identity/profiles.ts';
import { logLevels } from './log.ts';

/** How many backups are retained: the newest of each of the last `daily` days, `weekly` weeks and `monthly` months. */
export type BackupRetention = Readonly<{ daily: number; weekly: number; monthly: number }>;

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

/** The variables of the environment. Messages never repeat a value, because it may be or contain a secret. */
export const variables = z.object({
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
  PARLEY_DATA: directory(),
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
  REPLY_ADDRESS: z
    .string()
    .toLowerCase()
    .regex(/^[\w.-]{1,16}@[\w.-]+$/, 'must be an address such as reply@example.org')
    .optional(),
  // It stands in the addresses that mail providers call.
  REPLY_SECRET: z
    .string()
    .regex(/^[\w.~-]{32,200}$/, 'must have 32 to 200 letters, digits, or any of -._~')
    .optional(),
  TRUSTED_PROXIES: wholeNumber(10).default(0),
  RATE_LIMITS: onOff().default(true),
  SENDING: onOff().default(true),
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
