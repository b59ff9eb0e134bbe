import type { DraftEnd } from '#shared/core/events.ts';
import type { DraftState } from '#shared/posts/drafts.ts';
import { madeByHeader } from '#shared/core/protocol.ts';
import { api, createIdempotencyKey, readJson } from '#web/core/api.ts';
import { type DraftRecord, type DraftRef, getOrCreateBrowserId } from './drafts-storage.ts';
import { ApiError } from '#web/core/errors.ts';

/** A request without an answer by then has none. */
const requestTimeoutMs = 20_000;

/** Browsers refuse requests that outlive their page beyond 64 KB. */
const maxKeepaliveBytes = 60_000;

/** This browser as the server knows it. */
export const getBrowserId = () => getOrCreateBrowserId(createIdempotencyKey);

/** @param isLeavingPage the page is about to go: the request outlives it, where it is small enough. */
export async function putDraft(
  at: DraftRef,
  record: DraftRecord,
  isLeavingPage: boolean,
): Promise<DraftState> {
  const { key, ...fields } = record.fields ?? {};
  if (key == null) throw new Error('The draft has no key.');
  const json = { key, fields, basedOn: record.baseVersion, clientId: getBrowserId(), sequence: record.step };
  const keepalive = isLeavingPage && JSON.stringify(json).length * 3 < maxKeepaliveBytes;
  const request = api.drafts[':target'].$put(
    { param: { target: at.target }, json },
    requestOptions(at, { keepalive }),
  );
  const saved = await readJson(request);
  recordVersionOf(at, saved);
  return saved;
}

export async function fetchDraft(at: DraftRef): Promise<DraftState> {
  const draft = await readJson(
    api.drafts[':target'].$get({ param: { target: at.target } }, requestOptions(at)),
  );
  recordVersionOf(at, draft);
  return draft;
}

/** Returns the draft that is there instead of the version that was meant; null when there is none any more. */
export async function deleteDraft(at: DraftRef, version: number | null): Promise<DraftState | null> {
  const query = version === null ? {} : { basedOn: String(version) };
  try {
    await readJson(
      api.drafts[':target'].$delete({ param: { target: at.target }, query }, requestOptions(at)),
    );
    return null;
  } catch (error) {
    const other = error instanceof ApiError ? getConflictingDraft(error) : null;
    if (other === null) throw error;
    return other;
  }
}

/** The other draft that a refusal tells of; null where it tells of none. */
export function getConflictingDraft(error: ApiError): DraftState | null {
  const { draft } = error.body;
  // As the API describes it: the server's own answers are not checked again. A proxy's has none.
  return typeof draft === 'object' && draft !== null && 'version' in draft ? (draft as DraftState) : null;
}

/** The versions of all the member's drafts on the server, asked for once and then kept right by what is heard. */
const versions = new Map<number, Promise<Map<string, number>>>();

export function fetchDraftVersions(memberId: number): Promise<Map<string, number>> {
  const cached = versions.get(memberId);
  if (cached !== undefined) return cached;
  const pending = readJson(api.drafts.$get({}, requestOptions({ memberId }))).then(
    ({ items }) => new Map(items.map(({ target, version }) => [target, version])),
  );
  versions.set(memberId, pending);
  pending.catch(() => versions.delete(memberId));
  return pending;
}

/** What was heard of a target. */
export function recordDraftEvent(
  memberId: number,
  event: { target: string; version: number; ended: DraftEnd | null },
) {
  setVersion(memberId, event.target, event.ended === null ? event.version : null);
}

/** They are asked for anew when they are needed next. */
export function clearDraftVersions(memberId: number): void {
  versions.delete(memberId);
}

/** What an answer tells of a target. */
function recordVersionOf({ memberId, target }: DraftRef, { fields, version }: DraftState): void {
  setVersion(memberId, target, fields === null ? null : version);
}

function setVersion(memberId: number, target: string, version: number | null): void {
  void versions
    .get(memberId)
    ?.then((known) =>
      version === null ? known.delete(target) : known.set(target, Math.max(version, known.get(target) ?? 0)),
    )
    .catch(() => {});
}

function requestOptions({ memberId }: { memberId: number }, init: { keepalive?: boolean } = {}) {
  return {
    headers: { [madeByHeader]: String(memberId) },
    init: { ...init, signal: AbortSignal.timeout(requestTimeoutMs) },
  };
}
