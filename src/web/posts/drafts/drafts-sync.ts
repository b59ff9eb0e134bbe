import type { DraftEnd } from '#shared/core/events.ts';
import { t } from '@lingui/core/macro';
import { isDraftTarget } from '#shared/posts/drafts-targets.ts';
import type { DraftFields, DraftState } from '#shared/posts/drafts.ts';
import { createIdempotencyKey } from '#web/core/api.ts';
import { getConnectionStatus, onConnectionChange } from '#web/core/connection.ts';
import {
  clearDraftVersions,
  deleteDraft,
  fetchDraft,
  fetchDraftVersions,
  getBrowserId,
  getConflictingDraft,
  putDraft,
  recordDraftEvent,
} from './drafts-api.ts';
import {
  type DraftEntry,
  getDraftEntry,
  listDraftEntries,
  listOpenDraftForms,
  notifyDraftForm,
  showInDraftForm,
} from './drafts-entries.ts';
import { decideDraftMerge, getDraftFields } from './drafts-merge.ts';
import {
  type DraftRecord,
  type DraftRef,
  hasSameFields,
  listDraftRecords,
  readDraftRecord,
  removeDraftRecord,
  writeDraftRecord,
} from './drafts-storage.ts';
import { ApiError, isTransient, logFailure } from '#web/core/errors.ts';
import { listUnsentActions } from '#web/core/offline-queue.ts';
import { toast } from '#web/core/toast.ts';

/**
 * Keeps the drafts of this browser and those of the server one and the same (docs/decisions/020). Whatever arrives late,
 * twice or not at all: a text that was typed is either in the form, or in the choice the form offers, or on the server.
 */

/** Without a key pressed for so long, in milliseconds, a draft goes to the server; while one types on, after the longer. */
const uploadDelaysMs = { after: 1500, longest: 8000 };

/** A post whose answer is on its way closes its form by itself. */
const postedGraceMs = 1500;

/** Places whose drafts the server keeps. */
export const isServerDraft = isDraftTarget;

/** Keeps what the form holds now, here at once and on the server soon. @param fields null: the form is empty. */
export function saveTypedDraft(at: DraftRef, fields: DraftFields | null): void {
  watchPage();
  const before = readDraftRecord(at);
  const entry = getDraftEntry(at);
  const known =
    before !== null && (before.baseVersion !== null || before.wasSent || before.postedKey !== null);
  if (fields === null && !known && !entry.sending) {
    removeDraftRecord(at);
    notifyDraftForm(at);
    return;
  }
  const now = Date.now();
  writeDraftRecord(at, {
    fields,
    baseVersion: before?.baseVersion ?? null,
    dirty: true,
    wasSent: before?.wasSent ?? false,
    step: Math.max(now, (before?.step ?? 0) + 1),
    postedKey: before?.postedKey ?? null,
    changedAt: now,
  });
  entry.failed = false;
  if (isServerDraft(at.target)) schedule(at, entry);
  notifyDraftForm(at);
}

/** The form let its text go: it was posted, or waits to be. */
export function markDraftPosted(at: DraftRef): void {
  const before = readDraftRecord(at);
  const entry = getDraftEntry(at);
  window.clearTimeout(entry.timer);
  entry.conflicting = null;
  const postedKey = before?.fields?.['key'] ?? null;
  const known = before !== null && (before.baseVersion !== null || before.wasSent || entry.sending);
  if (before === null || postedKey === null || !known || !isServerDraft(at.target)) removeDraftRecord(at);
  else writeDraftRecord(at, { ...before, fields: null, dirty: false, postedKey, changedAt: Date.now() });
  notifyDraftForm(at);
  if (readDraftRecord(at) !== null) void finishPostedDraft(at, entry);
}

