import { t } from '@lingui/core/macro';
import { isDraftPlace } from '#shared/draft-places.ts';
import type { DraftEnd, DraftFields, DraftState } from '#shared/drafts.ts';
import { newIdempotencyKey } from './api.ts';
import { connection, onConnectionChange } from './connection.ts';
import {
  draftOf,
  draftVersions,
  forgetVersions,
  noteNews,
  putDraft,
  readDraft,
  removeDraft,
  thisBrowser,
} from './draft-api.ts';
import {
  changed,
  type DraftEntry,
  entryOf,
  knownEntries,
  mountedDrafts,
  showDraft,
} from './draft-entries.ts';
import { fieldsOf, meeting } from './draft-meeting.ts';
import {
  type DraftAt,
  type DraftRecord,
  isSameDraft,
  readRecord,
  recordsOf,
  removeRecord,
  writeRecord,
} from './draft-store.ts';
import { ApiError, isTransient } from './errors.ts';
import { logFailure } from './log.ts';
import { toBeSent } from './waiting.ts';
import { toast } from './toast.ts';

/**
 * Keeps the drafts of this browser and those of the server one and the same (docs/decisions/020). Whatever arrives late,
 * twice or not at all: a text that was typed is either in the form, or in the choice the form offers, or on the server.
 */

/** Without a key pressed for so long, in milliseconds, a draft goes to the server; while one types on, after the longer. */
const calm = { after: 1500, longest: 8000 };

/** A post whose answer is on its way closes its form by itself. */
const postedLaterMs = 1500;

/** Places whose drafts the server keeps. */
export const isKept = isDraftPlace;

/** Keeps what the form holds now, here at once and on the server soon. @param fields null: the form is empty. */
export function typed(at: DraftAt, fields: DraftFields | null): void {
  watchPage();
  const before = readRecord(at);
  const entry = entryOf(at);
  const known = before !== null && (before.base !== null || before.tried || before.posted !== null);
  if (fields === null && !known && !entry.sending) {
    removeRecord(at);
    changed(at);
    return;
  }
  const now = Date.now();
  writeRecord(at, {
    fields,
    base: before?.base ?? null,
    dirty: true,
    tried: before?.tried ?? false,
    step: Math.max(now, (before?.step ?? 0) + 1),
    posted: before?.posted ?? null,
    at: now,
  });
  entry.failed = false;
  if (isKept(at.place)) schedule(at, entry);
  changed(at);
}

/** The form let its text go: it was posted, or waits to be. */
export function letGo(at: DraftAt): void {
  const before = readRecord(at);
  const entry = entryOf(at);
  window.clearTimeout(entry.timer);
  entry.other = null;
  const posted = before?.fields?.['key'] ?? null;
  const known = before !== null && (before.base !== null || before.tried || entry.sending);
  if (before === null || posted === null || !known || !isKept(at.place)) removeRecord(at);
  else writeRecord(at, { ...before, fields: null, dirty: false, posted, at: Date.now() });
  changed(at);
  if (readRecord(at) !== null) void settle(at, entry);
}

/** A form was opened: what another device has written comes into it. */
export async function opened(at: DraftAt): Promise<void> {
  watchPage();
  if (!isKept(at.place)) return;
  try {
    const versions = await draftVersions(at.memberId);
    const version = versions.get(at.place);
    const record = readRecord(at);
    const nothing = version === undefined && (record === null || (record.base === null && !record.tried));
    if (!nothing && version !== record?.base) meet(at, await readDraft(at));
    else if (record?.dirty === true) await upload(at);
  } catch (error) {
    noteFailure(at, entryOf(at), error);
  }
}

/** Sends what the server does not know, of all the member's drafts, and looks what became of those that are open. */
export function syncAll(memberId: number): void {
  forgetVersions(memberId);
  const mounted = mountedDrafts(memberId);
  for (const place of mounted) void opened({ memberId, place });
  for (const { place, record } of recordsOf(memberId)) {
    const at = { memberId, place };
    if (!isKept(place) || mounted.includes(place)) continue;
    entryOf(at).failed = false;
    if (record.fields === null && record.posted !== null) void settle(at, entryOf(at));
    else if (record.dirty) void upload(at);
  }
}

export type DraftNews = { place: string; version: number; ended: DraftEnd | null; writer: string | null };

/** Another device, another tab or a post has changed a draft. */
export function heardOfDraft(memberId: number, news: DraftNews): void {
  const at = { memberId, place: news.place };
  noteNews(memberId, news);
  if (news.ended === null && news.writer === thisBrowser()) return;
  const mounted = mountedDrafts(memberId).includes(at.place);
  if (readRecord(at) === null && !mounted) return;
  const wait = news.ended === 'posted' && mounted ? postedLaterMs : 0;
  window.setTimeout(() => void look(at, news.version), wait);
}

