import type { DraftFields, DraftState } from '#shared/posts/drafts.ts';
import { getDraftFields } from './drafts-merge.ts';
import {
  type DraftRecord,
  type DraftRef,
  getStorageKey,
  readDraftRecord,
  writeDraftRecord,
} from './drafts-storage.ts';

/** The state of a draft on this page, in addition to its record (`drafts-storage.ts`). */
export type DraftEntry = {
  /** The version of another device, if the member has to choose. */
  conflicting: DraftState | null;
  timer: number | undefined;
  /** The latest time to send, even while the member keeps typing, in milliseconds since 1970. */
  sendBy: number | null;
  sending: boolean;
  isStale: boolean;
  /** The last try failed. */
  failed: boolean;
  tries: number;
  /** `refusedStep`: the step that the server refused. `flushedStep`: the step sent when the page was hidden. */
  refusedStep: number | null;
  flushedStep: number | null;
};

/** A mounted form. */
export type DraftForm = {
  /**
   * Shows a text in the form.
   * @param fields null for an empty form.
   */
  show: (fields: DraftFields | null) => void;
  /** Called when the draft's status changes. */
  onStatusChange: () => void;
};

const entries = new Map<string, { draftRef: DraftRef; entry: DraftEntry }>();
const forms = new Map<string, { draftRef: DraftRef; form: DraftForm }>();
let listening = false;

export function getDraftEntry(draftRef: DraftRef): DraftEntry {
  const key = getStorageKey(draftRef);
  const existing = entries.get(key);
  if (existing !== undefined) return existing.entry;
  const entry: DraftEntry = {
    conflicting: null,
    timer: undefined,
    sendBy: null,
    sending: false,
    isStale: false,
    failed: false,
    tries: 0,
    refusedStep: null,
    flushedStep: null,
  };
  entries.set(key, { draftRef, entry });
  return entry;
}

/** All drafts touched since the page was loaded. */
export function listDraftEntries(): readonly (readonly [DraftRef, DraftEntry])[] {
  return [...entries.values()].map(({ draftRef, entry }) => [draftRef, entry] as const);
}

/** Returns a function that unregisters the form. */
export function registerDraftForm(draftRef: DraftRef, form: DraftForm): () => void {
  watchOtherTabs();
  const key = getStorageKey(draftRef);
  const mounted = { draftRef, form };
  forms.set(key, mounted);
  getDraftEntry(draftRef);
  return () => {
    if (forms.get(key) === mounted) forms.delete(key);
  };
}

/** The draft targets of a member's mounted forms. */
export function listOpenDraftForms(memberId: number): string[] {
  return [...forms.values()]
    .filter(({ draftRef }) => draftRef.memberId === memberId)
    .map(({ draftRef }) => draftRef.target);
}

export function showInDraftForm(draftRef: DraftRef, fields: DraftFields | null): void {
  const form = forms.get(getStorageKey(draftRef))?.form;
  form?.show(fields);
  form?.onStatusChange();
}

export function notifyDraftForm(draftRef: DraftRef): void {
  forms.get(getStorageKey(draftRef))?.form.onStatusChange();
}

/** Replaces the draft on this page with the version of the server. */
export function acceptServerDraft(draftRef: DraftRef, record: DraftRecord | null, server: DraftState): void {
  const fields = getDraftFields(server);
  const step = (record?.step ?? 0) + 1;
  writeDraftRecord(draftRef, {
    fields,
    baseVersion: server.version,
    dirty: false,
    sentStep: null,
    step,
    postedKey: null,
    changedAt: Date.now(),
  });
  getDraftEntry(draftRef).conflicting = null;
  showInDraftForm(draftRef, fields);
  notifyDraftForm(draftRef);
}

/** Forms show what is typed in other tabs. A tab that was suspended catches up when it becomes visible. */
function watchOtherTabs(): void {
  if (listening) return;
  listening = true;
  const follow = (draftRef: DraftRef) => {
    if (forms.has(getStorageKey(draftRef)))
      showInDraftForm(draftRef, readDraftRecord(draftRef)?.fields ?? null);
  };
  onDraftChangedInOtherTab(follow);
  const followAll = () => {
    for (const { draftRef } of forms.values()) follow(draftRef);
  };
  window.addEventListener('pageshow', followAll);
  window.addEventListener('focus', followAll);
}

/**
 * Runs the listener when another tab writes or removes a record of a member. Returns a function that unregisters it.
 */
function onDraftChangedInOtherTab(listener: (draftRef: DraftRef) => void): () => void {
  const onStorage = ({ key }: StorageEvent) => {
    const [, memberId, target] = /^parley\.draft\.(\d+)\.(.+)$/u.exec(key ?? '') ?? [];
    if (memberId !== undefined && target !== undefined) listener({ memberId: Number(memberId), target });
  };
  window.addEventListener('storage', onStorage);
  return () => window.removeEventListener('storage', onStorage);
}
