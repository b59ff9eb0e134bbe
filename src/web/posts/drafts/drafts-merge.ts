import type { DraftFields, DraftState } from '#shared/posts/drafts.ts';
import { type DraftRecord, hasSameFields } from './drafts-storage.ts';

/** What becomes of what is here where it meets what the server has. */
export type DraftMergeOutcome =
  /** There is nothing on either side, or the answer is older than what is known. */
  | 'nothing'
  /** What is here was let go, and the server will end its draft of it once it is posted. */
  | 'waits'
  /** The server's draft, too, is what is here, or an earlier state of it. */
  | 'same'
  | 'continues'
  /** What is here is an earlier state of the server's. */
  | 'behind'
  /** Both were changed: the member chooses. */
  | 'choice'
  /** The server's draft has ended, and with it what is here. */
  | 'ended'
  /** The server has none: what is here begins a new one. */
  | 'new';

/** The server remembers for longer how a draft ended. A copy that is older, and of which it knows nothing, has ended. */
const maxLocalCopyAgeMs = 60 * 24 * 60 * 60 * 1000;

/** The one that goes on from the other wins, else the member chooses. @param at now, in milliseconds. */
export function decideDraftMerge(
  record: DraftRecord | null,
  server: DraftState,
  { browser, at }: { browser: string; at: number },
): DraftMergeOutcome {
  if (server.version !== null && server.version < (record?.baseVersion ?? 0)) return 'nothing';
  if (server.fields === null) return decideWithoutServerDraft(record, server, at);
  if (record === null) return 'behind';
  if (record.fields === null && record.postedKey !== null && record.postedKey === server.key) return 'waits';
  if (hasSameFields(record.fields, getDraftFields(server))) return 'same';
  // This browser wrote it without having heard the answer, and what it holds came later.
  const isOwn = server.clientId === browser && (server.sequence ?? 0) <= record.step;
  if (record.dirty && (server.version === record.baseVersion || isOwn || record.postedKey === server.key))
    return 'continues';
  return record.dirty && record.fields !== null ? 'choice' : 'behind';
}

/** What a form holds of the server's draft. */
export function getDraftFields({ fields, key }: DraftState): DraftFields {
  return { ...fields, key };
}

function decideWithoutServerDraft(
  record: DraftRecord | null,
  server: DraftState,
  at: number,
): DraftMergeOutcome {
  if (record === null) return 'nothing';
  if (record.fields === null) return 'ended';
  const isUnknown = server.version === null && at - record.changedAt < maxLocalCopyAgeMs;
  return record.dirty || isUnknown ? 'new' : 'ended';
}
