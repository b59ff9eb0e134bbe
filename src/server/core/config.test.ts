import { writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createTemporaryDirectory } from '#tests/support/parley.ts';
import { readConfig } from './config.ts';

const noFile = '/nowhere/.env';

test('uses 127.0.0.1:3000 and the embedded PostgreSQL by default', () => {
  expect(readConfig({}, noFile)).toEqual({
    port: 3000,
    host: '127.0.0.1',
    databaseUrl: undefined,
    databaseDirectUrl: undefined,
    databaseReplicaUrls: [],
    dataDirectory: undefined,
    logLevel: 'info',
    nodeName: `${os.hostname()}:3000`,
    slowQueryMs: 1_000,
    unknownVariables: [],
    rateLimits: true,
    backups: undefined,
    exports: undefined,
    objectStore: undefined,
    pictureStore: 'database',
    drainSeconds: 0,
    cacheSizeMb: 64,
    secret: undefined,
    metricsToken: undefined,
    email: undefined,
    isSending: true,
    settings: {
      publicUrl: null,
      trustedProxies: 0,
      maxAccountsPerNetwork: 20,
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
    },
  });
});

test('reads every setting from the environment', () => {
  const config = readConfig(
    {
      PORT: '0',
      HOST: '::1',
      PUBLIC_URL: 'https://ask.example.org/',
      DATABASE_URL: 'postgres://me:secret@db.example.org/ask',
      DATABASE_REPLICA_URLS: 'postgres://me@db2.example.org/ask, postgresql://me@db3.example.org:5433/ask',
      PARLEY_DATA: '/srv/parley',
      LOG_LEVEL: 'debug',
      NODE_NAME: 'first.example.org',
      SLOW_QUERY_MS: '250',
      BACKUP_DIRECTORY: '/srv/backups',
      BACKUP_TIME: '23:05',
      BACKUP_RETENTION: '30 daily, 12 monthly',
      BACKUP_SCRATCH_DIRECTORY: '/srv/scratch',
      EXPORT_DIRECTORY: '/srv/exports',
      EXPORT_LICENSE: 'CC BY-SA 4.0',
      EXPORT_DAYS: '1',
      EXPORT_RETENTION: '30',
      PICTURE_STORE: 'database',
      S3_BUCKET: 'pictures',
      S3_ENDPOINT: 'https://s3.example.org',
      S3_REGION: 'garage',
      S3_ACCESS_KEY_ID: 'id',
      S3_SECRET_ACCESS_KEY: 'hunter2',
      S3_PREFIX: 'parley/',
      DRAIN_SECONDS: '15',
      CACHE_SIZE_MB: '0',
      SECRET: 'x'.repeat(32),
      METRICS_TOKEN: 'y'.repeat(16),
      SMTP_URL: 'smtps://me:secret@mail.example.org',
      EMAIL_FROM: 'Ask us <ask@example.org>',
      TRUSTED_PROXIES: '2',
      ACCOUNTS_PER_NETWORK: '50',
      SIGN_UP: 'off',
      PASSWORD_SIGN_IN: 'off',
      HIDE_LOGIN_REASON: 'on',
      OIDC_ISSUER: 'https://id.example.org',
      OIDC_CLIENT_ID: 'parley',
      OIDC_CLIENT_SECRET: 'z'.repeat(16),
      OIDC_NAME: ' Example ',
      COMMON_PASSWORDS: 'refuse',
      PROFILE_EMAIL: 'never',
      SELF_VOTES: 'off',
      IMPORTED_ADDRESSES: 'Cooking.stackexchange.com',
      HSTS: 'subdomains',
      RATE_LIMITS: 'off',
      SENDING: 'off',
      SERVICE_WORKER: 'off',
      WEBHOOK_HOSTS: 'Chat.internal, 10.1.0.0/16,::1',
    },
    noFile,
  );
  expect(config).toEqual({
    port: 0,
    host: '::1',
    databaseUrl: 'postgres://me:secret@db.example.org/ask',
    databaseDirectUrl: undefined,
    databaseReplicaUrls: ['postgres://me@db2.example.org/ask', 'postgresql://me@db3.example.org:5433/ask'],
    dataDirectory: '/srv/parley',
    logLevel: 'debug',
    nodeName: 'first.example.org',
    slowQueryMs: 250,
    unknownVariables: [],
    rateLimits: false,
    backups: {
      directory: '/srv/backups',
      minuteOfDay: 23 * 60 + 5,
      retention: { daily: 30, weekly: 0, monthly: 12 },
      scratchDirectory: '/srv/scratch',
    },
    exports: { directory: '/srv/exports', license: 'CC BY-SA 4.0', days: 1, retention: 30 },
    objectStore: {
      bucket: 'pictures',
      endpoint: 'https://s3.example.org',
      region: 'garage',
      accessKeyId: 'id',
      secretAccessKey: 'hunter2',
      prefix: 'parley/',
    },
    pictureStore: 'database',
    drainSeconds: 15,
    cacheSizeMb: 0,
    secret: 'x'.repeat(32),
    metricsToken: 'y'.repeat(16),
    email: {
      url: 'smtps://me:secret@mail.example.org',
      from: 'Ask us <ask@example.org>',
      bounceAddress: undefined,
      replyAddress: undefined,
      replySecret: undefined,
    },
    isSending: false,
    settings: {
      publicUrl: 'https://ask.example.org',
      trustedProxies: 2,
      maxAccountsPerNetwork: 50,
      isSignUpOpen: false,
      hasPasswordSignIn: false,
      hidesLoginReason: true,
      profileEmail: 'never',
      allowsSelfVotes: false,
      importedSite: 'cooking.stackexchange.com',
      identityProvider: {
        issuer: 'https://id.example.org',
        clientId: 'parley',
        clientSecret: 'z'.repeat(16),
        name: 'Example',
      },
      refusesCommonPasswords: true,
      hsts: 'subdomains',
      hasServiceWorker: false,
      webhookHosts: ['chat.internal', '10.1.0.0/16', '::1'],
    },
  });
});

