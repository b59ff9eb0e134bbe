import type {
  Query,
  QueryClient,
  QueryFunction,
  QueryFunctionContext,
  QueryKey,
} from '@tanstack/react-query';
import type { Me } from '#shared/identity/accounts.ts';
import { isServerReachable } from './api.ts';
import { isTransient, UnreachableError } from './errors.ts';
import type * as Kept from './offline-store.ts';
import type { Session } from './session.ts';

/**
 * Keeps what a member opens, and shows it again where the server cannot be reached (docs/decisions/022). The network
 * always comes first: what is kept is shown only when a request got no answer and a probe gets none either, and it is
 * asked for again as soon as there is an answer.
 */

/** How long an answer may take before it is asked whether there is a connection at all, in milliseconds. */
const reachabilityCheckDelayMs = 6_000;

/** What changes often is written once in so many milliseconds. */
const writeDelayMs = 2_000;

/** Of a list of which much was loaded, in pages. */
const maxListPages = 5;

const sessionName = 'session';
let persistedNames: ReadonlySet<unknown> = new Set();
/** What is shown from what was kept, and of when it is. */
const restored = new Map<string, number>();
/** What was shown at any time. */
const observedQueries = new WeakSet<Query>();
const changedQueries = new Map<string, { member: number; query: Query }>();
/** What the server said last about who is signed in, and when it was asked. */
let confirmedSession: { member: Me; askedAt: number } | null = null;
let writeTimer: number | undefined;

/** @param names the first parts of the keys of what is kept. */
export function persistQueries(client: QueryClient, names: readonly string[]): void {
  persistedNames = new Set(names);
  client.getQueryCache().subscribe(({ type, query, ...event }) => {
    if (type === 'observerAdded') {
      // What was fetched in case it would be opened, is opened.
      if (!observedQueries.has(query) && query.state.data !== undefined) note(query);
      observedQueries.add(query);
      return;
    }
    if (type !== 'updated' || !('action' in event) || event.action.type !== 'success') return;
    if (query.queryKey[0] === sessionName) {
      // Signed in or out here; what the server answers is noted with the time it was asked.
      if (event.action.manual === true) recordSession(query.state.data as Session, Date.now());
      return;
    }
    if (observedQueries.has(query)) note(query);
  });
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') writeChanged();
  });

  function note(query: Query): void {
    const member = getMemberId(client);
    if (member === null || !persistedNames.has(query.queryKey[0]) || restored.has(query.queryHash)) return;
    if (client.getQueryCache().get(query.queryHash) !== query) return;
    changedQueries.set(query.queryHash, { member, query });
    scheduleWrite();
  }
}

/** Every query's way to the server, and to what is kept where there is none. */
export async function fetchOrRestore<Data, Key extends QueryKey>(
  fetchFromServer: QueryFunction<Data, Key>,
  context: QueryFunctionContext<Key>,
  query: Query,
): Promise<Data> {
  const requestedAt = Date.now();
  const { client } = context;
  try {
    const pending = Promise.resolve(fetchFromServer(context));
    const data = await (query.state.data === undefined ? rejectIfUnreachable(pending) : pending);
    restored.delete(query.queryHash);
    if (query.queryKey[0] === sessionName) recordSession(data as Session, requestedAt);
    return data;
  } catch (error) {
    if (query.state.data !== undefined || context.signal.aborted) throw error;
    if (!isTransient(error)) {
      void deleteStored(client, query);
      throw error;
    }
    const stored = await readStored(client, query);
    if (stored === null || (await isServerReachable())) throw error;
    if (query.queryKey[0] !== sessionName) restored.set(query.queryHash, stored.at);
    // Once it has entered the cache: as old as it is, so that whoever looks asks again.
    setTimeout(() => query.setState({ dataUpdatedAt: stored.at, isInvalidated: true }));
    return stored.data as Data;
  }
}

/** Of when it is what a query shows, in milliseconds since 1970; undefined where it is what the server answered. */
export function getRestoredAt(queryHash: string): number | undefined {
  return restored.get(queryHash);
}

/** A request that hangs while nothing else is answered either has none. */
function rejectIfUnreachable<Data>(answer: Promise<Data>): Promise<Data> {
  let timer: number | undefined;
  const none = new Promise<Data>((_, refuse) => {
    const look = async () => {
      if (!(await isServerReachable())) refuse(new UnreachableError('The server does not answer.'));
    };
    timer = window.setTimeout(() => void look(), reachabilityCheckDelayMs);
  });
  return Promise.race([answer, none]).finally(() => window.clearTimeout(timer));
}

function recordSession({ member }: Session, requestedAt: number): void {
  if (member !== null) {
    confirmedSession = { member, askedAt: requestedAt };
    return scheduleWrite();
  }
  confirmedSession = null;
  changedQueries.clear();
  restored.clear();
  void withOfflineStore((kept) => kept.clearOfflineStore());
}

async function readStored(client: QueryClient, query: Query): Promise<{ data: unknown; at: number } | null> {
  if (query.queryKey[0] === sessionName) {
    const member = await withOfflineStore((kept) => kept.getOfflineMember());
    return member === null ? null : { data: { member }, at: 0 };
  }
  const member = getMemberId(client);
  if (member === null || !persistedNames.has(query.queryKey[0])) return null;
  return withOfflineStore((kept) => kept.getOfflinePage(member, query.queryHash));
}

async function deleteStored(client: QueryClient, { queryKey, queryHash }: Query): Promise<void> {
  const member = getMemberId(client);
  if (member !== null && persistedNames.has(queryKey[0]))
    await withOfflineStore((kept) => kept.deleteOfflinePage(member, queryHash));
}

function scheduleWrite(): void {
  writeTimer ??= window.setTimeout(writeChanged, writeDelayMs);
}

function writeChanged(): void {
  window.clearTimeout(writeTimer);
  writeTimer = undefined;
  const owner = confirmedSession;
  const parts = [...changedQueries].map(([hash, { member, query }]) => ({ member, hash, ...query.state }));
  confirmedSession = null;
  changedQueries.clear();
  void withOfflineStore(async (kept) => {
    // Before the pages: of anybody else's, none is kept.
    if (owner !== null) await kept.setOfflineOwner(owner.member, owner.askedAt);
    for (const { member, hash, data, dataUpdatedAt } of parts)
      await kept.saveOfflinePage(member, hash, firstPagesOf(data), dataUpdatedAt);
  });
}

function firstPagesOf(data: unknown): unknown {
  if (typeof data !== 'object' || data === null || !('pageParams' in data) || !('pages' in data)) return data;
  const { pages, pageParams } = data as { pages: unknown[]; pageParams: unknown[] };
  return { pages: pages.slice(0, maxListPages), pageParams: pageParams.slice(0, maxListPages) };
}

/** Storage can be forbidden, full, or lost: then nothing is kept, and the app works with a network alone. */
async function withOfflineStore<T>(task: (kept: typeof Kept) => Promise<T>): Promise<T | null> {
  try {
    return await task(await import('./offline-store.ts'));
  } catch {
    return null;
  }
}

function getMemberId(client: QueryClient): number | null {
  return client.getQueryData<Session>([sessionName])?.member?.id ?? null;
}
