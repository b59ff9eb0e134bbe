import type { DraftEnd } from '#shared/core/events.ts';
import { t } from '@lingui/core/macro';
import { isDraftTarget } from '#shared/posts/drafts-targets.ts';
import type { DraftFields, DraftState } from '#shared/posts/drafts.ts';
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
  acceptServerDraft,
  type DraftEntry,
  getDraftEntry,
  listDraftEntries,
  listOpenDraftForms,
  notifyDraftForm,
  showInDraftForm,
} from './drafts-entries.ts';
import { decideDraftMerge, getDraftFields, hasSameFields } from './drafts-merge.ts';
import {
  type DraftRecord,
  type DraftRef,
  readDraftRecord,
  removeDraftRecord,
  writeDraftRecord,
} from './drafts-storage.ts';
import { listDraftRecords } from './stored-drafts.ts';
import { ApiError, isTransient, logFailure } from '#web/core/errors.ts';
import { listUnsentActions } from '#web/core/offline-queue.ts';
import { visitor } from '#web/core/session.ts';
import { toast } from '#web/core/toast.ts';

/**
 * Syncs the drafts of this browser with the server (docs/decisions/020). Requests may be delayed, repeated or lost, but
 * typed text is always in the form, in the choice that the form offers, or on the server.
 */

/**
 * A draft is sent after `idle` milliseconds without typing, and at the latest after `max` while the member keeps
 * typing.
 */
const uploadDelaysMs = { idle: 1500, max: 8000 };

/** How long to wait for a form to close itself after its post, in milliseconds. */
const postedGraceMs = 1500;

/** Whether a draft is stored on the server. Those of a visitor stay in this browser. */
export const isServerDraft = ({ memberId, target }: DraftRef) =>
  memberId !== visitor.id && isDraftTarget(target);

/**
 * Stores the form's text locally now and on the server soon.
 * @param fields null for an empty form.
 */
export function saveTypedDraft(draftRef: DraftRef, fields: DraftFields | null): void {
  watchPage();
  const before = readDraftRecord(draftRef);
  const entry = getDraftEntry(draftRef);
  const mayBeOnServer =
    before !== null && (before.baseVersion !== null || before.sentStep !== null || before.postedKey !== null);
  if (fields === null && !mayBeOnServer && !entry.sending) {
    removeDraftRecord(draftRef);
    notifyDraftForm(draftRef);
    return;
  }
  const now = Date.now();
  writeDraftRecord(draftRef, {
    fields,
    baseVersion: before?.baseVersion ?? null,
    dirty: true,
    sentStep: before?.sentStep ?? null,
    step: Math.max(now, (before?.step ?? 0) + 1),
    postedKey: before?.postedKey ?? null,
    changedAt: now,
  });
  entry.failed = false;
  if (isServerDraft(draftRef)) schedule(draftRef, entry);
  notifyDraftForm(draftRef);
}

/** Called when the form's text was posted or queued for posting. */
export function markDraftPosted(draftRef: DraftRef): void {
  const before = readDraftRecord(draftRef);
  const entry = getDraftEntry(draftRef);
  window.clearTimeout(entry.timer);
  entry.conflicting = null;
  const postedKey = before?.fields?.['key'] ?? null;
  const mayBeOnServer =
    before !== null && (before.baseVersion !== null || before.sentStep !== null || entry.sending);
  if (before === null || postedKey === null || !mayBeOnServer || !isServerDraft(draftRef))
    removeDraftRecord(draftRef);
  else
    writeDraftRecord(draftRef, { ...before, fields: null, dirty: false, postedKey, changedAt: Date.now() });
  notifyDraftForm(draftRef);
  if (readDraftRecord(draftRef) !== null) void finishPostedDraft(draftRef, entry);
}

/** Called when a form opens. Fetches changes of other devices. */
export async function syncDraft(draftRef: DraftRef): Promise<void> {
  watchPage();
  if (!isServerDraft(draftRef)) return;
  try {
    const versions = await fetchDraftVersions(draftRef.memberId);
    const version = versions.get(draftRef.target);
    const record = readDraftRecord(draftRef);
    const nothing =
      version === undefined && (record === null || (record.baseVersion === null && record.sentStep === null));
    if (!nothing && version !== record?.baseVersion) applyServerDraft(draftRef, await fetchDraft(draftRef));
    else if (record?.dirty === true) await upload(draftRef);
  } catch (error) {
    recordFailure(draftRef, getDraftEntry(draftRef), error);
  }
}

