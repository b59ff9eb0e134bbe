import type { DraftStatus } from '#web/ui/DraftIndicator.tsx';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { DraftFields } from '#shared/posts/drafts.ts';
import { getConnectionStatus } from '#web/core/connection.ts';
import { useIsHydrating } from '#web/core/hydration.ts';
import { hasSameFields } from './drafts-merge.ts';
import { type DraftForm, getDraftEntry, registerDraftForm, showInDraftForm } from './drafts-entries.ts';
import { type DraftRef, isPersisted, pickDraftFields, readDraftRecord } from './drafts-storage.ts';
import {
  isServerDraft,
  markDraftPosted,
  resolveDraftConflict,
  saveTypedDraft,
  syncDraft,
} from './drafts-sync.ts';

/** Another version of the draft, on the server. The member chooses which one to keep. */
export type ConflictingDraft = {
  /** Whether the text in the form never was a version of it, such as one that a visitor typed before signing in. */
  isSeparate: boolean;
  serverFields: DraftFields;
  /** When the other version was written. */
  writtenAt: string | null;
  resolve: (which: 'form' | 'other') => void;
};

const clearedListeners = new Set<() => void>();

/**
 * @param target the draft target, such as 'ask' or 'answer:12' (#shared/posts/drafts.ts); drafts of other targets stay
 * in this browser.
 * @param memberId the owner of the draft.
 * @param initial an empty draft, which `isEmpty` compares with. Only its text fields are stored.
 */
export function useDraft<T extends object>(options: {
  target: string;
  memberId: number;
  initial: () => T;
  isEmpty: (draft: T) => boolean;
}): {
  draft: T;
  setDraft: (change: Partial<T>) => void;
  /** Called when the draft was posted or queued. */
  clearDraft: () => void;
  state: DraftStatus;
  choice: ConflictingDraft | null;
} {
  const { memberId, target } = options;
  const draftRef = useMemo(() => ({ memberId, target }), [memberId, target]);
  const initial = useRef(options.initial);
  const isEmpty = useRef(options.isEmpty);
  const isHydrating = useIsHydrating();
  const [draft, set] = useState<T>(() =>
    withFields(options.initial(), isHydrating ? null : (readDraftRecord(draftRef)?.fields ?? null)),
  );
  const latest = useRef(draft);
  const [state, setState] = useState<DraftStatus>(() =>
    isHydrating ? 'empty' : getDraftStatus(draftRef, 'empty'),
  );
  const [other, setOther] = useState(() => (isHydrating ? null : getDraftEntry(draftRef).conflicting));

  useEffect(() => {
    const form: DraftForm = {
      show: (fields) => {
        if (hasSameFields(fields, pickDraftFields(latest.current))) return;
        if (fields === null && isEmpty.current(latest.current)) return;
        latest.current = withFields(initial.current(), fields);
        set(latest.current);
      },
      onStatusChange: () => {
        setState((before) => getDraftStatus(draftRef, before));
        setOther(getDraftEntry(draftRef).conflicting);
      },
    };
    const unmount = registerDraftForm(draftRef, form);
    // A form that the server rendered is empty.
    form.show(readDraftRecord(draftRef)?.fields ?? null);
    form.onStatusChange();
    void syncDraft(draftRef);
    return unmount;
  }, [draftRef]);

  const setDraft = useCallback(
    (change: Partial<T>) => {
      latest.current = { ...latest.current, ...change };
      set(latest.current);
      saveTypedDraft(draftRef, isEmpty.current(latest.current) ? null : pickDraftFields(latest.current));
    },
    [draftRef],
  );

  const clearDraft = useCallback(() => {
    markDraftPosted(draftRef);
    latest.current = initial.current();
    set(latest.current);
    for (const listener of clearedListeners) listener();
  }, [draftRef]);

  const choice = useMemo<ConflictingDraft | null>(
    () =>
      other?.fields == null
        ? null
        : {
            isSeparate: readDraftRecord(draftRef)?.baseVersion == null,
            serverFields: other.fields,
            writtenAt: other.updatedAt,
            resolve: (which) => resolveDraftConflict(draftRef, which),
          },
    [draftRef, other],
  );
  return { draft, setDraft, clearDraft, state, choice };
}

/** Sets the text of a form, open or not. Returns false without a change if the form has another draft. */
export function prefillDraft(memberId: number, target: string, draft: object): boolean {
  const draftRef = { memberId, target };
  if (readDraftRecord(draftRef)?.fields != null) return false;
  const fields = pickDraftFields(draft);
  saveTypedDraft(draftRef, fields);
  if (!isPersisted(draftRef)) return false;
  showInDraftForm(draftRef, fields);
  return true;
}

/** Runs the listener when a form has posted its draft. */
export function onDraftCleared(listener: () => void): () => void {
  clearedListeners.add(listener);
  return () => clearedListeners.delete(listener);
}

function withFields<T extends object>(initial: T, fields: DraftFields | null): T {
  return fields === null ? initial : { ...initial, ...fields };
}

/** The status changes only on events, not with every key press or while sending. */
function getDraftStatus(draftRef: DraftRef, before: DraftStatus): DraftStatus {
  const record = readDraftRecord(draftRef);
  if (record === null || record.fields === null) return 'empty';
  if (!isServerDraft(draftRef) || !record.dirty) return 'saved';
  const { failed, conflicting } = getDraftEntry(draftRef);
  if (failed || conflicting !== null || getConnectionStatus() !== 'online')
    return isPersisted(draftRef) ? 'device' : 'unsaved';
  return before === 'empty' ? 'pending' : before;
}
