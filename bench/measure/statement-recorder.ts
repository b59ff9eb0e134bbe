import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { getDatabaseUrl, type Community, startCommunity, withoutCacheEnv } from './community.ts';
import type { Request } from './load-client.ts';
import type { Statement } from './statement.ts';

/** A server whose statements are written down; it keeps no answers, so that each request shows all of its own. */
export type Recorder = {
  community: Community;
  /** The statements that a request makes it send. */
  record: (request: Request) => Promise<Statement[]>;
  stop: () => Promise<void>;
};

/** @param beside a community that is served already: the recording one is a second node of it */
export async function startRecorder(data: string, beside?: Community): Promise<Recorder> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'parley-statements-'));
  const file = path.join(folder, 'statements');
  await writeFile(file, '');
  const program = pathToFileURL(path.join(import.meta.dirname, 'record.ts')).href;
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
  // What it sends by itself now and then is no request's.
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
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export const isTransaction = (text: string) => /^\s*(begin|commit|rollback|start transaction)\b/iu.test(text);

/** What follows an answer, such as waking the other nodes, comes within this, in milliseconds. */
const quietMs = 100;

async function waitUntilQuiet(length: () => Promise<number>): Promise<void> {
  for (let before = -1, now = await length(); now !== before; now = await length()) {
    before = now;
    await delay(quietMs);
  }
}

/** Transactions of which nothing is left are none. */
function withoutEmpty(statements: readonly Statement[]): Statement[] {
  const kept: Statement[] = [];
  for (const statement of statements) {
    const before = kept.at(-1);
    if (/^\s*commit/iu.test(statement.text) && before !== undefined && /^\s*begin/iu.test(before.text))
      kept.pop();
    else kept.push(statement);
  }
  return kept;
}
