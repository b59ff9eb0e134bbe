import type { DraftFields } from '#shared/posts/drafts.ts';
import { isObject } from '#web/core/offline-queue.ts';

/**
 * The local copy of a draft in local storage, one entry per member and target. All tabs share it, and a form always
 * shows its entry.
 */
export type DraftRecord = {
  /** The typed text; null if the form is empty. The server may still have a draft. */
  fields: DraftFields | null;
  /** The version on the server that the text is based on; null if the server has none. */
  baseVersion: number | null;
  /** Whether the text has changes to send. */
  dirty: boolean;
  /** The step of the last request that may still be on its way, or may have succeeded without a response. */
  sentStep: number | null;
  /** Increases with each change. */
  step: number;
  /** The key of the text that the form has posted: the server's draft with this key is obsolete. */
  postedKey: string | null;
  /** The time of the last change, in milliseconds since 1970. */
  changedAt: number;
};

/**
 * The member and the draft target: 'ask', 'answer:7', … (#shared/posts/drafts.ts), or a target that only this browser
 * uses.
 */
export type DraftRef = { memberId: number; target: string };

const prefix = 'parley.draft';

/** Replaces local storage until the page is left, if writing to it fails. */
const memory = new Map<string, string>();

export function getStorageKey({ memberId, target }: DraftRef): string {
  return `${prefix}.${memberId}.${target}`;
}

export function readDraftRecord(draftRef: DraftRef): DraftRecord | null {
  const key = getStorageKey(draftRef);
  return parseDraftRecord(memory.get(key) ?? readItem(key));
}

/** Stores a record, or holds it in memory if local storage fails. */
export function writeDraftRecord(draftRef: DraftRef, record: DraftRecord): void {
  const key = getStorageKey(draftRef);
  const text = JSON.stringify(record);
  try {
    localStorage.setItem(key, text);
    memory.delete(key);
  } catch {
    memory.set(key, text);
  }
}

export function removeDraftRecord(draftRef: DraftRef): void {
  const key = getStorageKey(draftRef);
  memory.delete(key);
  try {
    localStorage.removeItem(key);
  } catch {
    // Without storage there is nothing.
  }
}

/** Whether the record is in local storage and survives the page. */
export function isPersisted(draftRef: DraftRef): boolean {
  return !memory.has(getStorageKey(draftRef));
}

/** Parses a stored entry; null for anything else. */
export function parseDraftRecord(text: string | null): DraftRecord | null {
  try {
    const value: unknown = JSON.parse(text ?? '');
    if (!isObject(value)) return null;
    const { fields, baseVersion, dirty, sentStep, step, postedKey, changedAt } = value;
    if (typeof step !== 'number' || typeof changedAt !== 'number') return null;
    return {
      fields: isObject(fields) ? pickDraftFields(fields) : null,
      baseVersion: typeof baseVersion === 'number' ? baseVersion : null,
      dirty: dirty === true,
      sentStep: typeof sentStep === 'number' ? sentStep : null,
      step,
      postedKey: typeof postedKey === 'string' ? postedKey : null,
      changedAt,
    };
  } catch {
    return null;
  }
}

/** The fields of a form that are stored: those with text. */
export function pickDraftFields(form: object): DraftFields {
  return Object.fromEntries(
    Object.entries(form).filter(
      (entry): entry is [string, string | null] => typeof entry[1] === 'string' || entry[1] === null,
    ),
  );
}

function readItem(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** The keys of local storage, and of the records in memory. */
export function listKeys(): string[] {
  try {
    return [...Object.keys(localStorage), ...memory.keys()];
  } catch {
    return [...memory.keys()];
  }
}
