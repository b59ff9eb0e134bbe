import { fork } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { findRunningConnection } from '#server/postgres/embedded.ts';
import { spawnParley } from '#tests/support/parley-process.ts';
import { getParentPid, getCpuTimeMs, getChildrenCpuTimeMs } from '../process-usage.ts';
import type { LoadResult, LoadOrder, Request } from './load-client.ts';

/** A filled community with its own Parley and signed-in members. */
export type Community = {
  /** Its data directory. */
  data: string;
  address: string;
  port: number;
  /** The process id of Parley. */
  pid: number;
  db: pg.Client;
  connection: pg.ClientConfig;
  counts: { questions: number; answers: number; members: number };
  cookies: string[];
  /** The ids of the members, in the order of the cookies. */
  memberIds: number[];
  load: (
    requests: readonly Request[],
    how?: Partial<LoadOptions>,
  ) => Promise<LoadResult & { each: CpuTimes }>;
  /**
   * Sends one request as a browser does, and returns the raw bytes.
   * @throws when the response is an error
   */
  get: (
    path: string,
    member?: number,
    encoding?: string,
  ) => Promise<{ headers: Record<string, string>; body: Buffer }>;
  /**
   * Sends one request.
   * @throws when the response is an error
   */
  send: (request: Request) => Promise<void>;
  /** Returns the JSON of a path. */
  read: (path: string) => Promise<unknown>;
  stop: () => Promise<void>;
};

/** Milliseconds of CPU time per request. Those of the server and the database include warm-up requests. */
export type CpuTimes = { server: number; database: number; client: number };

export type LoadOptions = Pick<LoadOrder, 'connections' | 'seconds' | 'warmUp' | 'from'>;

/** Environment of a server without a response cache. */
export const withoutCacheEnv = { CACHE_SIZE_MB: '0' };

/** Signs the cookies; the server gets the same secret. */
const secret = 'a secret for measurements only, long enough for the server';

/** Signed-in members: so many that none reaches a rate limit. */
const signedInCount = 5_000;

