import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import type { Me } from '#shared/accounts.ts';

/**
 * What a member has opened, kept in this browser to be read without a network (docs/decisions/022). It holds the pages of
 * one member at a time: every reading and writing checks in its own transaction whose they are, so that no tab, however
 * late, brings back what a sign-out in another one has wiped.
 */

/** What is older is not shown any more, nor is anything when the server has not confirmed the session for so long. */
const keptMs = 14 * 24 * 60 * 60 * 1000;

/** The oldest go first. */
const maxPages = 100;

/** In characters of JSON; a larger page is not kept. */
const maxPage = 300_000;

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

let opened: Promise<IDBPDatabase<Store>> | undefined;

/** The server says who is signed in. What was kept for another member goes. @param askedAt when it was asked. */
export async function keepFor(member: Me, askedAt: number): Promise<void> {
  const tx = (await store()).transaction(['owner', 'pages'], 'readwrite');
  const owner = await tx.objectStore('owner').get('owner');
  const endedAt = owner?.endedAt ?? 0;
  // Another tab has signed out since.
  if (endedAt < askedAt) {
    if (owner?.member?.id !== member.id) await tx.objectStore('pages').clear();
    await tx.objectStore('owner').put({ member, confirmedAt: askedAt, endedAt }, 'owner');
  }
  await tx.done;
}

/** Nobody is signed in any more: everything goes. */
export async function wipeKept(): Promise<void> {
  const tx = (await store()).transaction(['owner', 'pages'], 'readwrite');
  await tx.objectStore('pages').clear();
  await tx.objectStore('owner').put({ member: null, confirmedAt: 0, endedAt: Date.now() }, 'owner');
  await tx.done;
}

/** Who was signed in when the server was last heard. */
export async function keptMember(): Promise<Me | null> {
  return ownerOf(await (await store()).get('owner', 'owner'));
}

export async function keepPage(member: number, hash: string, data: unknown, at: number): Promise<void> {
  const page = { member, hash, at, data: JSON.stringify(data) };
  if (page.data.length > maxPage) return;
  const tx = (await store()).transaction(['owner', 'pages'], 'readwrite');
  const pages = tx.objectStore('pages');
  if (ownerOf(await tx.objectStore('owner').get('owner'))?.id === member) {
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
export async function keptPage(member: number, hash: string): Promise<{ data: unknown; at: number } | null> {
  const tx = (await store()).transaction(['owner', 'pages']);
  const owner = ownerOf(await tx.objectStore('owner').get('owner'));
  const page = await tx.objectStore('pages').get([member, hash]);
  if (owner?.id !== member || page === undefined || page.at < Date.now() - keptMs) return null;
  return { data: JSON.parse(page.data), at: page.at };
}

/** The server says that it is gone. */
export async function forgetPage(member: number, hash: string): Promise<void> {
  await (await store()).delete('pages', [member, hash]);
}

function ownerOf(owner: Owner | undefined): Me | null {
  return owner !== undefined && owner.confirmedAt > Date.now() - keptMs ? owner.member : null;
}

function store(): Promise<IDBPDatabase<Store>> {
  opened ??= openDB<Store>('parley', 1, {
    upgrade(database) {
      database.createObjectStore('owner');
      database.createObjectStore('pages', { keyPath: ['member', 'hash'] }).createIndex('at', 'at');
    },
    // Of a later version of this program, in another tab.
    blocking: () => void opened?.then((database) => database.close()),
    terminated: () => (opened = undefined),
  });
  return opened;
}
