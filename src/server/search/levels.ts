import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '#server/platform/database.ts';
import { plannedOnce } from '#server/platform/prepared.ts';
import { all, any } from './conditions.ts';
import { vocabularyOf } from './often.ts';

type Sql = RawBuilder<unknown>;

/** What of `post` is found in one place of the results. */
export type Place = {
  /** Conditions that the indexes of search answer. */
  keys: Sql;
  /** The same where all posts are looked at, without what would lead to too many of them. */
  keysOfAll?: Sql;
  /** What is found here is found in another place as well, so that it need not be counted. */
  isWithin?: boolean;
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
 * The best known posts, the known ones, all (`popularity`, schema section Posts). A frequent word has enough of the first few
 * thousand, and one that has not is so rare that all its posts can be looked at: at each level, few rows are read.
 */
const levels = [sql`post.popularity = 0`, sql`post.popularity <= 1`, sql`true`] as const;
const [best, known, everything] = [0, 1, 2] as const;

/** Of all posts that an index leads to, so many are looked at: where letters are compared, and where not. */
const lookedAt = { compared: 800, sorted: 10_000 } as const;

/** To count them, so many of the known posts are compared in communities with many more. */
const comparedToCount = 200;

/** The levels that a community is large enough for, from the first to all posts. */
async function levelsOf(db: Reader, { table, narrowed }: Among): Promise<number[]> {
  if (narrowed) return [everything];
  const { tiers } = await vocabularyOf(db);
  return [...(tiers[table].best ? [best] : []), ...(tiers[table].known ? [known] : []), everything];
}

/** The ids of the first posts; how many there are, where all were found. */
export type Best = { ids: number[]; all: number | null };

/**
 * The first `wanted` posts: place by place in the order given, or all `together`; in a place, those with more
 * upvotes first, then the newer. Less known posts are looked at only where the better known are not enough.
 */
export async function bestOf(
  db: Reader,
  places: readonly Place[],
  { wanted, together = false, ...among }: Among & { wanted: number; together?: boolean },
): Promise<Best> {
  // A place may find again what was found before it: fewer than `wanted`.
  const limit = 2 * wanted;
  const found = places.map((): LookedAt => ({ posts: [], isWhole: false, isAll: false }));
  let [level = everything, ...further] = await levelsOf(db, among);
  for (;;) {
    const rows = await lookAt(db, places, {
      ...among,
      level,
      limit,
      pending: found.map(({ isWhole }) => !isWhole),
    });
    for (const [index, row] of rows) found[index] = row;
    const first = together ? bestTogether(found) : inPlaces(found, wanted);
    const next = further.shift();
    if (next === undefined || first.length >= wanted || found.every(({ isWhole }) => isWhole)) {
      const all = new Set(found.flatMap(({ posts }) => posts.map(({ id }) => id))).size;
      return { ids: first.slice(0, wanted), all: found.every(({ isAll }) => isAll) ? all : null };
    }
    // What nothing of the best known has is rare.
    level = found.every(({ posts }) => posts.length === 0) ? everything : next;
    if (level === everything) further = [];
  }
}

/** How many posts are in one of the places, counted up to `most`. */
export async function countOf(
  db: Reader,
  places: readonly Place[],
  { most, ...among }: Among & { most: number },
): Promise<number> {
  const decided = places.filter(({ compared }) => compared.length === 0);
  const compared = places.filter(
    ({ compared: letters, isWithin }) => letters.length > 0 && isWithin !== true,
  );
  const at = (level: number): Sql => {
    const keys = any(decided.map((place) => keysAt(place, level)));
    const posts = postsAt({ keys, compared: [] }, { ...among, level });
    return sql`select id from (${decided.length > 0 ? posts : sql`select 0 as id limit 0`}) post limit ${sql.lit(most)}`;
  };
  const isLarge = (await levelsOf(db, among)).includes(known);
  const [level, mostCompared] =
    isLarge && decided.length > 0 ? [known, comparedToCount] : [everything, lookedAt.compared];
  const others = compared.map(
    (place) => sql`(${inPlace(place, { ...among, level, without: sql`more`, mostCompared })})`,
  );
  // Comparing letters costs most, and all posts more than the known ones: each is begun where it is needed.
  const { rows } = await sql<{ count: number }>`
    ${plannedOnceOf(among)}with few as materialized (select count(*) as posts from (${isLarge && decided.length > 0 ? at(known) : sql`select 1 limit 0`}) few),
    more as materialized (${at(everything)}),
    others as materialized (
      select count(*) as posts from (
        select id from (${others.length > 0 ? sql.join(others, sql` union `) : sql`select 0 as id limit 0`}) post limit ${sql.lit(most)}
      ) others
    )
    select case when few.posts >= ${sql.lit(most)} then few.posts else (
      select case when count(*) >= ${sql.lit(most)} then count(*) else
        least(${sql.lit(most)}, count(*) + (select posts from others))
      end from more
    ) end as count from few`.execute(db);
  return rows[0]?.count ?? 0;
}

const plannedOnceOf = (among: Among): Sql => (isPlannedOnce(among) ? plannedOnce : sql``);

/** Whether one plan is good for all words: conditions beside them have values that plans should be made for. */
export const isPlannedOnce = ({ conditions, narrowed }: Omit<Among, 'table'>): boolean =>
  conditions.length === 0 && !narrowed;

/** Whether so many of the best known posts are in one of the places that a post in fifty is likely to be. */
export async function isFrequent(db: Reader, places: readonly Place[], among: Among): Promise<boolean> {
  const many = among.table === 'question' ? 40 : 100;
  const keys = any(places.map((place) => place.keys));
  const { rows } = await sql<{ count: number }>`
    ${plannedOnceOf(among)}select count(*) from (
      select 1 from ${sql.table(among.table)} post where ${all([levels[best], keys])} limit ${sql.lit(many)}
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
  const parts = places.map((place) => sql`(${inPlace(place, whole)})`);
  const { rows } = await sql<{ id: number }>`
    ${plannedOnceOf(among)}select id from (${sql.join(parts, sql` union `)}) post order by ${newest} limit ${sql.lit(wanted)}`.execute(
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

/** The best posts of a place; whether it has no more, or so many that those less known are not worth looking at. */
type LookedAt = { posts: readonly Found[]; isWhole: boolean; isAll: boolean };

/** Of the posts found among all, so many are given: where there are no more, they are counted already. */
const foundOfAll = 1_001;

/** By an expression, so that the index of upvotes is not gone through instead of those of words. */
const byUpvotes = sql`order by upvotes + 0 desc, id desc`;

async function lookAt(
  db: Reader,
  places: readonly Place[],
  { limit: wanted, pending, ...at }: Among & { level: number; limit: number; pending: readonly boolean[] },
): Promise<[number, LookedAt][]> {
  const isLast = at.level === everything;
  const limit = isLast ? Math.max(wanted, foundOfAll) : wanted;
  const parts = places.map((place, index) => {
    const gate = sql`(select ${pending[index] ?? false}::boolean)`;
    const few =
      place.compared.length > 0
        ? sql`select * from (${postsAt(place, at)}) post where ${gate}`
        : sql`select *, true as yes from (${postsAt(place, at)}) post where ${gate} ${byUpvotes} limit ${sql.lit(limit)}`;
    return sql`
      select ${sql.lit(index)} as place, count(*) as looked,
        string_agg(id || ' ' || upvotes, ',' ${byUpvotes}) filter (where yes) as posts
      from (${few}) post`;
  });
  const { rows } = await sql<{ place: number; looked: number; posts: string | null }>`
    ${plannedOnceOf(at)}${sql.join(parts, sql` union all `)}`.execute(db);
  return rows
    .filter(({ place }) => pending[place] === true)
    .map(({ place, looked, posts: joined }) => {
      const posts = (joined?.split(',') ?? []).slice(0, limit).map((post) => {
        const [id, upvotes] = post.split(' ');
        return { id: Number(id), upvotes: Number(upvotes) };
      });
      const isCapped = (places[place]?.compared.length ?? 0) > 0 && looked >= lookedAt.compared;
      // Words that so many known posts have are in too many of the others to compare more than an accidental part.
      const isWhole = isLast || posts.length >= limit || (at.level === known && isCapped);
      return [place, { posts, isWhole, isAll: isLast && !isCapped && posts.length < limit }];
    });
}

const keysAt = ({ keys, keysOfAll = keys }: Place, level: number) =>
  level === everything ? keysOfAll : keys;

type At = Among & { level: number; without?: Sql; mostCompared?: number };

/** Of posts whose letters are compared, all that are looked at, with `yes` for those that are in the place. */
function postsAt(
  place: Place,
  { table, conditions, narrowed, level, without, mostCompared = lookedAt.compared }: At,
): Sql {
  const { compared } = place;
  const others = without === undefined ? [] : [sql`post.id not in (select id from ${without})`];
  const within = levels[level] ?? sql`true`;
  const from = sql.table(table);
  const columns = sql`post.id, post.upvotes, post.created_at`;
  const yes = compared.length > 0 ? sql`, ${all([...conditions, ...compared])} as yes` : sql``;
  if (narrowed)
    return sql`select ${columns}${yes} from ${from} post where ${all([place.keys, ...others, ...conditions])}`;
  const most = compared.length > 0 ? mostCompared : lookedAt.sorted;
  // The limit stands inside: so many are looked at, whether or not they are what is asked for.
  return sql`
    select ${columns}${yes} from (
      select * from ${from} post where ${all([within, keysAt(place, level), ...others])} limit ${sql.lit(most)}
    ) post ${compared.length > 0 ? sql`` : sql`where ${all(conditions)}`}`;
}

const inPlace = (place: Place, at: At): Sql =>
  place.compared.length > 0
    ? sql`select id, upvotes, created_at from (${postsAt(place, at)}) post where yes`
    : postsAt(place, at);

/** Up to the first place of which the less known posts may be more than are known of yet. */
function inPlaces(found: readonly LookedAt[], wanted: number): number[] {
  const ids = new Set<number>();
  for (const { posts, isWhole } of found) {
    for (const { id } of posts) ids.add(id);
    if (ids.size >= wanted || !isWhole) break;
  }
  return [...ids];
}

function bestTogether(found: readonly LookedAt[]): number[] {
  const rows = found.flatMap(({ posts }) => posts).toSorted((a, b) => b.upvotes - a.upvotes || b.id - a.id);
  return [...new Set(rows.map(({ id }) => id))];
}
