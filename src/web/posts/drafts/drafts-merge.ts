import { tokenClientPrefix } from '#shared/posts/drafts-targets.ts';
import type { DraftFields, DraftState } from '#shared/posts/drafts.ts';
import type { DraftRecord } from './drafts-storage.ts';

/** The outcome of comparing the local draft with the server's. */
export type DraftMergeOutcome =
  /** Neither side has a draft, or the response is older than the known version. */
  | 'nothing'
  /** The local draft was posted and waits to be sent. The server ends its draft once it is posted. */
  | 'waits'
  /** Both have the same text, or the server has an earlier state of the local text. */
  | 'same'
  | 'continues'
  /** The local draft is an earlier state of the server's. */
  | 'behind'
  /** Both were changed, or a program changed the text that the member reads: the member chooses. */
  | 'choice'
  /** The local draft is empty, and a save of its former text can still reach the server. */
  | 'unsettled'
  /** The server's draft has ended, which ends the local one. */
  | 'ended'
  /** The server has no draft: the local one starts a new one. */
  | 'new';

/** A request for a draft without a response after this many milliseconds counts as failed. */
export const draftRequestTimeoutMs = 20_000;

/**
 * In milliseconds. The server remembers ended drafts for longer, so an older local copy that it does not know has
 * ended.
 */
const maxLocalCopyAgeMs = 60 * 24 * 60 * 60 * 1000;

/**
 * The side that continues from the other wins, but a program never replaces a text in a form (docs/decisions/101).
 * Otherwise the member chooses.
 * @param at the current time in milliseconds since 1970.
 */
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
  // This browser sent the server's draft but got no response, and its local text is newer. A text with another key is
  // another draft, such as one that a visitor typed before signing in.
  const isOwn =
    server.clientId === browser &&
    (server.sequence ?? 0) <= record.step &&
    (record.fields === null || record.fields['key'] === server.key);
  if (record.dirty && (server.version === record.baseVersion || isOwn || record.postedKey === server.key))
    return 'continues';
  const asks = record.dirty || server.clientId?.startsWith(tokenClientPrefix) === true;
  return asks && record.fields !== null ? 'choice' : 'behind';
}

/** The server's draft as form fields. */
export function getDraftFields({ fields, key }: DraftState): DraftFields {
  return { ...fields, key };
}

function decideWithoutServerDraft(
  record: DraftRecord | null,
  server: DraftState,
  at: number,
): DraftMergeOutcome {
  if (record === null) return 'nothing';
  if (record.fields === null) {
    const isSaving = record.dirty && record.sentStep !== null && record.baseVersion === null;
    return isSaving && at - record.changedAt < draftRequestTimeoutMs ? 'unsettled' : 'ended';
  }
  const isUnknown = server.version === null && at - record.changedAt < maxLocalCopyAgeMs;
  return record.dirty || isUnknown ? 'new' : 'ended';
}

export function hasSameFields(one: DraftFields | null, other: DraftFields | null): boolean {
  if (one === null || other === null) return one === other;
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every((name) => one[name] === other[name]);
}
