import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import type { Me } from '#shared/identity/accounts.ts';

/**
 * The pages a member opened, stored in this browser for reading without a network (docs/decisions/022). It holds the
 * pages of one member at a time. Every read and write checks the owner in its own transaction, so that a slow tab
 * cannot restore pages that a sign-out in another tab has deleted.
 */

/** Older pages are not shown, nor is any page if the server has not confirmed the session for this long. */
const maxAgeMs = 14 * 24 * 60 * 60 * 1000;

/** The oldest pages are deleted first. */
const maxPages = 100;

/** In characters of JSON. Larger pages are not stored. */
const maxPageChars = 300_000;

type Owner = {
  /** The member who was signed in at the last response of the server; null after a sign-out. */
  member: Me | null;
  confirmedAt: number;
  endedAt: number;
};
type Page = { member: number; hash: string; at: number; data: string };
interface Store extends DBSchema {
  owner: { key: 'owner'; value: Owner };
  pages: { key: [member: number, hash: string]; value: Page; indexes: { at: number } };
}

let openedDatabase: Promise<IDBPDatabase<Store>> | undefined;

/**
 * Sets the owner to the member the server named, and deletes the pages of any other member.
 * @param requestedAt when the session was requested, in milliseconds since 1970.
 */
export async function setOfflineOwner(member: Me, requestedAt: number): Promise<void> {
  const tx = (await openStore()).transaction(['owner', 'pages'], 'readwrite');
  const owner = await tx.objectStore('owner').get('owner');
  const endedAt = owner?.endedAt ?? 0;
  // Another tab has signed out since then. A time in the future is from a clock that was wrong.
  if (endedAt < requestedAt || endedAt > Date.now()) {
    if (owner?.member?.id !== member.id) await tx.objectStore('pages').clear();
    await tx.objectStore('owner').put({ member, confirmedAt: requestedAt, endedAt }, 'owner');
  }
  await tx.done;
}

/** Deletes everything after a sign-out. */
export async function clearOfflineStore(): Promise<void> {
  const tx = (await openStore()).transaction(['owner', 'pages'], 'readwrite');
  await tx.objectStore('pages').clear();
  await tx.objectStore('owner').put({ member: null, confirmedAt: 0, endedAt: Date.now() }, 'owner');
  await tx.done;
}

/** The member who was signed in at the last response of the server. */
export async function getOfflineMember(): Promise<Me | null> {
  return getValidOwner(await (await openStore()).get('owner', 'owner'));
}

export async function saveOfflinePage(
  member: number,
  hash: string,
  data: unknown,
  at: number,
): Promise<void> {
  const page = { member, hash, at, data: JSON.stringify(data) };
  if (page.data.length > maxPageChars) return;
  const tx = (await openStore()).transaction(['owner', 'pages'], 'readwrite');
  const pages = tx.objectStore('pages');
  if (getValidOwner(await tx.objectStore('owner').get('owner'))?.id === member) {
    await pages.put(page);
    let surplus = (await pages.count()) - maxPages;
    for (let oldest = await pages.index('at').openCursor(); oldest !== null && surplus > 0; surplus--) {
      await oldest.delete();
      oldest = await oldest.continue();
    }
  }
  await tx.done;
}

/** The stored data of a member's page and when it was loaded; null if there is none. */
export async function getOfflinePage(
  member: number,
  hash: string,
): Promise<{ data: unknown; at: number } | null> {
  const tx = (await openStore()).transaction(['owner', 'pages']);
  const owner = getValidOwner(await tx.objectStore('owner').get('owner'));
  const page = await tx.objectStore('pages').get([member, hash]);
  if (owner?.id !== member || page === undefined || page.at < Date.now() - maxAgeMs) return null;
  return { data: JSON.parse(page.data), at: page.at };
}

/** Deletes a page that no longer exists on the server. */
export async function deleteOfflinePage(member: number, hash: string): Promise<void> {
  await (await openStore()).delete('pages', [member, hash]);
}

function getValidOwner(owner: Owner | undefined): Me | null {
  return owner !== undefined && owner.confirmedAt > Date.now() - maxAgeMs ? owner.member : null;
}

function openStore(): Promise<IDBPDatabase<Store>> {
  openedDatabase ??= openDB<Store>('parley', 1, {
    upgrade(database) {
      database.createObjectStore('owner');
      database.createObjectStore('pages', { keyPath: ['member', 'hash'] }).createIndex('at', 'at');
    },
    // Another tab opens the database with a later version.
    blocking: () => void openedDatabase?.then((database) => database.close()),
    terminated: () => (openedDatabase = undefined),
  });
  return openedDatabase;
}
