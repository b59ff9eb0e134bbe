import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '#server/platform/database.ts';
import { all, any } from './conditions.ts';

type Sql = RawBuilder<unknown>;

/** What of `post` is found in one place of the results. */
export type Place = {
  /** Conditions that the indexes of search answer. */
  keys: Sql;
  /** Conditions that they cannot answer: each post that they lead to is compared letter by letter. */
  compared: readonly Sql[];
};

export type Among = {
  table: 'question' | 'answer';
  /** What else has to hold of `post`. */
  conditions: readonly Sql[];
  /** An index leads to what `conditions` ask for: all is looked at together. */
  narrowed: boolean;
};

export type Found = { id: number; upvotes: number };

/**
 * The best known posts, the known ones, all (`tier`, migration 0014). A frequent word has enough of the first few
 * thousand, and one that has not is so rare that all its posts can be looked at: at each level, few rows are read.
 */
const levels = [sql`post.tier = 0`, sql`post.tier <= 1`, sql`true`] as const;
const everything = levels.length - 1;

/** Of all posts that an index leads to, so many are looked at: where letters are compared, and where not. */
const lookedAt = { compared: 800, sorted: 10_000 } as const;

/**
 * The ids of the first `wanted` posts: place by place in the order given, or all `together`; in a place, those with more
 * upvotes first, then the newer. Less known posts are looked at only where the better known are not enough.
 */
export async function bestOf(
  db: Reader,
  places: readonly Place[],
  { wanted, together = false, ...among }: Among & { wanted: number; together?: boolean },
): Promise<number[]> {
  // A place may find again what was found before it: fewer than `wanted`.
  const limit = 2 * wanted;
  const found = new Map<Place, Found[]>(places.map((place) => [place, []]));
  for (let level = among.narrowed ? everything : 0; ; level++) {
    const isWhole = (place: Place) => level >= everything || (found.get(place)?.length ?? 0) >= limit;
    const pending = level === 0 ? places : places.filter((place) => !isWholeBefore(found, place, limit));
    const rows = await lookAt(db, pending, { ...among, level, limit });
    for (const [index, place] of pending.entries())
      found.set(
        place,
        rows.filter((row) => row.place === index),
      );
    const first = together ? bestTogether(found) : inPlaces(places, found, { isWhole, wanted });
    if (level >= everything || first.length >= wanted || places.every(isWhole)) return first.slice(0, wanted);
    // What nothing of the best known has is rare.
    if (level === 0 && rows.length === 0) level++;
  }
}

/** How many posts are in one of the places, counted up to `most`. */
export async function countOf(
  db: Reader,
  places: readonly Place[],
  { most, ...among }: Among & { most: number },
): Promise<number> {
  const countAt = async (level: number, some: readonly Place[]) => {
    if (some.length === 0) return 0;
    const parts = some.map((place) => sql`(${postsAt(place, { ...among, level })} limit ${sql.lit(most)})`);
    const { rows } = await sql<{ count: number }>`
      select count(*) from (select id from (${sql.join(parts, sql` union `)}) post limit ${sql.lit(most)}) counted
    `.execute(db);
    return rows[0]?.count ?? 0;
  };
  // Comparing letters costs most; where there is enough without, it is not begun.
  const decided = places.filter(({ compared }) => compared.length === 0);
  if (!among.narrowed && (await countAt(1, decided)) >= most) return most;
  const count = await countAt(everything, decided);
  return count >= most || decided.length === places.length ? count : countAt(everything, places);
}

/** Whether so many of the best known posts are in one of the places that a post in fifty is likely to be. */
export async function isFrequent(db: Reader, places: readonly Place[], among: Among): Promise<boolean> {
  const many = among.table === 'question' ? 40 : 100;
  const keys = any(places.map((place) => place.keys));
  const { rows } = await sql<{ count: number }>`
    select count(*) from (
      select 1 from ${sql.table(among.table)} post where ${all([levels[0], keys])} limit ${sql.lit(many)}
    ) counted`.execute(db);
  return (rows[0]?.count ?? 0) >= many;
}

const newest = sql`created_at desc, id desc`;

/** The ids of the newest posts that are in one of the places. */
export async function newestOf(
  db: Reader,
  places: readonly Place[],
  { wanted, ...among }: Among & { wanted: number },
): Promise<number[]> {
  // Of a part of them, the newest would be of the oldest.
  const whole = { ...among, narrowed: true, level: everything };
  const parts = places.map((place) => sql`(${postsAt(place, whole)})`);
  const { rows } = await sql<{ id: number }>`
    select id from (${sql.join(parts, sql` union `)}) post order by ${newest} limit ${sql.lit(wanted)}`.execute(
    db,
  );
  return rows.map(({ id }) => id);
}

/** Of the newest posts, so many are looked at for what many have. */
const newestLookedAt = sql.lit(5_000);

/** The ids of those that meet a condition among the newest few thousand posts. */
export async function amongNewest(
  db: Reader,
  matches: Sql,
  { table, conditions, wanted }: Among & { wanted: number },
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from (select * from ${sql.table(table)} order by ${newest} limit ${newestLookedAt}) post
    where ${all([matches, ...conditions])} order by ${newest} limit ${sql.lit(wanted)}`.execute(db);
  return rows.map(({ id }) => id);
}

type FoundAt = Found & { place: number };

async function lookAt(
  db: Reader,
  places: readonly Place[],
  { limit, ...at }: Among & { level: number; limit: number },
): Promise<FoundAt[]> {
  if (places.length === 0) return [];
  // By an expression, so that the index of upvotes is not gone through instead of those of words.
  const parts = places.map(
    (place, index) => sql`
      (select id, upvotes, ${sql.lit(index)} as place from (${postsAt(place, at)}) post
      order by upvotes + 0 desc, id desc limit ${sql.lit(limit)})`,
  );
  const { rows } = await sql<FoundAt>`${sql.join(parts, sql` union all `)}`.execute(db);
  return rows;
}

function postsAt(
  { keys, compared }: Place,
  { table, conditions, narrowed, level }: Among & { level: number },
): Sql {
  const within = levels[level] ?? sql`true`;
  const rest = [...conditions, ...compared];
  if (narrowed)
    return sql`select post.id, post.upvotes, post.created_at from ${sql.table(table)} post where ${all([keys, ...rest])}`;
  const most = compared.length > 0 ? lookedAt.compared : lookedAt.sorted;
  // The limit stands inside: so many are looked at, whether or not they are what is asked for.
  return sql`
    select post.id, post.upvotes, post.created_at from (
      select * from ${sql.table(table)} post where ${all([within, keys])} limit ${sql.lit(most)}
    ) post where ${all(rest)}`;
}

function isWholeBefore(found: ReadonlyMap<Place, Found[]>, place: Place, limit: number): boolean {
  return (found.get(place)?.length ?? 0) >= limit;
}

/** Up to the first place of which the less known posts may be more than are known of yet. */
function inPlaces(
  places: readonly Place[],
  found: ReadonlyMap<Place, Found[]>,
  { isWhole, wanted }: { isWhole: (place: Place) => boolean; wanted: number },
): number[] {
  const ids = new Set<number>();
  for (const place of places) {
    for (const { id } of found.get(place) ?? []) ids.add(id);
    if (ids.size >= wanted || !isWhole(place)) break;
  }
  return [...ids];
}

function bestTogether(found: ReadonlyMap<Place, Found[]>): number[] {
  const rows = [...found.values()].flat().toSorted((a, b) => b.upvotes - a.upvotes || b.id - a.id);
  return [...new Set(rows.map(({ id }) => id))];
}