/** What the member decided between the text of the form and the other one. */
export function choose(at: DraftAt, which: 'form' | 'other'): void {
  const entry = entryOf(at);
  const { other } = entry;
  const record = readRecord(at);
  entry.other = null;
  if (other !== null && record !== null) {
    if (which === 'other') takeOther(at, record, other);
    else {
      writeRecord(at, { ...record, base: other.version, dirty: true, tried: false });
      schedule(at, entry, 0);
    }
  }
  changed(at);
}

/** Throws a draft away, here and on the server. Returns what it held, for who wants it back. */
export async function discardDraft(at: DraftAt): Promise<DraftFields | null> {
  const record = readRecord(at);
  const server = await readDraft(at);
  if (server.fields !== null) await removeDraft(at, server.version);
  removeRecord(at);
  showDraft(at, null);
  if (record !== null && record.dirty && record.fields !== null) return record.fields;
  return server.fields === null ? null : fieldsOf(server);
}

/** Brings back what was thrown away. */
export async function restoreDraft(at: DraftAt, fields: DraftFields): Promise<void> {
  typed(at, fields);
  showDraft(at, fields);
  await upload(at);
}

/** The page is about to be hidden or to go: what the server does not know goes out at once. */
function flush(): void {
  for (const [at, entry] of knownEntries()) {
    const record = readRecord(at);
    if (record === null || !record.dirty || record.fields === null || entry.other !== null) continue;
    if (!isKept(at.place) || entry.flushed === record.step || entry.refused === record.step) continue;
    entry.flushed = record.step;
    void save(at, record, true).catch(() => {});
  }
}

let watching = false;

/** From the first draft on. */
function watchPage(): void {
  if (watching) return;
  watching = true;
  window.addEventListener('pagehide', flush);
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') flush();
  });
  onConnectionChange(() => {
    for (const [at, entry] of knownEntries()) {
      changed(at);
      if (connection() !== 'online') continue;
      entry.failed = false;
      void opened(at);
    }
  });
}

function schedule(at: DraftAt, entry: DraftEntry, after = calm.after): void {
  window.clearTimeout(entry.timer);
  entry.due ??= Date.now() + calm.longest;
  const wait = Math.max(0, Math.min(after, entry.due - Date.now()));
  entry.timer = window.setTimeout(() => void upload(at), wait);
}

async function upload(at: DraftAt): Promise<void> {
  const entry = entryOf(at);
  const record = readRecord(at);
  if (record === null || !record.dirty || entry.other !== null || !isKept(at.place)) return;
  if (entry.refused === record.step) return;
  if (entry.sending) {
    entry.again = true;
    return;
  }
  window.clearTimeout(entry.timer);
  entry.due = null;
  entry.again = false;
  entry.sending = true;
  try {
    if (record.fields === null) await discardEmptied(at, record);
    else await save(at, record, false);
    entry.failed = false;
    entry.tries = 0;
  } catch (error) {
    noteFailure(at, entry, error);
  } finally {
    entry.sending = false;
  }
  changed(at);
  const left = readRecord(at);
  if (left?.fields === null && left.posted !== null && !left.dirty) await settle(at, entry);
  else if (left?.dirty === true && !entry.failed && entry.other === null) schedule(at, entry);
}

async function save(at: DraftAt, record: DraftRecord, leaving: boolean): Promise<void> {
  // An edit that was begun before drafts were kept on the server has no key.
  const fields = { ...record.fields, key: record.fields?.['key'] ?? newIdempotencyKey() };
  const sent = { ...record, fields, tried: true };
  writeRecord(at, sent);
  try {
    noteSaved(at, sent, await putDraft(at, sent, leaving));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const other = draftOf(error);
    if (error.code === 'draft-changed' && other !== null) return meet(at, other);
    if (error.code === 'draft-posted') return notePosted(at, sent);
    throw error;
  }
}

function noteSaved(at: DraftAt, sent: DraftRecord, saved: DraftState): void {
  const record = readRecord(at);
  // Another tab has gone on meanwhile, from what it was told itself.
  if (record === null || record.base !== sent.base) return;
  // Later words of this browser are there already, as after its storage was restored.
  if (saved.writer === thisBrowser() && (saved.step ?? 0) > record.step) return meet(at, saved);
  const waits = record.fields === null && !record.dirty;
  const dirty = !waits && !isSameDraft(record.fields, fieldsOf(saved));
  writeRecord(at, { ...record, base: saved.version, dirty, tried: false, at: Date.now() });
}

