import type { DraftEnd, DraftState } from '#shared/drafts.ts';
import { madeByHeader } from '#shared/waiting.ts';
import { api, newIdempotencyKey, read } from './api.ts';
import { browserName, type DraftAt, type DraftRecord } from './draft-store.ts';
import { ApiError } from './errors.ts';

/** A request without an answer by then has none. */
const patienceMs = 20_000;

/** Browsers refuse requests that outlive their page beyond 64 KB. */
const keepaliveMax = 60_000;

/** This browser as the server knows it. */
export const thisBrowser = () => browserName(newIdempotencyKey);

/** @param leaving the page is about to go: the request outlives it, where it is small enough. */
export async function putDraft(at: DraftAt, record: DraftRecord, leaving: boolean): Promise<DraftState> {
  const { key, ...fields } = record.fields ?? {};
  if (key == null) throw new Error('The draft has no key.');
  const json = { key, fields, basedOn: record.base, writer: thisBrowser(), step: record.step };
  const keepalive = leaving && JSON.stringify(json).length * 3 < keepaliveMax;
  const request = api.drafts[':place'].$put({ param: { place: at.place }, json }, sending(at, { keepalive }));
  const saved = await read(request);
  noteVersion(at, saved);
  return saved;
}

export async function readDraft(at: DraftAt): Promise<DraftState> {
  const draft = await read(api.drafts[':place'].$get({ param: { place: at.place } }, sending(at)));
  noteVersion(at, draft);
  return draft;
}

/** Returns the draft that is there instead of the version that was meant; null when there is none any more. */
export async function removeDraft(at: DraftAt, version: number | null): Promise<DraftState | null> {
  const query = version === null ? {} : { basedOn: String(version) };
  try {
    await read(api.drafts[':place'].$delete({ param: { place: at.place }, query }, sending(at)));
    return null;
  } catch (error) {
    const other = error instanceof ApiError ? draftOf(error) : null;
    if (other === null) throw error;
    return other;
  }
}

/** The other draft that a refusal tells of; null where it tells of none. */
export function draftOf(error: ApiError): DraftState | null {
  const { draft } = error.body;
  // As the API describes it: the server's own answers are not checked again. A proxy's has none.
  return typeof draft === 'object' && draft !== null && 'version' in draft ? (draft as DraftState) : null;
}

/** The versions of all the member's drafts on the server, asked for once and then kept right by what is heard. */
const versions = new Map<number, Promise<Map<string, number>>>();

export function draftVersions(memberId: number): Promise<Map<string, number>> {
  const known = versions.get(memberId);
  if (known !== undefined) return known;
  const asked = read(api.drafts.$get({}, sending({ memberId }))).then(
    ({ items }) => new Map(items.map(({ place, version }) => [place, version])),
  );
  versions.set(memberId, asked);
  asked.catch(() => versions.delete(memberId));
  return asked;
}

/** What was heard of a place. */
export function noteNews(memberId: number, news: { place: string; version: number; ended: DraftEnd | null }) {
  keepVersion(memberId, news.place, news.ended === null ? news.version : null);
}

/** They are asked for anew when they are needed next. */
export function forgetVersions(memberId: number): void {
  versions.delete(memberId);
}

/** What an answer tells of a place. */
function noteVersion({ memberId, place }: DraftAt, { fields, version }: DraftState): void {
  keepVersion(memberId, place, fields === null ? null : version);
}

function keepVersion(memberId: number, place: string, version: number | null): void {
  void versions
    .get(memberId)
    ?.then((known) =>
      version === null ? known.delete(place) : known.set(place, Math.max(version, known.get(place) ?? 0)),
    )
    .catch(() => {});
}

function sending({ memberId }: { memberId: number }, init: { keepalive?: boolean } = {}) {
  return {
    headers: { [madeByHeader]: String(memberId) },
    init: { ...init, signal: AbortSignal.timeout(patienceMs) },
  };
}
