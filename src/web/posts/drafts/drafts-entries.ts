import type { DraftFields, DraftState } from '#shared/posts/drafts.ts';
import { type DraftRef, getStorageKey, onDraftChangedInOtherTab, readDraftRecord } from './drafts-storage.ts';

/** What this page knows of a draft beside its record (`draft-store.ts`). */
export type DraftEntry = {
  /** The text of another device that the member has to choose about. */
  conflicting: DraftState | null;
  timer: number | undefined;
  /** When it is sent at the latest, although one types on. */
  sendBy: number | null;
  sending: boolean;
  isStale: boolean;
  /** The last try did not get through. */
  failed: boolean;
  tries: number;
  /** The step the server does not take, and the one that was sent as the page was hidden. */
  refusedStep: number | null;
  flushedStep: number | null;
};

/** A form that is on the page. */
export type DraftForm = {
  /** Puts a text into it. @param fields null: nothing was typed. */
  show: (fields: DraftFields | null) => void;
  /** Something about the draft is other than it was. */
  onStatusChange: () => void;
};

const entries = new Map<string, { at: DraftRef; entry: DraftEntry }>();
const forms = new Map<string, { at: DraftRef; form: DraftForm }>();
let listening = false;

export function getDraftEntry(at: DraftRef): DraftEntry {
  const key = getStorageKey(at);
  const known = entries.get(key);
  if (known !== undefined) return known.entry;
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
  entries.set(key, { at, entry });
  return entry;
}

/** All that were touched since the page was loaded. */
export function listDraftEntries(): readonly (readonly [DraftRef, DraftEntry])[] {
  return [...entries.values()].map(({ at, entry }) => [at, entry] as const);
}

/** Returns what takes it off again. */
export function registerDraftForm(at: DraftRef, form: DraftForm): () => void {
  watchOtherTabs();
  const key = getStorageKey(at);
  const mounted = { at, form };
  forms.set(key, mounted);
  getDraftEntry(at);
  return () => {
    if (forms.get(key) === mounted) forms.delete(key);
  };
}

/** The places of a member whose forms are on the page. */
export function listOpenDraftForms(memberId: number): string[] {
  return [...forms.values()].filter(({ at }) => at.memberId === memberId).map(({ at }) => at.target);
}

export function showInDraftForm(at: DraftRef, fields: DraftFields | null): void {
  const form = forms.get(getStorageKey(at))?.form;
  form?.show(fields);
  form?.onStatusChange();
}

export function notifyDraftForm(at: DraftRef): void {
  forms.get(getStorageKey(at))?.form.onStatusChange();
}

/** A form shows what another tab of this browser has typed; one that slept looks when it is looked at. */
function watchOtherTabs(): void {
  if (listening) return;
  listening = true;
  const follow = (at: DraftRef) => {
    if (forms.has(getStorageKey(at))) showInDraftForm(at, readDraftRecord(at)?.fields ?? null);
  };
  onDraftChangedInOtherTab(follow);
  const followAll = () => {
    for (const { at } of forms.values()) follow(at);
  };
  window.addEventListener('pageshow', followAll);
  window.addEventListener('focus', followAll);
}