/** Sends all unsent drafts of the member and refreshes those that are open. */
export function syncAllDrafts(memberId: number): void {
  clearDraftVersions(memberId);
  const mounted = listOpenDraftForms(memberId);
  for (const target of mounted) void syncDraft({ memberId, target });
  for (const { target, record } of listDraftRecords(memberId)) {
    const draftRef = { memberId, target };
    if (!isServerDraft(draftRef) || mounted.includes(target)) continue;
    getDraftEntry(draftRef).failed = false;
    if (record.fields === null && record.postedKey !== null)
      void finishPostedDraft(draftRef, getDraftEntry(draftRef));
    else if (record.dirty) void upload(draftRef);
  }
}

export type DraftEvent = { target: string; version: number; ended: DraftEnd | null; clientId: string | null };

/** Called when another device, another tab or a post changed a draft. */
export function handleDraftEvent(memberId: number, event: DraftEvent): void {
  const draftRef = { memberId, target: event.target };
  recordDraftEvent(memberId, event);
  if (event.ended === null && event.clientId === getBrowserId()) return;
  const mounted = listOpenDraftForms(memberId).includes(draftRef.target);
  if (readDraftRecord(draftRef) === null && !mounted) return;
  const wait = event.ended === 'posted' && mounted ? postedGraceMs : 0;
  window.setTimeout(() => void fetchAndMerge(draftRef, event.version), wait);
}

/** Applies the member's choice between the text in the form and the other version. */
export function resolveDraftConflict(draftRef: DraftRef, which: 'form' | 'other'): void {
  const entry = getDraftEntry(draftRef);
  const { conflicting } = entry;
  const record = readDraftRecord(draftRef);
  entry.conflicting = null;
  if (conflicting !== null && record !== null) {
    if (which === 'other') acceptServerDraft(draftRef, record, conflicting);
    else {
      writeDraftRecord(draftRef, {
        ...record,
        baseVersion: conflicting.version,
        dirty: true,
        sentStep: null,
      });
      schedule(draftRef, entry, 0);
    }
  }
  notifyDraftForm(draftRef);
}

/**
 * Discards a draft as an emptied form does: on the server after a save that is on its way, or later without a
 * connection. What another device writes meanwhile stays. Returns its text so that it can be restored.
 */
export async function discardDraft(draftRef: DraftRef): Promise<DraftFields | null> {
  if (readDraftRecord(draftRef)?.dirty !== true) {
    const server = await fetchDraft(draftRef);
    const record = readDraftRecord(draftRef);
    // Otherwise another tab has written meanwhile: its text is discarded and can be restored.
    if (record?.dirty !== true) {
      if (server.fields === null) removeDraftRecord(draftRef);
      else acceptServerDraft(draftRef, record, server);
    }
  }
  const fields = readDraftRecord(draftRef)?.fields ?? null;
  getDraftEntry(draftRef).conflicting = null;
  saveTypedDraft(draftRef, null);
  showInDraftForm(draftRef, null);
  await upload(draftRef);
  return fields;
}

/**
 * Restores a discarded draft. Returns false without a change if another tab has written since. If another device has, the
 * form asks which draft to keep.
 */
export async function restoreDraft(draftRef: DraftRef, fields: DraftFields): Promise<boolean> {
  if ((readDraftRecord(draftRef)?.fields ?? null) !== null) return false;
  saveTypedDraft(draftRef, fields);
  showInDraftForm(draftRef, fields);
  await upload(draftRef);
  return true;
}

/** Sends unsent drafts immediately when the page is hidden or closed. */
function flushDrafts(): void {
  for (const [draftRef, entry] of listDraftEntries()) {
    const record = readDraftRecord(draftRef);
    if (record === null || !record.dirty || record.fields === null || entry.conflicting !== null) continue;
    if (!isServerDraft(draftRef) || entry.flushedStep === record.step || entry.refusedStep === record.step)
      continue;
    entry.flushedStep = record.step;
    void save(draftRef, record, true).catch(() => {});
  }
}

let watching = false;

/** Starts with the first draft. */
function watchPage(): void {
  if (watching) return;
  watching = true;
  window.addEventListener('pagehide', flushDrafts);
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') flushDrafts();
  });
  onConnectionChange(() => {
    for (const [draftRef, entry] of listDraftEntries()) {
      notifyDraftForm(draftRef);
      if (getConnectionStatus() !== 'online') continue;
      entry.failed = false;
      void syncDraft(draftRef);
    }
  });
}