test('prefers the environment to .env, and treats an empty value as unset', async () => {
  const file = path.join(await createTemporaryDirectory(), '.env');
  await writeFile(file, 'PORT=4000\nHOST="0.0.0.0" # everyone\nLOG_LEVEL=warn\n');
  const config = readConfig({ PORT: '5000', LOG_LEVEL: '' }, file);
  expect(config).toMatchObject({ port: 5000, host: '0.0.0.0', logLevel: 'info' });
});

test('reads the value of a setting from the file that NAME_FILE names', async () => {
  const directory = await createTemporaryDirectory();
  const secret = path.join(directory, 'secret');
  await writeFile(secret, `${'s'.repeat(32)}\n`);
  expect(readConfig({ SECRET_FILE: secret, PORT_FILE: '' }, noFile)).toMatchObject({
    secret: 's'.repeat(32),
    port: 3000,
  });
  const empty = path.join(directory, 'empty');
  await writeFile(empty, '\n');
  const wrong = {
    SECRET: 'x'.repeat(32),
    SECRET_FILE: secret,
    SMTP_URL_FILE: '/nowhere/smtp',
    METRICS_TOKEN_FILE: empty,
  };
  const message = messageOf(() => readConfig(wrong, noFile));
  for (const line of [
    'SECRET and SECRET_FILE exclude each other.',
    'SMTP_URL_FILE names a file that cannot be read (ENOENT).',
    'METRICS_TOKEN_FILE names an empty file.',
  ])
    expect(message).toContain(`\n  ${line}`);
});

