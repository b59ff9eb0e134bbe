import type { CachedPage } from './response-cache-page.ts';

/** A member who has values of their own on a page. */
export type Participant = {
  memberId: number;
  /** The time in the last slot in milliseconds, if that is the member's only value. Null if there are more. */
  time: number | null;
};

/** The largest id that fits a Uint32Array. */
const maxId = 2 ** 32 - 1;

/** The maximum number of members who change something while a page is cached. */
const maxChanged = 10_000;

/** Shared by the many pages without participants. */
const noParticipants = [new Uint32Array(0), new Float64Array(0)] as const;

/** The memory of one participant, and of an empty list, in bytes. */
const participantBytes = 12;
const baseBytes = 800;

/**
 * The participants of a page. All other members see the default values, without a database query. Members who do
 * something on the page later become participants.
 */
export class PageParticipants {
  /** The identity of the page. */
  readonly identity: CachedPage['identity'];
  /** Sorted ascending. */
  #ids: Uint32Array | undefined;
  #times: Float64Array | undefined;
  /** Members who have changed something since the list was requested. */
  #changed: Set<number> | undefined;
  #isRead = false;

  constructor(identity: CachedPage['identity']) {
    this.identity = identity;
  }

  /** The approximate memory in bytes. */
  get bytes(): number {
    return baseBytes + (this.#ids?.length ?? 0) * participantBytes;
  }

  /** Also true if there were too many participants. Then each member is looked up in the database. */
  get isLoaded(): boolean {
    return this.#isRead;
  }

  /** Stores the list read after this object was created, with each member once. Null: there are too many. */
  load(participants: readonly Participant[] | null): void {
    this.#isRead = true;
    if (participants === null) return;
    const sorted = participants.toSorted((a, b) => a.memberId - b.memberId);
    if ((sorted.at(-1)?.memberId ?? 0) > maxId) return;
    if (sorted.length === 0) {
      [this.#ids, this.#times] = noParticipants;
      return;
    }
    this.#ids = Uint32Array.from(sorted, ({ memberId }) => memberId);
    this.#times = Float64Array.from(sorted, ({ time }) => time ?? Number.NaN);
  }

  /** Records that a member's values have changed. */
  markChanged(memberId: number): void {
    this.#changed ??= new Set();
    if (this.#changed.size < maxChanged) this.#changed.add(memberId);
    // Too many changes. From now on, each member is looked up in the database.
    else this.#ids = undefined;
  }

  /**
   * The values of a member: null for none, or the time in the last slot (milliseconds) if that is the only one.
   * Undefined if they must be read from the database.
   */
  find(memberId: number): number | null | undefined {
    if (this.#ids === undefined || this.#changed?.has(memberId) === true) return undefined;
    const at = indexOf(this.#ids, memberId);
    if (at === -1) return null;
    const time = this.#times?.[at] ?? Number.NaN;
    return Number.isNaN(time) ? undefined : time;
  }
}

function indexOf(ascending: Uint32Array, wanted: number): number {
  let [from, to] = [0, ascending.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((ascending[middle] ?? 0) < wanted) from = middle + 1;
    else to = middle;
  }
  return ascending[from] === wanted ? from : -1;
}