function schedule(draftRef: DraftRef, entry: DraftEntry, after = uploadDelaysMs.idle): void {
  window.clearTimeout(entry.timer);
  entry.sendBy ??= Date.now() + uploadDelaysMs.max;
  const wait = Math.max(0, Math.min(after, entry.sendBy - Date.now()));
  entry.timer = window.setTimeout(() => void upload(draftRef), wait);
}

async function upload(draftRef: DraftRef): Promise<void> {
  const entry = getDraftEntry(draftRef);
  const record = readDraftRecord(draftRef);
  if (record === null || !record.dirty || entry.conflicting !== null || !isServerDraft(draftRef)) return;
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
    if (record.fields === null) await deleteEmptiedDraft(draftRef, record);
    else await save(draftRef, record, false);
    entry.failed = false;
    entry.tries = 0;
  } catch (error) {
    recordFailure(draftRef, entry, error);
  } finally {
    entry.sending = false;
  }
  notifyDraftForm(draftRef);
  const latest = readDraftRecord(draftRef);
  if (latest?.fields === null && latest.postedKey !== null && !latest.dirty)
    await finishPostedDraft(draftRef, entry);
  else if (latest?.dirty === true && !entry.failed && entry.conflicting === null) schedule(draftRef, entry);
}

async function save(draftRef: DraftRef, record: DraftRecord, leaving: boolean): Promise<void> {
  const sent = { ...record, sentStep: record.step };
  writeDraftRecord(draftRef, sent);
  try {
    recordSaved(draftRef, sent, await putDraft(draftRef, sent, leaving));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const other = getConflictingDraft(error);
    if (error.kind === 'draft-changed' && other !== null) return applyServerDraft(draftRef, other);
    if (error.kind !== 'draft-posted') throw error;
    await waitForOwnPost();
    recordPosted(draftRef, sent);
  }
}

function recordSaved(draftRef: DraftRef, sent: DraftRecord, saved: DraftState): void {
  const record = readDraftRecord(draftRef);
  // Another tab has meanwhile continued from its own response.
  if (record === null || record.baseVersion !== sent.baseVersion) return;
  // The server already has later text of this browser, for example after its storage was restored from a backup.
  if (saved.fields !== null && saved.clientId === getBrowserId() && (saved.sequence ?? 0) > record.step)
    return applyServerDraft(draftRef, saved);
  const waits = record.fields === null && !record.dirty;
  const dirty = !waits && !hasSameFields(record.fields, getDraftFields(saved));
  writeDraftRecord(draftRef, {
    ...record,
    baseVersion: saved.version,
    dirty,
    sentStep: getUnansweredStep(record, sent.step),
    changedAt: Date.now(),
  });
}

/** The last step on its way if it is later than an answered one: a page that is hidden sends it without waiting. */
function getUnansweredStep({ sentStep }: DraftRecord, answeredStep: number): number | null {
  return sentStep !== null && sentStep > answeredStep ? sentStep : null;
}

/** The response to the post of the form may still be on its way. */
const waitForOwnPost = () => new Promise((resolve) => window.setTimeout(resolve, postedGraceMs));

/** The text was posted although the response was lost. Text typed since then is a new draft. */
function recordPosted(draftRef: DraftRef, sent: DraftRecord): void {
  const record = readDraftRecord(draftRef);
  // The form has received the response to its post.
  if (record === null || record.step !== sent.step || record.fields === null) return;
  removeDraftRecord(draftRef);
  clearPostedForm(draftRef);
}

/** Clears an open form whose text was posted elsewhere, or by a request whose response was lost. */
function clearPostedForm(draftRef: DraftRef): void {
  showInDraftForm(draftRef, null);
  if (listOpenDraftForms(draftRef.memberId).includes(draftRef.target)) toast(t`This draft was posted.`);
}

/** Deletes the draft on the server after the member has emptied the form. */
async function deleteEmptiedDraft(draftRef: DraftRef, record: DraftRecord): Promise<void> {
  if (record.baseVersion === null) return applyServerDraft(draftRef, await fetchDraft(draftRef));
  const other = await deleteDraft(draftRef, record.baseVersion);
  const now = readDraftRecord(draftRef);
  if (other !== null) return applyServerDraft(draftRef, other);
  if (now === null || now.baseVersion !== record.baseVersion) return;
  // A save that is on its way can still reach the server.
  if (now.fields === null && now.sentStep === null) removeDraftRecord(draftRef);
  else writeDraftRecord(draftRef, { ...now, baseVersion: null });
}

