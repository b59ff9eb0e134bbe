import { useCallback, useEffect, useRef, useState } from 'react';

/**
 * What a member types is kept in local storage as they type, for each member and place, so that it survives a reload,
 * a sign-out and a dead session. A draft carries the idempotency key of what it will post.
 */
export type DraftState = 'empty' | 'saved' | 'unsaved';

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
  const key = `${prefix}.${options.memberId}.${options.place}`;
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
  }, [key]);

  return { draft, setDraft, clearDraft, state };
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
