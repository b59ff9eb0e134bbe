import { useCallback, useEffect, useRef, useState } from 'react';

/**
 * What a member types is kept in local storage as they type, for each member and place, so that it survives a reload,
 * a sign-out and a dead session. A draft carries the idempotency key of what it will post.
 */
export type DraftState = 'empty' | 'saved' | 'unsaved';

/** The forms that show a draft, by its key. */
const mounted = new Map<string, { flush: () => void; take: (draft: object) => void }>();

const cleared = new Set<() => void>();

const prefix = 'parley.draft';
const saveAfterMs = 300;

/**
 * @param place what the draft is for, e.g. 'ask' or 'answer:12'.
 * @param memberId whose draft it is.
 * @param initial a new draft; also what `isEmpty` compares with.
 */
export function useDraft<T extends object>(options: {
  place: string;
  memberId: number;
  initial: () => T;
  isEmpty: (draft: T) => boolean;
}): { draft: T; setDraft: (change: Partial<T>) => void; clearDraft: () => void; state: DraftState } {
  const key = keyOf(options.memberId, options.place);
  const initial = useRef(options.initial);
  const isEmpty = useRef(options.isEmpty);
  const [draft, set] = useState<T>(() => read(key, options.initial));
  const [state, setState] = useState<DraftState>(() => (options.isEmpty(draft) ? 'empty' : 'saved'));
  const latest = useRef(draft);
  const pending = useRef<number | undefined>(undefined);

  const save = useCallback(() => {
    window.clearTimeout(pending.current);
    pending.current = undefined;
    const empty = isEmpty.current(latest.current);
    const kept = empty ? remove(key) : write(key, latest.current);
    setState(empty ? 'empty' : kept ? 'saved' : 'unsaved');
  }, [key]);

  useEffect(() => {
    const form = {
      flush: () => {
        if (pending.current !== undefined) save();
      },
      take: (draft: object) => {
        latest.current = { ...initial.current(), ...draft };
        set(latest.current);
        setState('saved');
      },
    };
    mounted.set(key, form);
    return () => {
      if (mounted.get(key) === form) mounted.delete(key);
    };
  }, [key, save]);

  // Leaving the page, by whichever way, must not lose the last keystrokes.
  useEffect(() => {
    const flush = () => {
      if (pending.current !== undefined) save();
    };
    window.addEventListener('pagehide', flush);
    document.addEventListener('visibilitychange', flush);
    return () => {
      window.removeEventListener('pagehide', flush);
      document.removeEventListener('visibilitychange', flush);
      flush();
    };
  }, [save]);

  const setDraft = useCallback(
    (change: Partial<T>) => {
      latest.current = { ...latest.current, ...change };
      set(latest.current);
      window.clearTimeout(pending.current);
      pending.current = window.setTimeout(save, saveAfterMs);
    },
    [save],
  );

  const clearDraft = useCallback(() => {
    window.clearTimeout(pending.current);
    pending.current = undefined;
    remove(key);
    latest.current = initial.current();
    set(latest.current);
    setState('empty');
    for (const listener of cleared) listener();
  }, [key]);

  return { draft, setDraft, clearDraft, state };
}

/** Puts a text into a form, open or not; false, and nothing happens, where the form holds another draft already. */
export function offerDraft(memberId: number, place: string, draft: object): boolean {
  const key = keyOf(memberId, place);
  const form = mounted.get(key);
  form?.flush();
  try {
    if (localStorage.getItem(key) !== null) return false;
  } catch {
    return false;
  }
  if (!write(key, draft)) return false;
  form?.take(draft);
  return true;
}

/** Hears when a form has posted what it held. */
export function onDraftCleared(listener: () => void): () => void {
  cleared.add(listener);
  return () => cleared.delete(listener);
}

function keyOf(memberId: number, place: string): string {
  return `${prefix}.${memberId}.${place}`;
}

function read<T extends object>(key: string, initial: () => T): T {
  try {
    const stored = localStorage.getItem(key);
    if (stored === null) return initial();
    const parsed: unknown = JSON.parse(stored);
    if (typeof parsed !== 'object' || parsed === null) return initial();
    return { ...initial(), ...parsed };
  } catch {
    return initial();
  }
}

function write(key: string, draft: object): boolean {
  try {
    localStorage.setItem(key, JSON.stringify(draft));
    return true;
  } catch {
    return false;
  }
}

function remove(key: string): boolean {
  try {
    localStorage.removeItem(key);
    return true;
  } catch {
    return false;
  }
}
