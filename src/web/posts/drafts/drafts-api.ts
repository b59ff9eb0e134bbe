import type { DraftEnd } from '#shared/core/events.ts';
import type { DraftState } from '#shared/posts/drafts.ts';
import { api, createIdempotencyKey, getMemberHeader, readJson } from '#web/core/api.ts';
import { draftRequestTimeoutMs } from './drafts-merge.ts';
import type { DraftRecord, DraftRef } from './drafts-storage.ts';
import { ApiError } from '#web/core/errors.ts';

/** Browsers refuse `keepalive` requests above 64 KB. */
const maxKeepaliveBytes = 60_000;

const browserKey = 'parley.browser';
let browserId: string | undefined;

/** The id of this browser, which lets the server recognize its own changes. */
export function getBrowserId(): string {
  browserId ??= readBrowserId();
  if (browserId !== undefined && /^[\w-]{8,100}$/u.test(browserId)) return browserId;
  browserId = createIdempotencyKey();
  try {
    localStorage.setItem(browserKey, browserId);
  } catch {
    // The id then lasts until the page is left, like everything stored there.
  }
  return browserId;
}

function readBrowserId(): string | undefined {
  try {
    return localStorage.getItem(browserKey) ?? undefined;
  } catch {
    return undefined;
  }
}

/** @param isLeavingPage whether the page is being closed: the request then outlives it if it is small enough. */
export async function putDraft(
  draftRef: DraftRef,
  record: DraftRecord,
  isLeavingPage: boolean,
): Promise<DraftState> {
  const { key, ...fields } = record.fields ?? {};
  if (key == null) throw new Error('The draft has no key.');
  const json = { key, fields, basedOn: record.baseVersion, clientId: getBrowserId(), sequence: record.step };
  const keepalive = isLeavingPage && JSON.stringify(json).length * 3 < maxKeepaliveBytes;
  const request = api.drafts[':target'].$put(
    { param: { target: draftRef.target }, json },
    requestOptions(draftRef, { keepalive }),
  );
  const saved = await readJson(request);
  recordVersionOf(draftRef, saved);
  return saved;
}

export async function fetchDraft(draftRef: DraftRef): Promise<DraftState> {
  const draft = await readJson(
    api.drafts[':target'].$get({ param: { target: draftRef.target } }, requestOptions(draftRef)),
  );
  recordVersionOf(draftRef, draft);
  return draft;
}

/** Deletes a version of a draft. Returns the draft that exists instead of that version; null if there is none. */
export async function deleteDraft(draftRef: DraftRef, version: number | null): Promise<DraftState | null> {
  const query = version === null ? {} : { basedOn: String(version) };
  try {
    await readJson(
      api.drafts[':target'].$delete({ param: { target: draftRef.target }, query }, requestOptions(draftRef)),
    );
    return null;
  } catch (error) {
    const other = error instanceof ApiError ? getConflictingDraft(error) : null;
    if (other === null) throw error;
    return other;
  }
}

/** The conflicting draft in an error response; null if it has none. */
export function getConflictingDraft(error: ApiError): DraftState | null {
  const { draft } = error.body;
  // The server's responses follow the API's types and are not validated again. A response of a proxy has no draft.
  return typeof draft === 'object' && draft !== null && 'version' in draft ? (draft as DraftState) : null;
}

/** The versions of all the member's drafts on the server, fetched once and then updated by events. */
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

/** Updates the known version of a target from an event. */
export function recordDraftEvent(
  memberId: number,
  event: { target: string; version: number; ended: DraftEnd | null },
) {
  setVersion(memberId, event.target, event.ended === null ? event.version : null);
}

/** Drops the versions, so that they are fetched again when they are needed. */
export function clearDraftVersions(memberId: number): void {
  versions.delete(memberId);
}

/** Updates the known version of a target from a response. */
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
    headers: getMemberHeader(memberId),
    init: { ...init, signal: AbortSignal.timeout(draftRequestTimeoutMs) },
  };
}
