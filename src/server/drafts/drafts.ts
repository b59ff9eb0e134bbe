import { createHash } from 'node:crypto';
import { type Database, type Reader, transaction, type Tx } from '#server/platform/database.ts';
import { publishAll, type StreamedEvent } from '#server/platform/events.ts';
import { ProblemError } from '#server/platform/errors.ts';
import type { Viewer } from '#server/platform/http.ts';
import {
  type DraftEnd,
  type DraftFields,
  type DraftState,
  type DraftSummary,
  type DraftWrite,
  maxDraftBytes,
  maxDrafts,
} from '#shared/drafts.ts';
import { truncate } from '#shared/text.ts';
import {
  draftAt,
  type DraftListRow,
  type DraftRow,
  draftsOf,
  draftsPruned,
  endLockedDraft,
  type EndedText,
  insertPosted,
  type KnownDraft,
  lockDraft,
  lockedDrafts,
  lockedDraftsEnded,
  lockKnownDraft,
  type NotedDraft,
  type Place,
  writeDraft,
} from './queries.ts';

/** Characters of a text that the list shows. */
const shown = 200;

/** How long is remembered that a draft has ended: browsers that were away for longer ask the member. */
const endedDays = 90;

/** The viewer's drafts, the latest first. */
export async function readDrafts(db: Reader, viewer: Viewer): Promise<DraftSummary[]> {
  const rows = await draftsOf(db, { memberId: viewer.id, limit: 2 * shown });
  return rows.map(toSummary);
}

/** What is known of a place, also where nothing is. */
export async function readDraft(
  db: Reader,
  { viewer, place }: { viewer: Viewer; place: string },
): Promise<DraftState> {
  return toState(place, await draftAt(db, { memberId: viewer.id, place }));
}

/**
 * Keeps what a member has typed. Where another browser wrote meanwhile nothing changes, and both texts stay.
 * @returns the draft as it is now: a newer step of the same browser stays where this one was overtaken.
 * @throws ProblemError 'draft-changed' with the other draft, 'draft-posted' when this very text was posted,
 * 'too-large'.
 */
export async function saveDraft(
  db: Database,
  { viewer, place, draft }: { viewer: Viewer; place: string; draft: DraftWrite },
): Promise<DraftState> {
  if (Buffer.byteLength(JSON.stringify(draft.fields)) > maxDraftBytes)
    throw new ProblemError('too-large', 'The draft is too long to be kept on the server.');
  const memberId = viewer.id;
  return transaction(db, async (tx) => {
    const row = await lockDraft(tx, { memberId, place, key: draft.key });
    const outcome = judge(row, draft);
    if (outcome === 'kept') return toState(place, row);
    if (outcome === 'posted')
      throw new ProblemError('draft-posted', 'This text has been posted already.', {
        extension: { draft: toState(place, row) },
      });
    if (outcome === 'changed')
      throw new ProblemError('draft-changed', 'This draft was changed on another device meanwhile.', {
        extension: { draft: toState(place, row) },
      });
    const { key, fields, writer, step } = draft;
    const written = await writeDraft(tx, { memberId, place, key, fields, writer, step });
    if (row.fields === null) await pruned([memberId]).execute(tx);
    await publishAll(tx, [
      changed(memberId, { place, version: written.version, ended: written.ended, writer }),
    ]);
    return toState(place, written);
  });
}

/**
 * Throws a draft away; where there is none nothing happens.
 * @param basedOn the version the member saw; undefined for whichever it is.
 * @throws ProblemError 'draft-changed' where it is another one by now
 */
export async function discardDraft(
  db: Database,
  { viewer, place, basedOn }: { viewer: Viewer; place: string; basedOn: number | undefined },
): Promise<void> {
  const memberId = viewer.id;
  await transaction(db, async (tx) => {
    const row = await lockKnownDraft(tx, { memberId, place });
    if (row === undefined || row.fields === null) return;
    if (basedOn !== undefined && basedOn !== row.version)
      throw new ProblemError('draft-changed', 'This draft was changed on another device meanwhile.', {
        extension: { draft: toState(place, row) },
      });
    const version = await endLockedDraft(tx, { memberId, place, key: row.idempotency_key, postedHash: null });
    await publishAll(tx, [changed(memberId, { place, version, ended: 'discarded', writer: null })]);
  });
}

/**
 * In the transaction that posts a text: ends the draft it was written as, wherever it was written. A draft at the same
 * place that holds something else stays. Returns what the member's browsers are to be told.
 * @param posting `key` names the draft (undefined: whichever has the same text).
 */
export async function endDraft(tx: Tx, posting: EndedDraft): Promise<StreamedEvent[]> {
  const { memberId, place, key, text } = posting;
  const row =
    key === undefined
      ? await lockKnownDraft(tx, { memberId, place })
      : await lockDraft(tx, { memberId, place, key });
  if (row === undefined) return [];
  const postedHash = hashOf(text);
  if (!isDraftOf(row, { key, postedHash })) return [];
  const version = await endLockedDraft(tx, { memberId, place, key: key ?? row.idempotency_key, postedHash });
  if (row.fields === null) await pruned([memberId]).execute(tx);
  return [changed(memberId, { place, version, ended: 'posted', writer: null })];
}

