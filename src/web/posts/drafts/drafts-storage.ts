import type { DraftFields } from '#shared/posts/drafts.ts';
import { isObject } from '#web/core/offline-queue.ts';

/**
 * What this browser holds of a draft, in local storage, one entry for each member and place. All tabs share it; a form
 * always shows what its entry says.
 */
export type DraftRecord = {
  /** What was typed; null where the form is empty, and the server may still know of a draft. */
  fields: DraftFields | null;
  /** The server's version that it goes on from; null where the server knows none. */
  baseVersion: number | null;
  /** Whether the server is still to be told. */
  dirty: boolean;
  /** Whether something was sent that may have arrived without an answer. */
  wasSent: boolean;
  /** Grows with each change. */
  step: number;
  /** The key of the text that the form let go to be posted: the server's draft of it is no news. */
  postedKey: string | null;
  /** When it was last written, in milliseconds. */
  changedAt: number;
};

/** Whose draft, and what for: 'ask', 'answer:7', … (#shared/drafts.ts), or a place that only this browser knows. */
export type DraftRef = { memberId: number; target: string };

const prefix = 'parley.draft';
const browserKey = 'parley.browser';

/** What local storage does not take lives as long as the page. */
const memory = new Map<string, string>();

export function getStorageKey({ memberId, target }: DraftRef): string {
  return `${prefix}.${memberId}.${target}`;
}

export function readDraftRecord(at: DraftRef): DraftRecord | null {
  const key = getStorageKey(at);
  return parseDraftRecord(memory.get(key) ?? readItem(key));
}

/** Keeps it, in this page alone where the browser takes nothing. */
export function writeDraftRecord(at: DraftRef, record: DraftRecord): void {
  const key = getStorageKey(at);
  const text = JSON.stringify(record);
  try {
    localStorage.setItem(key, text);
    memory.delete(key);
  } catch {
    memory.set(key, text);
  }
}

export function removeDraftRecord(at: DraftRef): void {
  const key = getStorageKey(at);
  memory.delete(key);
  try {
    localStorage.removeItem(key);
  } catch {
    // Storage can be switched off: then nothing is there.
  }
}

/** Whether what the record holds survives the page. */
export function isPersisted(at: DraftRef): boolean {
  return !memory.has(getStorageKey(at));
}

/** All records of a member, in no order. */
export function listDraftRecords(memberId: number): { place: string; record: DraftRecord }[] {
  const start = getStorageKey({ memberId, target: '' });
  return listKeys()
    .filter((key) => key.startsWith(start))
    .map((key) => ({
      place: key.slice(start.length),
      record: readDraftRecord({ memberId, target: key.slice(start.length) }),
    }))
    .filter((each): each is { place: string; record: DraftRecord } => each.record !== null);
}

/** Hears when another tab has written, or emptied, a member's record. Returns what ends it. */
export function onDraftChangedInOtherTab(listener: (at: DraftRef) => void): () => void {
  const onStorage = ({ key }: StorageEvent) => {
    const [, memberId, target] = /^parley\.draft\.(\d+)\.(.+)$/u.exec(key ?? '') ?? [];
    if (memberId !== undefined && target !== undefined) listener({ memberId: Number(memberId), target });
  };
  window.addEventListener('storage', onStorage);
  return () => window.removeEventListener('storage', onStorage);
}

let browserId: string | undefined;

/** Names this browser, so that the server knows what it sent itself. */
export function getOrCreateBrowserId(newName: () => string): string {
  browserId ??= readItem(browserKey) ?? undefined;
  if (browserId !== undefined && /^[\w-]{8,100}$/u.test(browserId)) return browserId;
  browserId = newName();
  try {
    localStorage.setItem(browserKey, browserId);
  } catch {
    // The name then lasts as long as the page, like all it holds.
  }
  return browserId;
}

/** An entry as it was written, also by the program before drafts were kept on the server; null for anything else. */
export function parseDraftRecord(text: string | null): DraftRecord | null {
  try {
    const value: unknown = JSON.parse(text ?? '');
    if (!isObject(value)) return null;
    const { fields, baseVersion, dirty, wasSent, step, postedKey, changedAt } = value;
    if (typeof step !== 'number' || typeof changedAt !== 'number') return recordOfOldFormat(value);
    return {
      fields: isObject(fields) ? pickDraftFields(fields) : null,
      baseVersion: typeof baseVersion === 'number' ? baseVersion : null,
      dirty: dirty === true,
      wasSent: wasSent === true,
      step,
      postedKey: typeof postedKey === 'string' ? postedKey : null,
      changedAt,
    };
  } catch {
    return null;
  }
}

/** What of a form can be kept: its texts. */
export function pickDraftFields(form: object): DraftFields {
  return Object.fromEntries(
    Object.entries(form).filter(
      (entry): entry is [string, string | null] => typeof entry[1] === 'string' || entry[1] === null,
    ),
  );
}

export function hasSameFields(one: DraftFields | null, other: DraftFields | null): boolean {
  if (one === null || other === null) return one === other;
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every((name) => one[name] === other[name]);
}

function recordOfOldFormat(fields: Record<string, unknown>): DraftRecord {
  const texts = pickDraftFields(fields);
  return {
    fields: texts,
    baseVersion: null,
    dirty: true,
    wasSent: false,
    step: 1,
    postedKey: null,
    changedAt: Date.now(),
  };
}

function readItem(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function listKeys(): string[] {
  try {
    return [...Object.keys(localStorage), ...memory.keys()];
  } catch {
    return [...memory.keys()];
  }
}