/** Deletes the posted draft on the server, unless its post is still queued. */
async function finishPostedDraft(draftRef: DraftRef, entry: DraftEntry): Promise<void> {
  const { postedKey } = readDraftRecord(draftRef) ?? {};
  if (
    postedKey == null ||
    entry.sending ||
    listUnsentActions(draftRef.memberId).some(({ target }) => target === postedKey)
  )
    return;
  try {
    const server = await fetchDraft(draftRef);
    const record = readDraftRecord(draftRef);
    if (record === null || record.postedKey !== postedKey) return;
    if (server.fields !== null && server.key === postedKey && record.fields === null)
      await deleteDraft(draftRef, server.version);
    else return applyServerDraft(draftRef, server);
    if (readDraftRecord(draftRef)?.fields === null) removeDraftRecord(draftRef);
  } catch (error) {
    recordFailure(draftRef, entry, error);
  }
}

async function fetchAndMerge(draftRef: DraftRef, version: number): Promise<void> {
  const entry = getDraftEntry(draftRef);
  if (entry.sending) {
    window.setTimeout(() => void fetchAndMerge(draftRef, version), 300);
    return;
  }
  const { baseVersion } = readDraftRecord(draftRef) ?? { baseVersion: null };
  if (baseVersion !== null && baseVersion >= version) return;
  try {
    applyServerDraft(draftRef, await fetchDraft(draftRef));
  } catch (error) {
    recordFailure(draftRef, entry, error);
  }
}

/** Merges the server's draft with the local one (`drafts-merge.ts`). */
function applyServerDraft(draftRef: DraftRef, server: DraftState): void {
  const record = readDraftRecord(draftRef);
  const entry = getDraftEntry(draftRef);
  const outcome = decideDraftMerge(record, server, { browser: getBrowserId(), at: Date.now() });
  if (outcome === 'nothing') return;
  entry.conflicting = outcome === 'choice' ? server : null;
  if (outcome === 'behind') acceptServerDraft(draftRef, record, server);
  if (record === null) return notifyDraftForm(draftRef);
  const answeredStep = server.clientId === getBrowserId() ? (server.sequence ?? 0) : 0;
  const synced = {
    ...record,
    baseVersion: server.version,
    sentStep: getUnansweredStep(record, answeredStep),
  };
  // Only this browser still has the text in the form.
  if (outcome === 'choice') writeDraftRecord(draftRef, { ...record, dirty: true });
  if (outcome === 'waits') writeDraftRecord(draftRef, { ...record, baseVersion: server.version });
  if (outcome === 'same') writeDraftRecord(draftRef, { ...synced, dirty: false });
  if (outcome === 'continues') writeDraftRecord(draftRef, { ...synced, dirty: true });
  // A save that is on its way can still store the text.
  if (outcome === 'new')
    writeDraftRecord(draftRef, { ...record, baseVersion: null, dirty: true, postedKey: null });
  if (outcome === 'ended') removeDraftRecord(draftRef);
  if (outcome === 'ended' && record.fields !== null) {
    if (server.ended === 'posted') clearPostedForm(draftRef);
    else showInDraftForm(draftRef, null);
  }
  if (outcome === 'continues' || outcome === 'new') schedule(draftRef, entry, 0);
  // The page that saves records the version, or the draft is found on the server: it is then deleted.
  if (outcome === 'unsettled') schedule(draftRef, entry);
  notifyDraftForm(draftRef);
}

/** The draft stays on this device. The next change, the next connection or a timer retries. */
function recordFailure(draftRef: DraftRef, entry: DraftEntry, error: unknown): void {
  entry.failed = true;
  entry.tries++;
  notifyDraftForm(draftRef);
  if (!(error instanceof ApiError) && !isTransient(error)) logFailure('Saving a draft', error);
  // Signed out, or another member is signed in: sending continues when this member is back.
  if (error instanceof ApiError && error.status === 401) return;
  if (error instanceof ApiError && (error.status === 400 || error.status === 413)) {
    entry.refusedStep = readDraftRecord(draftRef)?.step ?? null;
    return;
  }
  const retryAfter = error instanceof ApiError ? error.retryAfterSeconds : null;
  const wait = retryAfter === null ? Math.min(5000 * 2 ** entry.tries, 300_000) : retryAfter * 1000;
  window.clearTimeout(entry.timer);
  entry.timer = window.setTimeout(() => void syncDraft(draftRef), wait);
}