/** The text was posted, although the answer to that got lost; what was typed since is another one. */
function notePosted(at: DraftAt, sent: DraftRecord): void {
  const record = readRecord(at);
  if (record === null || record.step !== sent.step) return;
  removeRecord(at);
  letFormGo(at);
}

/** Of what is open here, and was posted from elsewhere or although nobody heard of it. */
function letFormGo(at: DraftAt): void {
  showDraft(at, null);
  if (mountedDrafts(at.memberId).includes(at.place)) toast(t`What you wrote here was posted.`);
}

/** The member has emptied the form. */
async function discardEmptied(at: DraftAt, record: DraftRecord): Promise<void> {
  if (record.base === null) return meet(at, await readDraft(at));
  const other = await removeDraft(at, record.base);
  const now = readRecord(at);
  if (other !== null) return meet(at, other);
  if (now !== null && now.fields === null && now.base === record.base) removeRecord(at);
  else if (now !== null && now.base === record.base) writeRecord(at, { ...now, base: null, tried: false });
}

/** What was let go is gone from the server as well, or will be once it is posted. */
async function settle(at: DraftAt, entry: DraftEntry): Promise<void> {
  const { posted } = readRecord(at) ?? {};
  if (posted == null || entry.sending || toBeSent(at.memberId).some(({ target }) => target === posted))
    return;
  try {
    const server = await readDraft(at);
    const record = readRecord(at);
    if (record === null || record.posted !== posted) return;
    if (server.fields !== null && server.key === posted && record.fields === null)
      await removeDraft(at, server.version);
    else return meet(at, server);
    if (readRecord(at)?.fields === null) removeRecord(at);
  } catch (error) {
    noteFailure(at, entry, error);
  }
}

async function look(at: DraftAt, version: number): Promise<void> {
  const entry = entryOf(at);
  if (entry.sending) {
    window.setTimeout(() => void look(at, version), 300);
    return;
  }
  const { base } = readRecord(at) ?? { base: null };
  if (base !== null && base >= version) return;
  try {
    meet(at, await readDraft(at));
  } catch (error) {
    noteFailure(at, entry, error);
  }
}

/** What the server has meets what is here (`draft-meeting.ts`). */
function meet(at: DraftAt, server: DraftState): void {
  const record = readRecord(at);
  const entry = entryOf(at);
  const found = meeting(record, server, { browser: thisBrowser(), at: Date.now() });
  if (found === 'nothing') return;
  entry.other = found === 'choice' ? server : null;
  if (found === 'behind') takeOther(at, record, server);
  if (record === null) return changed(at);
  const known = { ...record, base: server.version, tried: false };
  if (found === 'waits') writeRecord(at, { ...record, base: server.version });
  if (found === 'same') writeRecord(at, { ...known, dirty: false });
  if (found === 'continues') writeRecord(at, { ...known, dirty: true });
  if (found === 'new') writeRecord(at, { ...known, base: null, dirty: true, posted: null });
  if (found === 'ended') removeRecord(at);
  if (found === 'ended' && record.fields !== null) {
    if (server.ended === 'posted') letFormGo(at);
    else showDraft(at, null);
  }
  if (found === 'continues' || found === 'new') schedule(at, entry, 0);
  changed(at);
}

function takeOther(at: DraftAt, record: DraftRecord | null, server: DraftState): void {
  const fields = fieldsOf(server);
  const step = (record?.step ?? 0) + 1;
  writeRecord(at, {
    fields,
    base: server.version,
    dirty: false,
    tried: false,
    step,
    posted: null,
    at: Date.now(),
  });
  entryOf(at).other = null;
  showDraft(at, fields);
  changed(at);
}

/** It stays on this device, and is tried again: by the next change, with the next connection, or after a while. */
function noteFailure(at: DraftAt, entry: DraftEntry, error: unknown): void {
  entry.failed = true;
  entry.tries++;
  changed(at);
  if (!(error instanceof ApiError) && !isTransient(error)) logFailure('Keeping a draft', error);
  // Signed out, or somebody else is signed in: it goes on when this member is back.
  if (error instanceof ApiError && error.status === 401) return;
  if (error instanceof ApiError && (error.status === 400 || error.status === 413)) {
    entry.refused = readRecord(at)?.step ?? null;
    return;
  }
  const asked = error instanceof ApiError ? error.retryAfter : null;
  const wait = asked === null ? Math.min(5000 * 2 ** entry.tries, 300_000) : asked * 1000;
  window.clearTimeout(entry.timer);
  entry.timer = window.setTimeout(() => void opened(at), wait);
}