/** A form was opened: what another device has written comes into it. */
export async function syncDraft(at: DraftRef): Promise<void> {
  watchPage();
  if (!isServerDraft(at.target)) return;
  try {
    const versions = await fetchDraftVersions(at.memberId);
    const version = versions.get(at.target);
    const record = readDraftRecord(at);
    const nothing =
      version === undefined && (record === null || (record.baseVersion === null && !record.wasSent));
    if (!nothing && version !== record?.baseVersion) applyServerDraft(at, await fetchDraft(at));
    else if (record?.dirty === true) await upload(at);
  } catch (error) {
    recordFailure(at, getDraftEntry(at), error);
  }
}

/** Sends what the server does not know, of all the member's drafts, and looks what became of those that are open. */
export function syncAllDrafts(memberId: number): void {
  clearDraftVersions(memberId);
  const mounted = listOpenDraftForms(memberId);
  for (const target of mounted) void syncDraft({ memberId, target });
  for (const { place, record } of listDraftRecords(memberId)) {
    const at = { memberId, target: place };
    if (!isServerDraft(place) || mounted.includes(place)) continue;
    getDraftEntry(at).failed = false;
    if (record.fields === null && record.postedKey !== null) void finishPostedDraft(at, getDraftEntry(at));
    else if (record.dirty) void upload(at);
  }
}

export type DraftEvent = { target: string; version: number; ended: DraftEnd | null; clientId: string | null };

/** Another device, another tab or a post has changed a draft. */
export function handleDraftEvent(memberId: number, event: DraftEvent): void {
  const at = { memberId, target: event.target };
  recordDraftEvent(memberId, event);
  if (event.ended === null && event.clientId === getBrowserId()) return;
  const mounted = listOpenDraftForms(memberId).includes(at.target);
  if (readDraftRecord(at) === null && !mounted) return;
  const wait = event.ended === 'posted' && mounted ? postedGraceMs : 0;
  window.setTimeout(() => void fetchAndMerge(at, event.version), wait);
}

/** What the member decided between the text of the form and the other one. */
export function resolveDraftConflict(at: DraftRef, which: 'form' | 'other'): void {
  const entry = getDraftEntry(at);
  const { conflicting } = entry;
  const record = readDraftRecord(at);
  entry.conflicting = null;
  if (conflicting !== null && record !== null) {
    if (which === 'other') acceptServerDraft(at, record, conflicting);
    else {
      writeDraftRecord(at, { ...record, baseVersion: conflicting.version, dirty: true, wasSent: false });
      schedule(at, entry, 0);
    }
  }
  notifyDraftForm(at);
}

/** Throws a draft away, here and on the server. Returns what it held, for who wants it back. */
export async function discardDraft(at: DraftRef): Promise<DraftFields | null> {
  const record = readDraftRecord(at);
  const server = await fetchDraft(at);
  if (server.fields !== null) await deleteDraft(at, server.version);
  removeDraftRecord(at);
  showInDraftForm(at, null);
  if (record !== null && record.dirty && record.fields !== null) return record.fields;
  return server.fields === null ? null : getDraftFields(server);
}

/** Brings back what was thrown away. */
export async function restoreDraft(at: DraftRef, fields: DraftFields): Promise<void> {
  saveTypedDraft(at, fields);
  showInDraftForm(at, fields);
  await upload(at);
}

/** The page is about to be hidden or to go: what the server does not know goes out at once. */
function flushDrafts(): void {
  for (const [at, entry] of listDraftEntries()) {
    const record = readDraftRecord(at);
    if (record === null || !record.dirty || record.fields === null || entry.conflicting !== null) continue;
    if (!isServerDraft(at.target) || entry.flushedStep === record.step || entry.refusedStep === record.step)
      continue;
    entry.flushedStep = record.step;
    void save(at, record, true).catch(() => {});
  }
}

let watching = false;

/** From the first draft on. */
function watchPage(): void {
  if (watching) return;
  watching = true;
  window.addEventListener('pagehide', flushDrafts);
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') flushDrafts();
  });
  onConnectionChange(() => {
    for (const [at, entry] of listDraftEntries()) {
      notifyDraftForm(at);
      if (getConnectionStatus() !== 'online') continue;
      entry.failed = false;
      void syncDraft(at);
    }
  });
}

