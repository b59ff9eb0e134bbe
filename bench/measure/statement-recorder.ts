import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { getDatabaseUrl, type Community, startCommunity, withoutCacheEnv } from './community.ts';
import type { Request } from './load-client.ts';
import type { Statement } from './statement.ts';

/** A server that records its statements; it has no response cache, so each request executes all of its statements. */
export type Recorder = {
  community: Community;
  /** The statements that a request causes. */
  record: (request: Request) => Promise<Statement[]>;
  stop: () => Promise<void>;
};

/** @param beside a running community; the recorder is a second node of it */
export async function startRecorder(data: string, beside?: Community): Promise<Recorder> {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'parley-statements-'));
  const file = path.join(directory, 'statements');
  await writeFile(file, '');
  const program = pathToFileURL(path.join(import.meta.dirname, 'record-statements.ts')).href;
  const community = await startCommunity(data, {
    ...withoutCacheEnv,
    ...(beside && { DATABASE_URL: getDatabaseUrl(beside.connection) }),
    NODE_OPTIONS: `--import ${program}`,
    PARLEY_RECORD: file,
  });
  const length = async () => (await stat(file)).size;
  const since = async (from: number) => {
    const lines = (await readFile(file)).subarray(from).toString('utf8').trimEnd().split('\n');
    return lines.filter(Boolean).map((line) => JSON.parse(line) as Statement);
  };
  // The server also sends statements on its own; those are not counted for a request.
  await community.send({ method: 'GET', path: '/api/session', member: 0 });
  const idle = await length();
  await delay(6_000);
  const own = new Set((await since(idle)).map(({ text }) => text).filter((text) => !isTransaction(text)));
  return {
    community,
    async record(request) {
      const from = await length();
      await community.send(request);
      await waitUntilQuiet(length);
      return withoutEmpty((await since(from)).filter(({ text }) => !own.has(text)));
    },
    async stop() {
      await community.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

export const isTransaction = (text: string) => /^\s*(begin|commit|rollback|start transaction)\b/iu.test(text);

/** Statements after a response, such as NOTIFY for other nodes, follow within this time, in milliseconds. */
const quietMs = 100;

async function waitUntilQuiet(length: () => Promise<number>): Promise<void> {
  for (let before = -1, now = await length(); now !== before; now = await length()) {
    before = now;
    await delay(quietMs);
  }
}

/** Removes transactions without statements. */
function withoutEmpty(statements: readonly Statement[]): Statement[] {
  const remaining: Statement[] = [];
  for (const statement of statements) {
    const before = remaining.at(-1);
    if (/^\s*commit/iu.test(statement.text) && before !== undefined && /^\s*begin/iu.test(before.text))
      remaining.pop();
    else remaining.push(statement);
  }
  return remaining;
}