test('reports all invalid settings together, without secrets', () => {
  const wrong = {
    PORT: '70000',
    HOST: 'not a host',
    PUBLIC_URL: 'https://example.org/ask',
    DATABASE_URL: 'mysql://me:hunter2@db/ask',
    DATABASE_REPLICA_URLS: 'postgres://me@db/ask,mysql://me:hunter2@db/ask',
    LOG_LEVEL: 'loud',
    NODE_NAME: 'first of all',
    SLOW_QUERY_MS: 'often',
    BACKUP_DIRECTORY: '/srv/backups',
    BACKUP_TIME: '24:00',
    BACKUP_RETENTION: '0 daily',
    DRAIN_SECONDS: '3601',
    SECRET: 'too short',
    METRICS_TOKEN: 'too short as well',
    SMTP_URL: 'http://me:hunter2@mail.example.org',
    EMAIL_FROM: 'Ask\nBcc: all@example.org',
    TRUSTED_PROXIES: 'yes',
    ACCOUNTS_PER_NETWORK: 'many',
    SIGN_UP: 'maybe',
    PASSWORD_SIGN_IN: '1',
    HIDE_LOGIN_REASON: 'x',
    OIDC_ISSUER: 'http://id.example.org',
    COMMON_PASSWORDS: 'off',
    PROFILE_EMAIL: 'x',
    SELF_VOTES: 'x',
    IMPORTED_ADDRESSES: 'x',
    HSTS: 'x',
    SERVICE_WORKER: 'x',
  };
  const message = messageOf(() => readConfig(wrong, noFile));
  expect(message).toMatchInlineSnapshot(`
    "The configuration is not valid:
      PORT must be a whole number from 0 to 65535.
      HOST must be a host name or an address, such as 127.0.0.1.
      PUBLIC_URL must not have a path: Parley is served at the root of its host.
      DATABASE_URL must be an address such as postgres://user:password@host:5432/database.
      DATABASE_REPLICA_URLS must be addresses such as postgres://user:password@host:5432/database, separated by commas.
      NODE_NAME must be at most 64 letters, digits, or any of -._:.
      SLOW_QUERY_MS must be a whole number from 0 to 600000.
      BACKUP_TIME must be a time of the day such as 03:30.
      BACKUP_RETENTION must have the form 7 daily, 4 weekly, 12 monthly.
      LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent.
      DRAIN_SECONDS must be a whole number from 0 to 3600.
      SECRET must have at least 32 characters.
      METRICS_TOKEN must have at least 16 letters, digits, or any of -._~+/=.
      SMTP_URL must be an address such as smtp://user:password@mail.example.org:587, or smtps:// for TLS from the start.
      EMAIL_FROM must be an address such as Parley <parley@example.org>.
      TRUSTED_PROXIES must be a whole number from 0 to 10.
      ACCOUNTS_PER_NETWORK must be a whole number from 0 to 1000.
      SIGN_UP must be on or off.
      PASSWORD_SIGN_IN must be on or off.
      HIDE_LOGIN_REASON must be on or off.
      OIDC_ISSUER must begin with https://.
      COMMON_PASSWORDS must be allow or refuse.
      PROFILE_EMAIL must be one of shown, hidden, never.
      SELF_VOTES must be on or off.
      IMPORTED_ADDRESSES must be the name of a site such as cooking.stackexchange.com.
      HSTS must be host, subdomains or off.
      SERVICE_WORKER must be on or off.
      OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET require each other, and PUBLIC_URL."
  `);
  for (const name of Object.keys(wrong).filter((name) => name !== 'BACKUP_DIRECTORY'))
    expect(message).toContain(`  ${name} must `);
  expect(message).not.toMatch(/hunter2|too short/);
});

test('refuses replicas without DATABASE_URL, because the embedded PostgreSQL has none', () => {
  expect(messageOf(() => readConfig({ DATABASE_DIRECT_URL: 'postgres://me:hunter2@db/ask' }, noFile))).toBe(
    'The configuration is not valid:\n  DATABASE_DIRECT_URL requires DATABASE_URL, which names the pooler.',
  );
  expect(messageOf(() => readConfig({ DATABASE_REPLICA_URLS: 'postgres://me:hunter2@db/ask' }, noFile))).toBe(
    'The configuration is not valid:\n  DATABASE_REPLICA_URLS requires DATABASE_URL: the embedded PostgreSQL has no replicas.',
  );
});