function schedule(at: DraftRef, entry: DraftEntry, after = uploadDelaysMs.after): void {
  window.clearTimeout(entry.timer);
  entry.sendBy ??= Date.now() + uploadDelaysMs.longest;
  const wait = Math.max(0, Math.min(after, entry.sendBy - Date.now()));
  entry.timer = window.setTimeout(() => void upload(at), wait);
}

async function upload(at: DraftRef): Promise<void> {
  const entry = getDraftEntry(at);
  const record = readDraftRecord(at);
  if (record === null || !record.dirty || entry.conflicting !== null || !isServerDraft(at.target)) return;
  if (entry.refusedStep === record.step) return;
  if (entry.sending) {
    entry.isStale = true;
    return;
  }
  window.clearTimeout(entry.timer);
  entry.sendBy = null;
  entry.isStale = false;
  entry.sending = true;
  try {
    if (record.fields === null) await deleteEmptiedDraft(at, record);
    else await save(at, record, false);
    entry.failed = false;
    entry.tries = 0;
  } catch (error) {
    recordFailure(at, entry, error);
  } finally {
    entry.sending = false;
  }
  notifyDraftForm(at);
  const left = readDraftRecord(at);
  if (left?.fields === null && left.postedKey !== null && !left.dirty) await finishPostedDraft(at, entry);
  else if (left?.dirty === true && !entry.failed && entry.conflicting === null) schedule(at, entry);
}

async function save(at: DraftRef, record: DraftRecord, leaving: boolean): Promise<void> {
  // An edit that was begun before drafts were kept on the server has no key.
  const fields = { ...record.fields, key: record.fields?.['key'] ?? createIdempotencyKey() };
  const sent = { ...record, fields, wasSent: true };
  writeDraftRecord(at, sent);
  try {
    recordSaved(at, sent, await putDraft(at, sent, leaving));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const other = getConflictingDraft(error);
    if (error.code === 'draft-changed' && other !== null) return applyServerDraft(at, other);
    if (error.code === 'draft-posted') return recordPosted(at, sent);
    throw error;
  }
}

function recordSaved(at: DraftRef, sent: DraftRecord, saved: DraftState): void {
  const record = readDraftRecord(at);
  // Another tab has gone on meanwhile, from what it was told itself.
  if (record === null || record.baseVersion !== sent.baseVersion) return;
  // Later words of this browser are there already, as after its storage was restored.
  if (saved.clientId === getBrowserId() && (saved.sequence ?? 0) > record.step)
    return applyServerDraft(at, saved);
  const waits = record.fields === null && !record.dirty;
  const dirty = !waits && !hasSameFields(record.fields, getDraftFields(saved));
  writeDraftRecord(at, {
    ...record,
    baseVersion: saved.version,
    dirty,
    wasSent: false,
    changedAt: Date.now(),
  });
}

/** The text was posted, although the answer to that got lost; what was typed since is another one. */
function recordPosted(at: DraftRef, sent: DraftRecord): void {
  const record = readDraftRecord(at);
  if (record === null || record.step !== sent.step) return;
  removeDraftRecord(at);
  clearPostedForm(at);
}

/** Of what is open here, and was posted from elsewhere or although nobody heard of it. */
function clearPostedForm(at: DraftRef): void {
  showInDraftForm(at, null);
  if (listOpenDraftForms(at.memberId).includes(at.target)) toast(t`What you wrote here was posted.`);
}

/** The member has emptied the form. */
async function deleteEmptiedDraft(at: DraftRef, record: DraftRecord): Promise<void> {
  if (record.baseVersion === null) return applyServerDraft(at, await fetchDraft(at));
  const other = await deleteDraft(at, record.baseVersion);
  const now = readDraftRecord(at);
  if (other !== null) return applyServerDraft(at, other);
  if (now !== null && now.fields === null && now.baseVersion === record.baseVersion) removeDraftRecord(at);
  else if (now !== null && now.baseVersion === record.baseVersion)
    writeDraftRecord(at, { ...now, baseVersion: null, wasSent: false });
}