export type { KnownDraft };

/** Locks the drafts there are of these texts, for `endingOf`. */
export const knownDrafts = (postings: readonly EndedDraft[]) =>
  postings.length === 0 ? [] : [lockedDrafts(postings)];

/**
 * The same as `endDraft` for several texts, in two parts: statements to be run with others, in any order, and what
 * follows from the rows of `ended` and `noted`.
 * @param known what `knownDrafts` found.
 */
export function endingOf(postings: readonly EndedDraft[], known: readonly KnownDraft[]) {
  const nameOf = ({ memberId, place }: Place) => `${memberId} ${place}`;
  const rows = new Map<string, Pick<KnownDraft, 'idempotency_key' | 'fields'>>(
    known.map((row) => [nameOf(row), row]),
  );
  const ended = new Map<string, EndedText>();
  const fresh = new Map<string, EndedText>();
  for (const { memberId, place, key, text } of postings) {
    const name = nameOf({ memberId, place });
    const row = rows.get(name);
    const postedHash = hashOf(text);
    if (row === undefined) {
      if (key !== undefined) fresh.set(name, { memberId, place, key, postedHash });
    } else if (isDraftOf(row, { key, postedHash })) {
      ended.set(name, { memberId, place, key: key ?? row.idempotency_key, postedHash });
      rows.set(name, { idempotency_key: key ?? row.idempotency_key, fields: null });
    }
  }
  const added = [...fresh.values()];
  const remembered = [...added, ...ended.values()].map(({ memberId }) => memberId);
  return {
    ended: ended.size === 0 ? [] : [lockedDraftsEnded([...ended.values()])],
    noted: added.length === 0 ? [] : [insertPosted(added)],
    pruned: remembered.length === 0 ? [] : [pruned([...new Set(remembered)])],
    /** Returns what the members' browsers are to be told. */
    async tell(tx: Tx, written: readonly NotedDraft[]): Promise<StreamedEvent[]> {
      const told = written.map(({ memberId, place, version }) =>
        changed(memberId, { place, version, ended: 'posted', writer: null }),
      );
      // Drafts that began to be kept in between.
      const done = new Set(written.map(nameOf));
      const met = postings.filter((posting) => fresh.has(nameOf(posting)) && !done.has(nameOf(posting)));
      for (const posting of met) told.push(...(await endDraft(tx, posting)));
      return told;
    },
  };
}

/** Whether what was posted is what a draft holds, or held. */
function isDraftOf(
  { idempotency_key: key, fields }: Pick<DraftRow, 'idempotency_key' | 'fields'>,
  posted: { key: string | undefined; postedHash: Buffer },
): boolean {
  if (fields === null) return posted.key !== undefined;
  return posted.key === key || isText(fields, posted.postedHash);
}

const pruned = (memberIds: readonly number[]) =>
  draftsPruned({ memberIds, most: maxDrafts, days: endedDays });

/** What of a post its draft is compared with; a reply and an answer have no title. */
type EndedDraft = { memberId: number; place: string; key: string | undefined; text: Text };

type Text = { title?: string | null; content?: string | null };

function judge(row: DraftRow, draft: DraftWrite): 'new' | 'kept' | 'changed' | 'posted' {
  if (row.fields === null) {
    const posted =
      row.posted_hash !== null && row.idempotency_key === draft.key && isText(draft.fields, row.posted_hash);
    return posted ? 'posted' : 'new';
  }
  if (draft.basedOn === row.version) return 'new';
  // The browser repeats, or goes on from, what it sent before, without having heard the answer.
  if (row.client_id === draft.writer) return draft.step > (row.sequence ?? 0) ? 'new' : 'kept';
  return row.idempotency_key === draft.key && isSame(row.fields, draft.fields) ? 'kept' : 'changed';
}

function isSame(one: DraftFields, other: DraftFields): boolean {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every((name) => one[name] === other[name]);
}

const isText = (fields: DraftFields, hash: Buffer) =>
  hashOf({ title: fields['title'] ?? null, content: fields['content'] ?? null }).equals(hash);

function hashOf({ title, content }: Text): Buffer {
  const text = [title?.trim() ?? '', content?.trim() ?? ''];
  return createHash('sha256').update(JSON.stringify(text)).digest();
}

type Changed = { place: string; version: number; ended: DraftEnd | null; writer: string | null };

function changed(memberId: number, { place, version, ended, writer }: Changed): StreamedEvent {
  return {
    topic: `member:${memberId}`,
    event: { kind: 'draft-changed', place, version, ended, writer },
  };
}

function toState(place: string, row: DraftRow | undefined): DraftState {
  return {
    place,
    version: row?.version ?? null,
    key: row?.idempotency_key ?? null,
    fields: row?.fields ?? null,
    ended: row?.ended ?? null,
    writer: row?.client_id ?? null,
    step: row?.sequence ?? null,
    updatedAt: row?.updated_at.toISOString() ?? null,
  };
}

function toSummary(row: DraftListRow): DraftSummary {
  const { question_id: id, question_title: title } = row;
  return {
    place: row.target,
    version: row.version,
    updatedAt: row.updated_at.toISOString(),
    title: row.title,
    beginning: truncate(row.content, shown),
    question: id === null || title === null ? null : { id, title },
  };
}
