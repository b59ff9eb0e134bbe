import type { DraftFields, DraftState } from '#shared/drafts.ts';
import { type DraftAt, draftKey, onRecordElsewhere, readRecord } from './draft-store.ts';

/** What this page knows of a draft beside its record (`draft-store.ts`). */
export type DraftEntry = {
  /** The text of another device that the member has to choose about. */
  other: DraftState | null;
  timer: number | undefined;
  /** When it is sent at the latest, although one types on. */
  due: number | null;
  sending: boolean;
  again: boolean;
  /** The last try did not get through. */
  failed: boolean;
  tries: number;
  /** The step the server does not take, and the one that was sent as the page was hidden. */
  refused: number | null;
  flushed: number | null;
};

/** A form that is on the page. */
export type DraftForm = {
  /** Puts a text into it. @param fields null: nothing was typed. */
  show: (fields: DraftFields | null) => void;
  /** Something about the draft is other than it was. */
  changed: () => void;
};

const entries = new Map<string, { at: DraftAt; entry: DraftEntry }>();
const forms = new Map<string, { at: DraftAt; form: DraftForm }>();
let listening = false;

export function entryOf(at: DraftAt): DraftEntry {
  const key = draftKey(at);
  const known = entries.get(key);
  if (known !== undefined) return known.entry;
  const entry: DraftEntry = {
    other: null,
    timer: undefined,
    due: null,
    sending: false,
    again: false,
    failed: false,
    tries: 0,
    refused: null,
    flushed: null,
  };
  entries.set(key, { at, entry });
  return entry;
}

/** All that were touched since the page was loaded. */
export function knownEntries(): readonly (readonly [DraftAt, DraftEntry])[] {
  return [...entries.values()].map(({ at, entry }) => [at, entry] as const);
}

/** Returns what takes it off again. */
export function mountForm(at: DraftAt, form: DraftForm): () => void {
  followOtherTabs();
  const key = draftKey(at);
  const mounted = { at, form };
  forms.set(key, mounted);
  entryOf(at);
  return () => {
    if (forms.get(key) === mounted) forms.delete(key);
  };
}

/** The places of a member whose forms are on the page. */
export function mountedDrafts(memberId: number): string[] {
  return [...forms.values()].filter(({ at }) => at.memberId === memberId).map(({ at }) => at.place);
}

export function showDraft(at: DraftAt, fields: DraftFields | null): void {
  const form = forms.get(draftKey(at))?.form;
  form?.show(fields);
  form?.changed();
}

export function changed(at: DraftAt): void {
  forms.get(draftKey(at))?.form.changed();
}

/** A form shows what another tab of this browser has typed; one that slept looks when it is looked at. */
function followOtherTabs(): void {
  if (listening) return;
  listening = true;
  const follow = (at: DraftAt) => {
    if (forms.has(draftKey(at))) showDraft(at, readRecord(at)?.fields ?? null);
  };
  onRecordElsewhere(follow);
  const followAll = () => {
    for (const { at } of forms.values()) follow(at);
  };
  window.addEventListener('pageshow', followAll);
  window.addEventListener('focus', followAll);
}