/** What was let go is gone from the server as well, or will be once it is posted. */
async function finishPostedDraft(at: DraftRef, entry: DraftEntry): Promise<void> {
  const { postedKey } = readDraftRecord(at) ?? {};
  if (
    postedKey == null ||
    entry.sending ||
    listUnsentActions(at.memberId).some(({ target }) => target === postedKey)
  )
    return;
  try {
    const server = await fetchDraft(at);
    const record = readDraftRecord(at);
    if (record === null || record.postedKey !== postedKey) return;
    if (server.fields !== null && server.key === postedKey && record.fields === null)
      await deleteDraft(at, server.version);
    else return applyServerDraft(at, server);
    if (readDraftRecord(at)?.fields === null) removeDraftRecord(at);
  } catch (error) {
    recordFailure(at, entry, error);
  }
}

async function fetchAndMerge(at: DraftRef, version: number): Promise<void> {
  const entry = getDraftEntry(at);
  if (entry.sending) {
    window.setTimeout(() => void fetchAndMerge(at, version), 300);
    return;
  }
  const { baseVersion } = readDraftRecord(at) ?? { baseVersion: null };
  if (baseVersion !== null && baseVersion >= version) return;
  try {
    applyServerDraft(at, await fetchDraft(at));
  } catch (error) {
    recordFailure(at, entry, error);
  }
}

/** What the server has meets what is here (`draft-meeting.ts`). */
function applyServerDraft(at: DraftRef, server: DraftState): void {
  const record = readDraftRecord(at);
  const entry = getDraftEntry(at);
  const found = decideDraftMerge(record, server, { browser: getBrowserId(), at: Date.now() });
  if (found === 'nothing') return;
  entry.conflicting = found === 'choice' ? server : null;
  if (found === 'behind') acceptServerDraft(at, record, server);
  if (record === null) return notifyDraftForm(at);
  const known = { ...record, baseVersion: server.version, wasSent: false };
  if (found === 'waits') writeDraftRecord(at, { ...record, baseVersion: server.version });
  if (found === 'same') writeDraftRecord(at, { ...known, dirty: false });
  if (found === 'continues') writeDraftRecord(at, { ...known, dirty: true });
  if (found === 'new') writeDraftRecord(at, { ...known, baseVersion: null, dirty: true, postedKey: null });
  if (found === 'ended') removeDraftRecord(at);
  if (found === 'ended' && record.fields !== null) {
    if (server.ended === 'posted') clearPostedForm(at);
    else showInDraftForm(at, null);
  }
  if (found === 'continues' || found === 'new') schedule(at, entry, 0);
  notifyDraftForm(at);
}

function acceptServerDraft(at: DraftRef, record: DraftRecord | null, server: DraftState): void {
  const fields = getDraftFields(server);
  const step = (record?.step ?? 0) + 1;
  writeDraftRecord(at, {
    fields,
    baseVersion: server.version,
    dirty: false,
    wasSent: false,
    step,
    postedKey: null,
    changedAt: Date.now(),
  });
  getDraftEntry(at).conflicting = null;
  showInDraftForm(at, fields);
  notifyDraftForm(at);
}

/** It stays on this device, and is tried again: by the next change, with the next connection, or after a while. */
function recordFailure(at: DraftRef, entry: DraftEntry, error: unknown): void {
  entry.failed = true;
  entry.tries++;
  notifyDraftForm(at);
  if (!(error instanceof ApiError) && !isTransient(error)) logFailure('Keeping a draft', error);
  // Signed out, or somebody else is signed in: it goes on when this member is back.
  if (error instanceof ApiError && error.status === 401) return;
  if (error instanceof ApiError && (error.status === 400 || error.status === 413)) {
    entry.refusedStep = readDraftRecord(at)?.step ?? null;
    return;
  }
  const retryAfter = error instanceof ApiError ? error.retryAfterSeconds : null;
  const wait = retryAfter === null ? Math.min(5000 * 2 ** entry.tries, 300_000) : retryAfter * 1000;
  window.clearTimeout(entry.timer);
  entry.timer = window.setTimeout(() => void syncDraft(at), wait);
}
