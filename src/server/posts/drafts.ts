import type { DraftEnd } from '#shared/core/events.ts';
import { createHash } from 'node:crypto';
import { type Database, type Reader, transaction, type Tx } from '#server/core/database.ts';
import { publishAll, type TopicEvent } from '#server/core/events.ts';
import { ProblemError } from '#server/core/errors.ts';
import type { Viewer } from '#server/core/http.ts';
import {
  type DraftFields,
  type DraftSave,
  type DraftState,
  type DraftSummary,
  maxDraftBytes,
  maxDrafts,
} from '#shared/posts/drafts.ts';
import { parseDraftTarget, tokenClientPrefix } from '#shared/posts/drafts-targets.ts';
import { truncate } from '#shared/core/text.ts';
import {
  deleteOldDraftsStatement,
  type DraftKey,
  type DraftListRow,
  type DraftRow,
  discardLockedDraft,
  endPostedDraft,
  findDraft,
  findQuestionLock,
  listDrafts,
  type LockedDraft,
  lockExistingDraft,
  lockOrCreateDraft,
  type PostedDraft,
  updateDraft,
} from './drafts-queries.ts';
import { refuseLocked } from './posts-locks.ts';

/** The length of a text in the list, in characters. */
const excerptLength = 200;

/** How long ended drafts are remembered, in days. After that, a browser that was offline asks the member. */
const endedDays = 90;

/** The viewer's drafts, latest first. A program gets only those that it has saved itself. */
export async function readDrafts(db: Reader, viewer: Viewer): Promise<DraftSummary[]> {
  const clientId = findTokenClient(viewer);
  const rows = await listDrafts(db, { memberId: viewer.id, clientId, limit: 2 * excerptLength });
  return rows.map(toSummary);
}

/**
 * The state of a draft, including one that does not exist.
 * @throws ProblemError 'draft-not-found' for a program that did not save it
 */
export async function readDraft(
  db: Reader,
  { viewer, target }: { viewer: Viewer; target: string },
): Promise<DraftState> {
  const row = await findDraft(db, { memberId: viewer.id, target });
  const clientId = findTokenClient(viewer);
  if (clientId !== null && clientId !== row?.client_id) throw new ProblemError('draft-not-found');
  return toState(target, row);
}

/**
 * Saves what a member has typed. If another browser has changed the draft since, nothing is stored and both texts
 * remain. A program with an API token reads and replaces only what it has saved itself (docs/decisions/101).
 * @returns the current draft, which is newer if requests of this browser arrived in reverse order
 * @throws ProblemError 'draft-changed', for a browser with the other draft, 'draft-posted' if this text was posted,
 * 'draft-too-long'; for a program also 'question-not-found' and 'question-locked'
 */
export async function saveDraft(
  db: Database,
  { viewer, target, draft: sent }: { viewer: Viewer; target: string; draft: DraftSave },
): Promise<DraftState> {
  if (Buffer.byteLength(JSON.stringify(sent.fields)) > maxDraftBytes)
    throw new ProblemError('draft-too-long');
  const memberId = viewer.id;
  const tokenClient = findTokenClient(viewer);
  // A program cannot pass for a browser, whose changes appear in open forms.
  const draft = { ...sent, clientId: tokenClient ?? sent.clientId };
  return transaction(db, async (tx) => {
    if (tokenClient !== null) await requireAnswerableQuestion(tx, target);
    const row = await lockOrCreateDraft(tx, { memberId, target, key: draft.key });
    const outcome = decideSave(row, draft, { isByToken: tokenClient !== null });
    if (outcome === 'unchanged') return toState(target, row);
    if (outcome === 'posted')
      throw new ProblemError('draft-posted', {
        extension: { draft: toState(target, row) },
      });
    if (outcome === 'conflict')
      throw new ProblemError(
        'draft-changed',
        tokenClient === null ? { extension: { draft: toState(target, row) } } : {},
      );
    const { key, fields, clientId, sequence } = draft;
    const saved = await updateDraft(tx, { memberId, target, key, fields, clientId, sequence });
    if (row.fields === null) await deleteOldDraftsOf([memberId]).execute(tx);
    await publishAll(tx, [
      buildDraftChangedEvent(memberId, { target, version: saved.version, ended: saved.ended, clientId }),
    ]);
    return toState(target, saved);
  });
}