test('refuses backup settings without a backup directory', () => {
  const message = messageOf(() =>
    readConfig({ BACKUP_TIME: '03:30', BACKUP_SCRATCH_DIRECTORY: '/tmp' }, noFile),
  );
  expect(message).toBe(
    'The configuration is not valid:\n  BACKUP_TIME requires BACKUP_DIRECTORY.\n  BACKUP_SCRATCH_DIRECTORY requires BACKUP_DIRECTORY.',
  );
});

test('refuses a mail server without a sender and a public URL', () => {
  const detail = 'SMTP_URL requires EMAIL_FROM and PUBLIC_URL: emails have a sender and links to the site.';
  const url = { SMTP_URL: 'smtp://me:hunter2@mail.example.org' };
  for (const half of [{ EMAIL_FROM: 'ask@example.org' }, { PUBLIC_URL: 'https://ask.example.org' }]) {
    const message = messageOf(() => readConfig({ ...url, ...half }, noFile));
    expect(message).toContain(detail);
    expect(message).not.toContain('hunter2');
  }
});

test.each(['-1', '1.5', '0x10', '1e3', '65536', '٣'])('refuses PORT=%j', (port) => {
  expect(messageOf(() => readConfig({ PORT: port }, noFile))).toContain(
    'PORT must be a whole number from 0 to 65535',
  );
});

test('reports a .env that cannot be read', async () => {
  const directory = await createTemporaryDirectory();
  expect(messageOf(() => readConfig({}, directory))).toMatch(
    /^The configuration file .* cannot be read: EISDIR/,
  );
});

function messageOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return 'it was accepted';
}

test('refuses scheduled exports without a licence, and without an interval', () => {
  expect(messageOf(() => readConfig({ EXPORT_DIRECTORY: '/srv/exports' }, noFile))).toContain(
    'EXPORT_DIRECTORY requires EXPORT_LICENSE',
  );
  const zero = { EXPORT_DIRECTORY: '/srv/exports', EXPORT_LICENSE: 'CC0', EXPORT_DAYS: '0' };
  expect(messageOf(() => readConfig(zero, noFile))).toContain(
    'EXPORT_DAYS must be a whole number from 1 to 366.',
  );
  expect(messageOf(() => readConfig({ EXPORT_DAYS: '1' }, noFile))).toContain(
    'EXPORT_DAYS requires EXPORT_DIRECTORY.',
  );
});

test('reads the bucket for pictures, and refuses a part of it', () => {
  const bucket = { S3_BUCKET: 'pictures', S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'hunter2' };
  const where = { S3_ENDPOINT: 'https://s3.example.org', S3_REGION: 'garage', S3_PREFIX: 'parley/' };
  expect(readConfig({ ...bucket, ...where }, noFile)).toMatchObject({
    pictureStore: 's3',
    objectStore: {
      bucket: 'pictures',
      endpoint: 'https://s3.example.org',
      region: 'garage',
      prefix: 'parley/',
    },
  });
  expect(readConfig({ ...bucket, PICTURE_STORE: 'database' }, noFile).pictureStore).toBe('database');
  expect(readConfig({}, noFile)).toMatchObject({ pictureStore: 'database', objectStore: undefined });
  const required = 'requires S3_BUCKET, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY.';
  for (const part of [{ PICTURE_STORE: 's3' }, { S3_BUCKET: 'pictures' }, { S3_REGION: 'eu-central-1' }])
    expect(messageOf(() => readConfig(part, noFile))).toContain(required);
  for (const [name, value] of [
    ['S3_BUCKET', 'Pictures'],
    ['S3_ENDPOINT', 'https://s3.example.org/pictures'],
    ['S3_PREFIX', 'parley'],
    ['PICTURE_STORE', 'disk'],
  ] as const) {
    const message = messageOf(() => readConfig({ ...bucket, [name]: value }, noFile));
    expect(message).toContain(`${name} must be`);
    expect(message).not.toContain('hunter2');
  }
});
