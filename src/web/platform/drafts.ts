import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { DraftFields } from '#shared/drafts.ts';
import { connection } from './connection.ts';
import { entryOf, mountForm, showDraft } from './draft-entries.ts';
import { type DraftAt, draftFieldsOf, isOnDisk, isSameDraft, readRecord } from './draft-store.ts';
import { choose, isKept, letGo, opened, typed } from './draft-sync.ts';

/**
 * What a member types is kept as they type, in local storage at once and on the server a moment later, for each member and
 * form, so that it survives a reload, a killed tab or server, a sign-out and a dead session, and goes on on another device.
 * A draft carries the idempotency key of what it will post.
 */
export type DraftState =
  /** Nothing was typed. */
  | 'empty'
  /** On its way to the server for the first time. */
  | 'pending'
  /** Every device of the member has it. */
  | 'saved'
  /** The server does not have it yet. */
  | 'device'
  /** It lives as long as the page: the browser keeps nothing, and the server cannot be reached. */
  | 'unsaved';

/** Another text for the same form, that another device wrote meanwhile; the member decides which one stays. */
export type DraftChoice = {
  other: DraftFields;
  /** When the other one was written. */
  writtenAt: string | null;
  choose: (which: 'form' | 'other') => void;
};

const cleared = new Set<() => void>();

/**
 * @param place what the draft is for, e.g. 'ask' or 'answer:12' (#shared/drafts.ts); others stay in this browser.
 * @param memberId whose draft it is.
 * @param initial a new draft; also what `isEmpty` compares with. Only its texts are kept.
 */
export function useDraft<T extends object>(options: {
  place: string;
  memberId: number;
  initial: () => T;
  isEmpty: (draft: T) => boolean;
}): {
  draft: T;
  setDraft: (change: Partial<T>) => void;
  /** The draft was posted, or waits to be. */
  clearDraft: () => void;
  state: DraftState;
  choice: DraftChoice | null;
} {
  const { memberId, place } = options;
  const at = useMemo(() => ({ memberId, place }), [memberId, place]);
  const initial = useRef(options.initial);
  const isEmpty = useRef(options.isEmpty);
  const [draft, set] = useState<T>(() => withFields(options.initial(), readRecord(at)?.fields ?? null));
  const latest = useRef(draft);
  const [state, setState] = useState<DraftState>(() => stateOf(at, 'empty'));
  const [other, setOther] = useState(() => entryOf(at).other);

  useEffect(() => {
    const unmount = mountForm(at, {
      show: (fields) => {
        if (isSameDraft(fields, draftFieldsOf(latest.current))) return;
        if (fields === null && isEmpty.current(latest.current)) return;
        latest.current = withFields(initial.current(), fields);
        set(latest.current);
      },
      changed: () => {
        setState((before) => stateOf(at, before));
        setOther(entryOf(at).other);
      },
    });
    void opened(at);
    return unmount;
  }, [at]);

  const setDraft = useCallback(
    (change: Partial<T>) => {
      latest.current = { ...latest.current, ...change };
      set(latest.current);
      typed(at, isEmpty.current(latest.current) ? null : draftFieldsOf(latest.current));
    },
    [at],
  );

  const clearDraft = useCallback(() => {
    letGo(at);
    latest.current = initial.current();
    set(latest.current);
    for (const listener of cleared) listener();
  }, [at]);

  const choice = useMemo<DraftChoice | null>(
    () =>
      other?.fields == null
        ? null
        : { other: other.fields, writtenAt: other.updatedAt, choose: (which) => choose(at, which) },
    [at, other],
  );
  return { draft, setDraft, clearDraft, state, choice };
}

/** Puts a text into a form, open or not; false, and nothing happens, where the form holds another draft already. */
export function offerDraft(memberId: number, place: string, draft: object): boolean {
  const at = { memberId, place };
  if (readRecord(at)?.fields != null) return false;
  const fields = draftFieldsOf(draft);
  typed(at, fields);
  if (!isOnDisk(at)) return false;
  showDraft(at, fields);
  return true;
}

/** Hears when a form has posted what it held. */
export function onDraftCleared(listener: () => void): () => void {
  cleared.add(listener);
  return () => cleared.delete(listener);
}

function withFields<T extends object>(initial: T, fields: DraftFields | null): T {
  return fields === null ? initial : { ...initial, ...fields };
}

/** What is said of it changes only when something happened to it: not with every key, and not while it is on its way. */
function stateOf(at: DraftAt, before: DraftState): DraftState {
  const record = readRecord(at);
  if (record === null || record.fields === null) return 'empty';
  if (!isKept(at.place) || !record.dirty) return 'saved';
  const { failed, other } = entryOf(at);
  if (failed || other !== null || connection() !== 'online') return isOnDisk(at) ? 'device' : 'unsaved';
  return before === 'empty' ? 'pending' : before;
}