/**
 * Discards a draft. Does nothing if there is none.
 * @param basedOn the version the member saw; undefined for any version
 * @throws ProblemError 'draft-changed' if the version differs
 */
export async function discardDraft(
  db: Database,
  { viewer, target, basedOn }: { viewer: Viewer; target: string; basedOn: number | undefined },
): Promise<void> {
  const memberId = viewer.id;
  await transaction(db, async (tx) => {
    const row = await lockExistingDraft(tx, { memberId, target });
    if (row === undefined || row.fields === null) return;
    if (basedOn !== undefined && basedOn !== row.version)
      throw new ProblemError('draft-changed', {
        extension: { draft: toState(target, row) },
      });
    const version = await discardLockedDraft(tx, { memberId, target });
    await publishAll(tx, [
      buildDraftChangedEvent(memberId, { target, version, ended: 'discarded', clientId: null }),
    ]);
  });
}

/**
 * Ends the draft of a text in the transaction that posts it, on all devices. A different draft of the same target
 * remains. Returns the events for the member's browsers.
 * @param posting `key` identifies the draft; undefined matches a draft with the same text
 */
export async function endDraft(tx: Tx, posting: PostedText): Promise<TopicEvent[]> {
  const { memberId, target, key, text } = posting;
  const row =
    key === undefined
      ? await lockExistingDraft(tx, { memberId, target })
      : await lockOrCreateDraft(tx, { memberId, target, key });
  if (row === undefined) return [];
  const postedHash = hashOf(text);
  if (!isDraftOf(row, { key, postedHash })) return [];
  const version = await endPostedDraft(tx, { memberId, target, key: key ?? row.idempotency_key, postedHash });
  if (row.fields === null) await deleteOldDraftsOf([memberId]).execute(tx);
  return [buildDraftChangedEvent(memberId, { target, version, ended: 'posted', clientId: null })];
}

/** The drafts that end because their texts are posted: those that are stored, and others so that none is stored later. */
export type EndedDrafts = { stored: PostedDraft[]; missing: PostedDraft[] };

/**
 * Decides as `endDraft` does which drafts several posted texts end.
 * @param locked the stored drafts of these texts, locked
 */
export function chooseEndedDrafts(
  postings: readonly PostedText[],
  locked: readonly LockedDraft[],
): EndedDrafts {
  const nameOf = ({ memberId, target }: DraftKey) => `${memberId} ${target}`;
  const rows = new Map<string, Pick<LockedDraft, 'idempotency_key' | 'fields'>>(
    locked.map((row) => [nameOf(row), row]),
  );
  const stored = new Map<string, PostedDraft>();
  const missing = new Map<string, PostedDraft>();
  for (const { memberId, target, key, text } of postings) {
    const name = nameOf({ memberId, target });
    const row = rows.get(name);
    const postedHash = hashOf(text);
    if (row === undefined) {
      if (key !== undefined) missing.set(name, { memberId, target, key, postedHash });
    } else if (isDraftOf(row, { key, postedHash })) {
      stored.set(name, { memberId, target, key: key ?? row.idempotency_key, postedHash });
      rows.set(name, { idempotency_key: key ?? row.idempotency_key, fields: null });
    }
  }
  return { stored: [...stored.values()], missing: [...missing.values()] };
}

/** Deletes the oldest drafts of members above the limits, before they get another one. */
export const deleteOldDraftsOf = (memberIds: readonly number[]) =>
  deleteOldDraftsStatement({ memberIds, maxDrafts, days: endedDays });

