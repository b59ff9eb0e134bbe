import { t } from '@lingui/core/macro';
import type {
  Query,
  QueryClient,
  QueryFunction,
  QueryFunctionContext,
  QueryKey,
} from '@tanstack/react-query';
import type { Me } from '#shared/identity/accounts.ts';
import { isServerReachable } from './api.ts';
import { hasStatus, isTransient, UnreachableError } from './errors.ts';
import type * as OfflineStore from './offline-store.ts';
import type { Session } from './session.ts';

/**
 * Stores the pages a member opens and shows them again when the server is unreachable (docs/decisions/022). The network
 * always comes first: stored data is shown only if a request and a probe both get no response, and it is refetched as
 * soon as the server responds.
 */

/** How long to wait for a response before probing the connection, in milliseconds. */
const reachabilityCheckDelayMs = 6_000;

/** Frequent changes are written at most once per this many milliseconds. */
const writeDelayMs = 500;

/** How many pages of a long list are stored. */
const maxListPages = 5;

/** How long a sign-out waits for the deletion of the stored pages, in milliseconds. */
const maxClearingMs = 3_000;

const sessionName = 'session';
let persistedNames: ReadonlySet<unknown> = new Set();
/** Query hash to the time its restored data was loaded, in milliseconds since 1970. */
const restored = new Map<string, number>();
/** Queries that were shown at some time. */
const observedQueries = new WeakSet<Query>();
const changedQueries = new Map<string, { member: number; query: Query }>();
/** The last session state from the server, and when it was requested. */
let confirmedSession: { member: Me; requestedAt: number } | null = null;
let writeTimer: number | undefined;

/**
 * Starts storing queries.
 * @param names the first parts of the query keys to store.
 */
export function persistQueries(client: QueryClient, names: readonly string[]): void {
  persistedNames = new Set(names);
  client.getQueryCache().subscribe(({ type, query, ...event }) => {
    if (type === 'observerAdded') {
      // Preloaded data is now being shown.
      if (!observedQueries.has(query) && query.state.data !== undefined) record(query);
      observedQueries.add(query);
      return;
    }
    if (type !== 'updated' || !('action' in event) || event.action.type !== 'success') return;
    if (query.queryKey[0] === sessionName) {
      // Signed in or out on this page. Responses of the server are recorded with their request time instead.
      if (event.action.manual === true) recordSession(query.state.data as Session, Date.now());
      return;
    }
    if (observedQueries.has(query)) record(query);
  });
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') writeChanged();
  });

  function record(query: Query): void {
    const member = getMemberId(client);
    if (member === null || !persistedNames.has(query.queryKey[0]) || restored.has(query.queryHash)) return;
    if (client.getQueryCache().get(query.queryHash) !== query) return;
    changedQueries.set(query.queryHash, { member, query });
    scheduleWrite();
  }
}

/** Fetches every query from the server or, when it is unreachable, from the offline store. */
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
      if ([403, 404, 410].some((status) => hasStatus(error, status))) void deleteStored(client, query);
      throw error;
    }
    const stored = await readStored(client, query);
    if (stored === null || (await isServerReachable())) throw error;
    if (query.queryKey[0] !== sessionName) restored.set(query.queryHash, stored.at);
    // After the data has entered the cache: sets its real age and marks it stale, so that it is refetched.
    setTimeout(() => query.setState({ dataUpdatedAt: stored.at, isInvalidated: true }));
    return stored.data as Data;
  }
}

/**
 * When the data that a query shows was loaded, in milliseconds since 1970; undefined if it is the server's response.
 */
export function getRestoredAt(queryHash: string): number | undefined {
  return restored.get(queryHash);
}

/** Rejects if a request hangs and the server does not respond to a probe either. */
function rejectIfUnreachable<Data>(response: Promise<Data>): Promise<Data> {
  let timer: number | undefined;
  const unreachable = new Promise<Data>((_, reject) => {
    const probe = async () => {
      if (!(await isServerReachable())) reject(new UnreachableError(t`The server cannot be reached.`));
    };
    timer = window.setTimeout(() => void probe(), reachabilityCheckDelayMs);
  });
  return Promise.race([response, unreachable]).finally(() => window.clearTimeout(timer));
}

function recordSession({ member }: Session, requestedAt: number): void {
  if (member !== null) {
    confirmedSession = { member, requestedAt };
    return scheduleWrite();
  }
  confirmedSession = null;
  changedQueries.clear();
  restored.clear();
  void clearOfflinePages();
}

/** Deletes the stored pages. Resolves when they are deleted, or while that still runs if it takes long. */
export function clearOfflinePages(): Promise<unknown> {
  return Promise.race([
    withOfflineStore((store) => store.clearOfflineStore()),
    new Promise((resolve) => void setTimeout(resolve, maxClearingMs)),
  ]);
}

async function readStored(client: QueryClient, query: Query): Promise<{ data: unknown; at: number } | null> {
  if (query.queryKey[0] === sessionName) {
    const member = await withOfflineStore((store) => store.getOfflineMember());
    return member === null ? null : { data: { member }, at: 0 };
  }
  const member = getMemberId(client);
  if (member === null || !persistedNames.has(query.queryKey[0])) return null;
  return withOfflineStore((store) => store.getOfflinePage(member, query.queryHash));
}

async function deleteStored(client: QueryClient, { queryKey, queryHash }: Query): Promise<void> {
  const member = getMemberId(client);
  if (member !== null && persistedNames.has(queryKey[0]))
    await withOfflineStore((store) => store.deleteOfflinePage(member, queryHash));
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
  void withOfflineStore(async (store) => {
    // Before the pages: pages of other members are not stored.
    if (owner !== null) await store.setOfflineOwner(owner.member, owner.requestedAt);
    for (const { member, hash, data, dataUpdatedAt } of parts)
      await store.saveOfflinePage(member, hash, firstPagesOf(data), dataUpdatedAt);
  });
}

function firstPagesOf(data: unknown): unknown {
  if (typeof data !== 'object' || data === null || !('pageParams' in data) || !('pages' in data)) return data;
  const { pages, pageParams } = data as { pages: unknown[]; pageParams: unknown[] };
  return { pages: pages.slice(0, maxListPages), pageParams: pageParams.slice(0, maxListPages) };
}

/** Storage can be blocked, full or lost. Then nothing is stored, and the app works only with a network. */
async function withOfflineStore<T>(task: (store: typeof OfflineStore) => Promise<T>): Promise<T | null> {
  try {
    return await task(await import('./offline-store.ts'));
  } catch {
    return null;
  }
}

function getMemberId(client: QueryClient): number | null {
  return client.getQueryData<Session>([sessionName])?.member?.id ?? null;
}
