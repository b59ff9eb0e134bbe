import type { DraftFields } from '#shared/drafts.ts';
import { isObject } from './waiting.ts';

/**
 * What this browser holds of a draft, in local storage, one entry for each member and place. All tabs share it; a form
 * always shows what its entry says.
 */
export type DraftRecord = {
  /** What was typed; null where the form is empty, and the server may still know of a draft. */
  fields: DraftFields | null;
  /** The server's version that it goes on from; null where the server knows none. */
  base: number | null;
  /** Whether the server is still to be told. */
  dirty: boolean;
  /** Whether something was sent that may have arrived without an answer. */
  tried: boolean;
  /** Grows with each change. */
  step: number;
  /** The key of the text that the form let go to be posted: the server's draft of it is no news. */
  posted: string | null;
  /** When it was last written, in milliseconds. */
  at: number;
};

/** Whose draft, and what for: 'ask', 'answer:7', … (#shared/drafts.ts), or a place that only this browser knows. */
export type DraftAt = { memberId: number; place: string };

const prefix = 'parley.draft';
const browserKey = 'parley.browser';

/** What local storage does not take lives as long as the page. */
const memory = new Map<string, string>();

export function draftKey({ memberId, place }: DraftAt): string {
  return `${prefix}.${memberId}.${place}`;
}

export function readRecord(at: DraftAt): DraftRecord | null {
  const key = draftKey(at);
  return parseRecord(memory.get(key) ?? stored(key));
}

/** Keeps it, in this page alone where the browser takes nothing. */
export function writeRecord(at: DraftAt, record: DraftRecord): void {
  const key = draftKey(at);
  const text = JSON.stringify(record);
  try {
    localStorage.setItem(key, text);
    memory.delete(key);
  } catch {
    memory.set(key, text);
  }
}

export function removeRecord(at: DraftAt): void {
  const key = draftKey(at);
  memory.delete(key);
  try {
    localStorage.removeItem(key);
  } catch {
    // Storage can be switched off: then nothing is there.
  }
}

/** Whether what the record holds survives the page. */
export function isOnDisk(at: DraftAt): boolean {
  return !memory.has(draftKey(at));
}

/** All records of a member, in no order. */
export function recordsOf(memberId: number): { place: string; record: DraftRecord }[] {
  const start = draftKey({ memberId, place: '' });
  return keys()
    .filter((key) => key.startsWith(start))
    .map((key) => ({
      place: key.slice(start.length),
      record: readRecord({ memberId, place: key.slice(start.length) }),
    }))
    .filter((each): each is { place: string; record: DraftRecord } => each.record !== null);
}

/** Hears when another tab has written, or emptied, a member's record. Returns what ends it. */
export function onRecordElsewhere(listener: (at: DraftAt) => void): () => void {
  const hear = ({ key }: StorageEvent) => {
    const [, memberId, place] = /^parley\.draft\.(\d+)\.(.+)$/u.exec(key ?? '') ?? [];
    if (memberId !== undefined && place !== undefined) listener({ memberId: Number(memberId), place });
  };
  window.addEventListener('storage', hear);
  return () => window.removeEventListener('storage', hear);
}

let browser: string | undefined;

/** Names this browser, so that the server knows what it sent itself. */
export function browserName(newName: () => string): string {
  browser ??= stored(browserKey) ?? undefined;
  if (browser !== undefined && /^[\w-]{8,100}$/u.test(browser)) return browser;
  browser = newName();
  try {
    localStorage.setItem(browserKey, browser);
  } catch {
    // The name then lasts as long as the page, like all it holds.
  }
  return browser;
}

/** An entry as it was written, also by the program before drafts were kept on the server; null for anything else. */
export function parseRecord(text: string | null): DraftRecord | null {
  try {
    const value: unknown = JSON.parse(text ?? '');
    if (!isObject(value)) return null;
    const { fields, base, dirty, tried, step, posted, at } = value;
    if (typeof step !== 'number' || typeof at !== 'number') return unsentRecord(value);
    return {
      fields: isObject(fields) ? draftFieldsOf(fields) : null,
      base: typeof base === 'number' ? base : null,
      dirty: dirty === true,
      tried: tried === true,
      step,
      posted: typeof posted === 'string' ? posted : null,
      at,
    };
  } catch {
    return null;
  }
}

/** What of a form can be kept: its texts. */
export function draftFieldsOf(form: object): DraftFields {
  return Object.fromEntries(
    Object.entries(form).filter(
      (entry): entry is [string, string | null] => typeof entry[1] === 'string' || entry[1] === null,
    ),
  );
}

export function isSameDraft(one: DraftFields | null, other: DraftFields | null): boolean {
  if (one === null || other === null) return one === other;
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every((name) => one[name] === other[name]);
}

function unsentRecord(fields: Record<string, unknown>): DraftRecord {
  const texts = draftFieldsOf(fields);
  return { fields: texts, base: null, dirty: true, tried: false, step: 1, posted: null, at: Date.now() };
}

function stored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function keys(): string[] {
  try {
    return [...Object.keys(localStorage), ...memory.keys()];
  } catch {
    return [...memory.keys()];
  }
}
