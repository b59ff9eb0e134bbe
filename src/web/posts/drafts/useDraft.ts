import type { DraftStatus } from '#web/ui/DraftIndicator.tsx';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { DraftFields } from '#shared/posts/drafts.ts';
import { getConnectionStatus } from '#web/core/connection.ts';
import { getDraftEntry, registerDraftForm, showInDraftForm } from './drafts-entries.ts';
import {
  type DraftRef,
  hasSameFields,
  isPersisted,
  pickDraftFields,
  readDraftRecord,
} from './drafts-storage.ts';
import {
  isServerDraft,
  markDraftPosted,
  resolveDraftConflict,
  saveTypedDraft,
  syncDraft,
} from './drafts-sync.ts';

/** Another text for the same form, that another device wrote meanwhile; the member decides which one stays. */
export type ConflictingDraft = {
  serverFields: DraftFields;
  /** When the other one was written. */
  writtenAt: string | null;
  resolve: (which: 'form' | 'other') => void;
};

const clearedListeners = new Set<() => void>();

/**
 * @param target what the draft is for, e.g. 'ask' or 'answer:12' (#shared/drafts.ts); others stay in this browser.
 * @param memberId whose draft it is.
 * @param initial a new draft; also what `isEmpty` compares with. Only its texts are kept.
 */
export function useDraft<T extends object>(options: {
  target: string;
  memberId: number;
  initial: () => T;
  isEmpty: (draft: T) => boolean;
}): {
  draft: T;
  setDraft: (change: Partial<T>) => void;
  /** The draft was posted, or waits to be. */
  clearDraft: () => void;
  state: DraftStatus;
  choice: ConflictingDraft | null;
} {
  const { memberId, target } = options;
  const at = useMemo(() => ({ memberId, target }), [memberId, target]);
  const initial = useRef(options.initial);
  const isEmpty = useRef(options.isEmpty);
  const [draft, set] = useState<T>(() => withFields(options.initial(), readDraftRecord(at)?.fields ?? null));
  const latest = useRef(draft);
  const [state, setState] = useState<DraftStatus>(() => getDraftStatus(at, 'empty'));
  const [other, setOther] = useState(() => getDraftEntry(at).conflicting);

  useEffect(() => {
    const unmount = registerDraftForm(at, {
      show: (fields) => {
        if (hasSameFields(fields, pickDraftFields(latest.current))) return;
        if (fields === null && isEmpty.current(latest.current)) return;
        latest.current = withFields(initial.current(), fields);
        set(latest.current);
      },
      onStatusChange: () => {
        setState((before) => getDraftStatus(at, before));
        setOther(getDraftEntry(at).conflicting);
      },
    });
    void syncDraft(at);
    return unmount;
  }, [at]);

  const setDraft = useCallback(
    (change: Partial<T>) => {
      latest.current = { ...latest.current, ...change };
      set(latest.current);
      saveTypedDraft(at, isEmpty.current(latest.current) ? null : pickDraftFields(latest.current));
    },
    [at],
  );

  const clearDraft = useCallback(() => {
    markDraftPosted(at);
    latest.current = initial.current();
    set(latest.current);
    for (const listener of clearedListeners) listener();
  }, [at]);

  const choice = useMemo<ConflictingDraft | null>(
    () =>
      other?.fields == null
        ? null
        : {
            serverFields: other.fields,
            writtenAt: other.updatedAt,
            resolve: (which) => resolveDraftConflict(at, which),
          },
    [at, other],
  );
  return { draft, setDraft, clearDraft, state, choice };
}

/** Puts a text into a form, open or not; false, and nothing happens, where the form holds another draft already. */
export function prefillDraft(memberId: number, place: string, draft: object): boolean {
  const at = { memberId, target: place };
  if (readDraftRecord(at)?.fields != null) return false;
  const fields = pickDraftFields(draft);
  saveTypedDraft(at, fields);
  if (!isPersisted(at)) return false;
  showInDraftForm(at, fields);
  return true;
}

/** Hears when a form has posted what it held. */
export function onDraftCleared(listener: () => void): () => void {
  clearedListeners.add(listener);
  return () => clearedListeners.delete(listener);
}

function withFields<T extends object>(initial: T, fields: DraftFields | null): T {
  return fields === null ? initial : { ...initial, ...fields };
}

/** What is said of it changes only when something happened to it: not with every key, and not while it is on its way. */
function getDraftStatus(at: DraftRef, before: DraftStatus): DraftStatus {
  const record = readDraftRecord(at);
  if (record === null || record.fields === null) return 'empty';
  if (!isServerDraft(at.target) || !record.dirty) return 'saved';
  const { failed, conflicting } = getDraftEntry(at);
  if (failed || conflicting !== null || getConnectionStatus() !== 'online')
    return isPersisted(at) ? 'device' : 'unsaved';
  return before === 'empty' ? 'pending' : before;
}
