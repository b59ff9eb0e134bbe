import type { CachedPage } from './response-cache-page.ts';

/** A member who has something of their own on a page. */
export type Participant = {
  memberId: number;
  /** The time in the last slot, in milliseconds, where that is all they have; null where there is more. */
  time: number | null;
};

/** What fits the numbers they are kept as. */
const maxId = 2 ** 32 - 1;

/** Of a page that is kept for minutes, so many may do something. */
const maxChanged = 10_000;

/** Of the many pages that nobody has anything on. */
const noParticipants = [new Uint32Array(0), new Float64Array(0)] as const;

/** Bytes that each of them takes, and those of all together without any. */
const participantBytes = 12;
const baseBytes = 800;

/**
 * The members who have anything of their own on a page: to all others it is as to nobody, without a question to the
 * database. Whoever does something there later is one of them as well.
 */
export class PageParticipants {
  /** The page's. */
  readonly identity: CachedPage['identity'];
  /** Ascending. */
  #ids: Uint32Array | undefined;
  #times: Float64Array | undefined;
  /** Those who have done something since the reading began. */
  #changed: Set<number> | undefined;
  #isRead = false;

  constructor(identity: CachedPage['identity']) {
    this.identity = identity;
  }

  /** Bytes it takes, about. */
  get bytes(): number {
    return baseBytes + (this.#ids?.length ?? 0) * participantBytes;
  }

  /** Also where there were too many of them: then the database is asked for each. */
  get isLoaded(): boolean {
    return this.#isRead;
  }

  /** Takes what was read after this was made, each member once; null: there are too many. */
  load(regulars: readonly Participant[] | null): void {
    this.#isRead = true;
    if (regulars === null) return;
    const sorted = regulars.toSorted((a, b) => a.memberId - b.memberId);
    if ((sorted.at(-1)?.memberId ?? 0) > maxId) return;
    if (sorted.length === 0) {
      [this.#ids, this.#times] = noParticipants;
      return;
    }
    this.#ids = Uint32Array.from(sorted, ({ memberId }) => memberId);
    this.#times = Float64Array.from(sorted, ({ time }) => time ?? Number.NaN);
  }

  /** A member did something, and has more or less of their own now. */
  markChanged(memberId: number): void {
    this.#changed ??= new Set();
    if (this.#changed.size < maxChanged) this.#changed.add(memberId);
    // From now on, the database is asked for each.
    else this.#ids = undefined;
  }

  /**
   * What a member has of their own: null for nothing, the time in the last slot (milliseconds) for that alone; undefined
   * where only the database knows.
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
