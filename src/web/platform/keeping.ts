import type {
  Query,
  QueryClient,
  QueryFunction,
  QueryFunctionContext,
  QueryKey,
} from '@tanstack/react-query';
import type { Me } from '#shared/accounts.ts';
import { isReachable } from './api.ts';
import { isTransient, Unreachable } from './errors.ts';
import type * as Kept from './kept-pages.ts';
import type { Session } from './session.ts';

/**
 * Keeps what a member opens, and shows it again where the server cannot be reached (docs/decisions/022). The network
 * always comes first: what is kept is shown only when a request got no answer and a probe gets none either, and it is
 * asked for again as soon as there is an answer.
 */

/** How long an answer may take before it is asked whether there is a connection at all, in milliseconds. */
const patienceMs = 6_000;

/** What changes often is written once in so many milliseconds. */
const calmMs = 2_000;

/** Of a list of which much was loaded, in pages. */
const maxListPages = 5;

const sessionName = 'session';
let keptNames: ReadonlySet<unknown> = new Set();
/** What is shown from what was kept, and of when it is. */
const restored = new Map<string, number>();
/** What was shown at any time. */
const opened = new WeakSet<Query>();
const changed = new Map<string, { member: number; query: Query }>();
/** What the server said last about who is signed in, and when it was asked. */
let confirmed: { member: Me; askedAt: number } | null = null;
let writing: number | undefined;

/** @param names the first parts of the keys of what is kept. */
export function keepPages(client: QueryClient, names: readonly string[]): void {
  keptNames = new Set(names);
  client.getQueryCache().subscribe(({ type, query, ...event }) => {
    if (type === 'observerAdded') {
      // What was fetched in case it would be opened, is opened.
      if (!opened.has(query) && query.state.data !== undefined) note(query);
      opened.add(query);
      return;
    }
    if (type !== 'updated' || !('action' in event) || event.action.type !== 'success') return;
    if (query.queryKey[0] === sessionName) {
      // Signed in or out here; what the server answers is noted with the time it was asked.
      if (event.action.manual === true) noteSession(query.state.data as Session, Date.now());
      return;
    }
    if (opened.has(query)) note(query);
  });
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') writeChanged();
  });

  function note(query: Query): void {
    const member = memberOf(client);
    if (member === null || !keptNames.has(query.queryKey[0]) || restored.has(query.queryHash)) return;
    if (client.getQueryCache().get(query.queryHash) !== query) return;
    changed.set(query.queryHash, { member, query });
    writeSoon();
  }
}

/** Every query's way to the server, and to what is kept where there is none. */
export async function answerOrKept<Data, Key extends QueryKey>(
  ask: QueryFunction<Data, Key>,
  context: QueryFunctionContext<Key>,
  query: Query,
): Promise<Data> {
  const askedAt = Date.now();
  const { client } = context;
  try {
    const asked = Promise.resolve(ask(context));
    const data = await (query.state.data === undefined ? patiently(asked) : asked);
    restored.delete(query.queryHash);
    if (query.queryKey[0] === sessionName) noteSession(data as Session, askedAt);
    return data;
  } catch (error) {
    if (query.state.data !== undefined || context.signal.aborted) throw error;
    if (!isTransient(error)) {
      void forget(client, query);
      throw error;
    }
    const kept = await keptOf(client, query);
    if (kept === null || (await isReachable())) throw error;
    if (query.queryKey[0] !== sessionName) restored.set(query.queryHash, kept.at);
    // Once it has entered the cache: as old as it is, so that whoever looks asks again.
    setTimeout(() => query.setState({ dataUpdatedAt: kept.at, isInvalidated: true }));
    return kept.data as Data;
  }
}

/** Of when it is what a query shows, in milliseconds since 1970; undefined where it is what the server answered. */
export function keptFrom(queryHash: string): number | undefined {
  return restored.get(queryHash);
}

/** A request that hangs while nothing else is answered either has none. */
function patiently<Data>(answer: Promise<Data>): Promise<Data> {
  let timer: number | undefined;
  const none = new Promise<Data>((_, refuse) => {
    const look = async () => {
      if (!(await isReachable())) refuse(new Unreachable('The server does not answer.'));
    };
    timer = window.setTimeout(() => void look(), patienceMs);
  });
  return Promise.race([answer, none]).finally(() => window.clearTimeout(timer));
}

function noteSession({ member }: Session, askedAt: number): void {
  if (member !== null) {
    confirmed = { member, askedAt };
    return writeSoon();
  }
  confirmed = null;
  changed.clear();
  restored.clear();
  void pages((kept) => kept.wipeKept());
}

async function keptOf(client: QueryClient, query: Query): Promise<{ data: unknown; at: number } | null> {
  if (query.queryKey[0] === sessionName) {
    const member = await pages((kept) => kept.keptMember());
    return member === null ? null : { data: { member }, at: 0 };
  }
  const member = memberOf(client);
  if (member === null || !keptNames.has(query.queryKey[0])) return null;
  return pages((kept) => kept.keptPage(member, query.queryHash));
}

async function forget(client: QueryClient, { queryKey, queryHash }: Query): Promise<void> {
  const member = memberOf(client);
  if (member !== null && keptNames.has(queryKey[0]))
    await pages((kept) => kept.forgetPage(member, queryHash));
}

function writeSoon(): void {
  writing ??= window.setTimeout(writeChanged, calmMs);
}

function writeChanged(): void {
  window.clearTimeout(writing);
  writing = undefined;
  const owner = confirmed;
  const parts = [...changed].map(([hash, { member, query }]) => ({ member, hash, ...query.state }));
  confirmed = null;
  changed.clear();
  void pages(async (kept) => {
    // Before the pages: of anybody else's, none is kept.
    if (owner !== null) await kept.keepFor(owner.member, owner.askedAt);
    for (const { member, hash, data, dataUpdatedAt } of parts)
      await kept.keepPage(member, hash, beginningOf(data), dataUpdatedAt);
  });
}

function beginningOf(data: unknown): unknown {
  if (typeof data !== 'object' || data === null || !('pageParams' in data) || !('pages' in data)) return data;
  const { pages, pageParams } = data as { pages: unknown[]; pageParams: unknown[] };
  return { pages: pages.slice(0, maxListPages), pageParams: pageParams.slice(0, maxListPages) };
}

/** Storage can be forbidden, full, or lost: then nothing is kept, and the app works with a network alone. */
async function pages<T>(task: (kept: typeof Kept) => Promise<T>): Promise<T | null> {
  try {
    return await task(await import('./kept-pages.ts'));
  } catch {
    return null;
  }
}

function memberOf(client: QueryClient): number | null {
  return client.getQueryData<Session>([sessionName])?.member?.id ?? null;
}