/** Whether the posted text matches the current or the ended draft. */
function isDraftOf(
  { idempotency_key: key, fields }: Pick<DraftRow, 'idempotency_key' | 'fields'>,
  posted: { key: string | undefined; postedHash: Buffer },
): boolean {
  if (fields === null) return posted.key !== undefined;
  return posted.key === key || hasHash(fields, posted.postedHash);
}

/** The parts of a post that are compared with its draft. Answers and replies have no title. */
export type PostedText = { memberId: number; target: string; key: string | undefined; text: Text };

type Text = { title?: string | null; content?: string | null };

/** The client of the drafts that the token of this request saves; null for a browser. */
const findTokenClient = ({ tokenId }: Viewer): string | null =>
  tokenId === null ? null : `${tokenClientPrefix}${tokenId}`;

/** A program has no form that shows that its member cannot post the answer. Browsers keep drafts of such questions. */
async function requireAnswerableQuestion(tx: Tx, target: string): Promise<void> {
  const parsed = parseDraftTarget(target);
  if (parsed?.form !== 'answer') return;
  const question = await findQuestionLock(tx, parsed.questionId);
  if (question === undefined) throw new ProblemError('question-not-found');
  refuseLocked(question.lock_reason);
}

function decideSave(
  row: DraftRow,
  draft: DraftSave,
  { isByToken }: { isByToken: boolean },
): 'new' | 'unchanged' | 'conflict' | 'posted' {
  if (row.fields === null) {
    const posted =
      row.posted_hash !== null && row.idempotency_key === draft.key && hasHash(draft.fields, row.posted_hash);
    if (posted) return 'posted';
    // A save that was on its way when its text, or a later one of the same browser, was discarded.
    const isLate =
      row.client_id === draft.clientId &&
      row.idempotency_key === draft.key &&
      draft.sequence <= (row.sequence ?? 0) &&
      draft.basedOn !== row.version;
    return isLate ? 'unchanged' : 'new';
  }
  if (isByToken && row.client_id !== draft.clientId) return 'conflict';
  if (draft.basedOn === row.version) return 'new';
  // A text with another key is another draft, such as one that a visitor typed before signing in. Programs send a key
  // for each text.
  if (row.idempotency_key !== draft.key && !isByToken) return 'conflict';
  // The browser repeats or continues an earlier request whose response it did not receive.
  if (row.client_id === draft.clientId) return draft.sequence > (row.sequence ?? 0) ? 'new' : 'unchanged';
  return isSame(row.fields, draft.fields) ? 'unchanged' : 'conflict';
}

function isSame(one: DraftFields, other: DraftFields): boolean {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every((name) => one[name] === other[name]);
}

const hasHash = (fields: DraftFields, hash: Buffer) =>
  hashOf({ title: fields['title'] ?? null, content: fields['content'] ?? null }).equals(hash);

function hashOf({ title, content }: Text): Buffer {
  const text = [title?.trim() ?? '', content?.trim() ?? ''];
  return createHash('sha256').update(JSON.stringify(text)).digest();
}

type DraftChange = { target: string; version: number; ended: DraftEnd | null; clientId: string | null };

function buildDraftChangedEvent(
  memberId: number,
  { target, version, ended, clientId }: DraftChange,
): TopicEvent {
  return {
    topic: `member:${memberId}`,
    event: { kind: 'draft-changed', target, version, ended, clientId },
  };
}

function toState(target: string, row: DraftRow | undefined): DraftState {
  return {
    target,
    version: row?.version ?? null,
    key: row?.idempotency_key ?? null,
    fields: row?.fields ?? null,
    ended: row?.ended ?? null,
    clientId: row?.client_id ?? null,
    sequence: row?.sequence ?? null,
    updatedAt: row?.updated_at.toISOString() ?? null,
  };
}

function toSummary(row: DraftListRow): DraftSummary {
  const { question_id: id, question_title: title } = row;
  return {
    target: row.target,
    version: row.version,
    updatedAt: row.updated_at.toISOString(),
    title: row.title,
    excerpt: truncate(row.content, excerptLength),
    question: id === null || title === null ? null : { id, title },
  };
}
