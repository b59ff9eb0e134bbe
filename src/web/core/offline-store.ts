import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import type { Me } from '#shared/identity/accounts.ts';

/**
 * What a member has opened, kept in this browser to be read without a network (docs/decisions/022). It holds the pages of
 * one member at a time: every reading and writing checks in its own transaction whose they are, so that no tab, however
 * late, brings back what a sign-out in another one has wiped.
 */

/** What is older is not shown any more, nor is anything when the server has not confirmed the session for so long. */
const maxAgeMs = 14 * 24 * 60 * 60 * 1000;

/** The oldest go first. */
const maxPages = 100;

/** In characters of JSON; a larger page is not kept. */
const maxPageChars = 300_000;

type Owner = {
  /** Who was signed in when the server last said so; null after a sign-out. */
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

/** The server says who is signed in. What was kept for another member goes. @param requestedAt when it was asked. */
export async function setOfflineOwner(member: Me, requestedAt: number): Promise<void> {
  const tx = (await openStore()).transaction(['owner', 'pages'], 'readwrite');
  const owner = await tx.objectStore('owner').get('owner');
  const endedAt = owner?.endedAt ?? 0;
  // Another tab has signed out since.
  if (endedAt < requestedAt) {
    if (owner?.member?.id !== member.id) await tx.objectStore('pages').clear();
    await tx.objectStore('owner').put({ member, confirmedAt: requestedAt, endedAt }, 'owner');
  }
  await tx.done;
}

/** Nobody is signed in any more: everything goes. */
export async function clearOfflineStore(): Promise<void> {
  const tx = (await openStore()).transaction(['owner', 'pages'], 'readwrite');
  await tx.objectStore('pages').clear();
  await tx.objectStore('owner').put({ member: null, confirmedAt: 0, endedAt: Date.now() }, 'owner');
  await tx.done;
}

/** Who was signed in when the server was last heard. */
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

/** What is kept of a member's page, and of when it is; null where nothing is. */
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

/** The server says that it is gone. */
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
    // Of a later version of this program, in another tab.
    blocking: () => void openedDatabase?.then((database) => database.close()),
    terminated: () => (openedDatabase = undefined),
  });
  return openedDatabase;
}