/** @param env additional environment of the server, such as `withoutCacheEnv` */
export async function startCommunity(data: string, env: NodeJS.ProcessEnv = {}): Promise<Community> {
  const parley = spawnParley({
    env: { NODE_ENV: 'production', PARLEY_DATA: data, SECRET: secret, ...env },
  });
  const ended = parley.ended.then(() => {
    throw new Error(`Parley ended:\n${parley.output()}`);
  });
  ended.catch(() => {});
  const address = await Promise.race([parley.ready, ended]);
  const connection = (await findRunningConnection(data)) ?? {};
  const db = new pg.Client({ ...connection, statement_timeout: 0 });
  await db.connect();
  db.on('error', () => {});
  const port = Number(new URL(address).port);
  const { rows } = await db.query<{ pid: number }>('select pg_backend_pid() as pid');
  const postmaster = getParentPid(rows[0]?.pid ?? 0);
  const { cookies, memberIds } = await signIn(db);
  await warmUpSessions(port, cookies);
  return {
    data,
    address,
    port,
    pid: parley.pid,
    db,
    connection,
    counts: await count(db),
    cookies,
    memberIds,
    async load(requests, how = {}) {
      const order = { port, cookies, requests, connections: 32, seconds: 3, warmUp: 0.5, from: 0, ...how };
      const before = [getCpuTimeMs(parley.pid), getChildrenCpuTimeMs(postmaster)] as const;
      const loaded = await runLoad(order).catch(async (error: unknown) => {
        // If Parley has ended, its output is the reason.
        await Promise.race([ended, pause(2_000)]);
        throw error;
      });
      const sent = Math.max(1, loaded.next - order.from);
      const each = {
        server: (getCpuTimeMs(parley.pid) - before[0]) / sent,
        database: (getChildrenCpuTimeMs(postmaster) - before[1]) / sent,
        client: loaded.cpuMs / sent,
      };
      return { ...loaded, each };
    },
    get: (path, member = 0, encoding = 'gzip, deflate, br, zstd') =>
      getBytes(`${address}${path}`, { cookie: cookies[member] ?? '', 'accept-encoding': encoding }),
    async send({ method, path, member, body }) {
      const response = await fetch(`${address}${path}`, {
        method,
        headers: {
          cookie: cookies[member % cookies.length] ?? '',
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    },
    async read(path) {
      const response = await fetch(`${address}${path}`, { headers: { cookie: cookies[0] ?? '' } });
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
      return response.json();
    },
    async stop() {
      await db.end();
      parley.signal('SIGTERM');
      await parley.ended;
    },
  };
}

/** Uses node:http, since fetch decompresses responses. */
async function getBytes(address: string, sent: Record<string, string>) {
  const request = http.get(address, { headers: sent });
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  const body = Buffer.concat(await response.toArray());
  if (response.statusCode !== 200) throw new Error(`${address}: ${response.statusCode} ${body.toString()}`);
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(response.headers))
    if (typeof value === 'string') headers[name] = value;
  return { headers, body };
}

async function count(db: pg.Client): Promise<Community['counts']> {
  const { rows } = await db.query<Record<keyof Community['counts'], string>>(
    `select (select max(id) from question) as questions, (select max(id) from answer) as answers,
       (select max(id) from member) as members`,
  );
  const [row] = rows;
  return {
    questions: Number(row?.questions),
    answers: Number(row?.answers),
    members: Number(row?.members),
  };
}

/**
 * Creates sessions as signing in does, and their cookies: the token and its signature (better-call's signed cookies).
 */
async function signIn(db: pg.Client): Promise<Pick<Community, 'cookies' | 'memberIds'>> {
  const { rows } = await db.query<{ id: string }>('select id from member order by id limit $1', [
    signedInCount,
  ]);
  const memberIds = rows.map((row) => Number(row.id));
  const tokens = memberIds.map(() => randomBytes(24).toString('base64url'));
  await db.query(
    `insert into session (member_id, token, expires_at)
     select member, token, now() + interval '30 days' from unnest($1::bigint[], $2::text[]) as made (member, token)`,
    [memberIds, tokens],
  );
  const cookies = tokens.map((token) => {
    const signature = createHmac('sha256', secret).update(token).digest('base64');
    return `parley.session_token=${encodeURIComponent(`${token}.${signature}`)}`;
  });
  return { cookies, memberIds };
}

/** Requests that one network may send (request-limits.ts), and seconds after which it may send more. */
const [atATime, windowSeconds] = [2_500, 11];
const maxSessionsPerBatch = 10;

/** Makes the server look up each session once: measurements assume active members. */
async function warmUpSessions(port: number, cookies: readonly string[]): Promise<void> {
  const requests = cookies.map((_, member): Request => ({ method: 'GET', path: '/api/session', member }));
  for (let from = 0; from < requests.length; from += atATime) {
    if (from > 0) await pause(windowSeconds * 1_000);
    const some = requests.slice(from, from + atATime);
    // A busy machine may refuse some requests at first.
    for (let attempt = 1; !(await allIn(some)); attempt++) {
      if (attempt === maxSessionsPerBatch) throw new Error('sessions are refused repeatedly');
      await pause(windowSeconds * 1_000);
    }
  }

  async function allIn(some: readonly Request[]): Promise<boolean> {
    const order = { port, cookies, requests: some, from: 0, connections: 4, seconds: 0, warmUp: 0 };
    const { refused } = await runLoad(order);
    return Object.keys(refused).length === 0;
  }
}

export async function runLoad(order: LoadOrder): Promise<LoadResult> {
  const client = fork(new URL('./load-client.ts', import.meta.url), { serialization: 'advanced' });
  const failed = once(client, 'exit').then(([code]: unknown[]) => {
    throw new Error(`the client ended (${String(code)})`);
  });
  failed.catch(() => {});
  try {
    client.send(order);
    const [loaded] = (await Promise.race([once(client, 'message'), failed])) as [LoadResult];
    return loaded;
  } finally {
    client.kill();
  }
}

/**
 * The URL of the same database for another node. The directory of a socket is a query parameter, since it cannot be a
 * host.
 */
export function getDatabaseUrl({ host, port, user, password, database }: pg.ClientConfig): string {
  const url = new URL(`postgres://localhost/${database}`);
  url.searchParams.set('host', host ?? '');
  url.searchParams.set('port', String(port));
  url.searchParams.set('user', user ?? '');
  url.searchParams.set('password', typeof password === 'string' ? password : '');
  return url.href;
}

/** Resident memory of a process in bytes (Linux). */
export async function getMemoryBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/mu.exec(status)?.[1]) * 1024;
}
