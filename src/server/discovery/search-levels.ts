import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '#server/core/database.ts';
import { planOnceHint } from '#server/core/database-prepared-statements.ts';
import { allOf, anyOf } from './search-conditions.ts';
import { getVocabulary } from './search-vocabulary.ts';

type Sql = RawBuilder<unknown>;

/** What of `post` is found in one place of the results. */
export type ResultGroup = {
  /** Conditions that the indexes of search answer. */
  query: Sql;
  /** The same where all posts are looked at, without what would lead to too many of them. */
  queryOfAll?: Sql;
  /** What is found here is found in another place as well, so that it need not be counted. */
  isWithin?: boolean;
  /** Conditions that they cannot answer: each post that they lead to is compared letter by letter. */
  comparisons: readonly Sql[];
};

export type SearchScope = {
  table: 'question' | 'answer';
  /** What else has to hold of `post`. */
  conditions: readonly Sql[];
  /** An index leads to what `conditions` ask for: all is looked at together. */
  narrowed: boolean;
};

export type FoundPost = { id: number; upvotes: number };

/**
 * The best known posts, the known ones, all (`popularity`, schema section Posts). A frequent word has enough of the first few
 * thousand, and one that has not is so rare that all its posts can be looked at: at each level, few rows are read.
 */
const levels = [sql`post.popularity = 0`, sql`post.popularity <= 1`, sql`true`] as const;
const [best, popular, allPosts] = [0, 1, 2] as const;

/** Of all posts that an index leads to, so many are looked at: where letters are compared, and where not. */
const maxScanned = { compared: 800, sorted: 10_000 } as const;

/** To count them, so many of the known posts are compared in communities with many more. */
const maxComparedForCount = 200;

/** The levels that a community is large enough for, from the first to all posts. */
async function listLevels(db: Reader, { table, narrowed }: SearchScope): Promise<number[]> {
  if (narrowed) return [allPosts];
  const { popularity } = await getVocabulary(db);
  return [...(popularity[table].best ? [best] : []), ...(popularity[table].known ? [popular] : []), allPosts];
}

/** The ids of the first posts; how many there are, where all were found. */
export type TopPosts = { ids: number[]; all: number | null };

/**
 * The first `wanted` posts: place by place in the order given, or all `together`; in a place, those with more
 * upvotes first, then the newer. Less known posts are looked at only where the better known are not enough.
 */
export async function findTopPosts(
  db: Reader,
  groups: readonly ResultGroup[],
  { wanted, together = false, ...among }: SearchScope & { wanted: number; together?: boolean },
): Promise<TopPosts> {
  // A place may find again what was found before it: fewer than `wanted`.
  const limit = 2 * wanted;
  const found = groups.map((): LevelResult => ({ posts: [], isWhole: false, isAll: false }));
  let [level = allPosts, ...further] = await listLevels(db, among);
  for (;;) {
    const rows = await readLevel(db, groups, {
      ...among,
      level,
      limit,
      pending: found.map(({ isWhole }) => !isWhole),
    });
    for (const [index, row] of rows) found[index] = row;
    const first = together ? mergeByScore(found) : mergeGroups(found, wanted);
    const next = further.shift();
    if (next === undefined || first.length >= wanted || found.every(({ isWhole }) => isWhole)) {
      const all = new Set(found.flatMap(({ posts }) => posts.map(({ id }) => id))).size;
      return { ids: first.slice(0, wanted), all: found.every(({ isAll }) => isAll) ? all : null };
    }
    // What nothing of the best known has is rare.
    level = found.every(({ posts }) => posts.length === 0) ? allPosts : next;
    if (level === allPosts) further = [];
  }
}

/** How many posts are in one of the places, counted up to `most`. */
export async function countPosts(
  db: Reader,
  groups: readonly ResultGroup[],
  { most, ...among }: SearchScope & { most: number },
): Promise<number> {
  const decided = groups.filter(({ comparisons }) => comparisons.length === 0);
  const compared = groups.filter(
    ({ comparisons: letters, isWithin }) => letters.length > 0 && isWithin !== true,
  );
  const at = (level: number): Sql => {
    const query = anyOf(decided.map((group) => queryAt(group, level)));
    const posts = selectPostsAt({ query, comparisons: [] }, { ...among, level });
    return sql`select id from (${decided.length > 0 ? posts : sql`select 0 as id limit 0`}) post limit ${sql.lit(most)}`;
  };
  const isLarge = (await listLevels(db, among)).includes(popular);
  const [level, mostCompared] =
    isLarge && decided.length > 0 ? [popular, maxComparedForCount] : [allPosts, maxScanned.compared];
  const others = compared.map(
    (group) => sql`(${selectGroup(group, { ...among, level, without: sql`more`, mostCompared })})`,
  );
  // Comparing letters costs most, and all posts more than the known ones: each is begun where it is needed.
  const { rows } = await sql<{ count: number }>`
    ${planHint(among)}with few as materialized (select count(*) as posts from (${isLarge && decided.length > 0 ? at(popular) : sql`select 1 limit 0`}) few),
    more as materialized (${at(allPosts)}),
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

const planHint = (among: SearchScope): Sql => (isPlannedOnce(among) ? planOnceHint : sql``);

/** Whether one plan is good for all words: conditions beside them have values that plans should be made for. */
export const isPlannedOnce = ({ conditions, narrowed }: Omit<SearchScope, 'table'>): boolean =>
  conditions.length === 0 && !narrowed;

/** Whether so many of the best known posts are in one of the places that a post in fifty is likely to be. */
export async function isFrequentMatch(
  db: Reader,
  groups: readonly ResultGroup[],
  among: SearchScope,
): Promise<boolean> {
  const many = among.table === 'question' ? 40 : 100;
  const keys = anyOf(groups.map((group) => group.query));
  const { rows } = await sql<{ count: number }>`
    ${planHint(among)}select count(*) from (
      select 1 from ${sql.table(among.table)} post where ${allOf([levels[best], keys])} limit ${sql.lit(many)}
    ) counted`.execute(db);
  return (rows[0]?.count ?? 0) >= many;
}

const newest = sql`created_at desc, id desc`;

/** The ids of the newest posts that are in one of the places. */
export async function findNewest(
  db: Reader,
  groups: readonly ResultGroup[],
  { wanted, ...among }: SearchScope & { wanted: number },
): Promise<number[]> {
  // Of a part of them, the newest would be of the oldest.
  const whole = { ...among, narrowed: true, level: allPosts };
  const parts = groups.map((group) => sql`(${selectGroup(group, whole)})`);
  const { rows } = await sql<{ id: number }>`
    ${planHint(among)}select id from (${sql.join(parts, sql` union `)}) post order by ${newest} limit ${sql.lit(wanted)}`.execute(
    db,
  );
  return rows.map(({ id }) => id);
}

/** Of the newest posts, so many are looked at for what many have. */
const maxNewestScanned = sql.lit(5_000);

/** The ids of those that meet a condition among the newest few thousand posts. */
export async function findAmongNewest(
  db: Reader,
  matches: Sql,
  { table, conditions, wanted }: SearchScope & { wanted: number },
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from (select * from ${sql.table(table)} order by ${newest} limit ${maxNewestScanned}) post
    where ${allOf([matches, ...conditions])} order by ${newest} limit ${sql.lit(wanted)}`.execute(db);
  return rows.map(({ id }) => id);
}

/** The best posts of a place; whether it has no more, or so many that those less known are not worth looking at. */
type LevelResult = { posts: readonly FoundPost[]; isWhole: boolean; isAll: boolean };

/** Of the posts found among all, so many are given: where there are no more, they are counted already. */
const maxFound = 1_001;

/** By an expression, so that the index of upvotes is not gone through instead of those of words. */
const byUpvotes = sql`order by upvotes + 0 desc, id desc`;

async function readLevel(
  db: Reader,
  groups: readonly ResultGroup[],
  {
    limit: wanted,
    pending,
    ...at
  }: SearchScope & { level: number; limit: number; pending: readonly boolean[] },
): Promise<[number, LevelResult][]> {
  const isLast = at.level === allPosts;
  const limit = isLast ? Math.max(wanted, maxFound) : wanted;
  const parts = groups.map((group, index) => {
    const gate = sql`(select ${pending[index] ?? false}::boolean)`;
    const few =
      group.comparisons.length > 0
        ? sql`select * from (${selectPostsAt(group, at)}) post where ${gate}`
        : sql`select *, true as yes from (${selectPostsAt(group, at)}) post where ${gate} ${byUpvotes} limit ${sql.lit(limit)}`;
    return sql`
      select ${sql.lit(index)} as place, count(*) as looked,
        string_agg(id || ' ' || upvotes, ',' ${byUpvotes}) filter (where yes) as posts
      from (${few}) post`;
  });
  const { rows } = await sql<{ place: number; looked: number; posts: string | null }>`
    ${planHint(at)}${sql.join(parts, sql` union all `)}`.execute(db);
  return rows
    .filter(({ place: group }) => pending[group] === true)
    .map(({ place: group, looked, posts: joined }) => {
      const posts = (joined?.split(',') ?? []).slice(0, limit).map((post) => {
        const [id, upvotes] = post.split(' ');
        return { id: Number(id), upvotes: Number(upvotes) };
      });
      const isCapped = (groups[group]?.comparisons.length ?? 0) > 0 && looked >= maxScanned.compared;
      // Words that so many known posts have are in too many of the others to compare more than an accidental part.
      const isWhole = isLast || posts.length >= limit || (at.level === popular && isCapped);
      return [group, { posts, isWhole, isAll: isLast && !isCapped && posts.length < limit }];
    });
}

const queryAt = ({ query, queryOfAll = query }: ResultGroup, level: number) =>
  level === allPosts ? queryOfAll : query;

type LevelScope = SearchScope & { level: number; without?: Sql; mostCompared?: number };

/** Of posts whose letters are compared, all that are looked at, with `yes` for those that are in the place. */
function selectPostsAt(
  group: ResultGroup,
  { table, conditions, narrowed, level, without, mostCompared = maxScanned.compared }: LevelScope,
): Sql {
  const { comparisons } = group;
  const others = without === undefined ? [] : [sql`post.id not in (select id from ${without})`];
  const within = levels[level] ?? sql`true`;
  const from = sql.table(table);
  const columns = sql`post.id, post.upvotes, post.created_at`;
  const yes = comparisons.length > 0 ? sql`, ${allOf([...conditions, ...comparisons])} as yes` : sql``;
  if (narrowed)
    return sql`select ${columns}${yes} from ${from} post where ${allOf([group.query, ...others, ...conditions])}`;
  const most = comparisons.length > 0 ? mostCompared : maxScanned.sorted;
  // The limit stands inside: so many are looked at, whether or not they are what is asked for.
  return sql`
    select ${columns}${yes} from (
      select * from ${from} post where ${allOf([within, queryAt(group, level), ...others])} limit ${sql.lit(most)}
    ) post ${comparisons.length > 0 ? sql`` : sql`where ${allOf(conditions)}`}`;
}

const selectGroup = (group: ResultGroup, at: LevelScope): Sql =>
  group.comparisons.length > 0
    ? sql`select id, upvotes, created_at from (${selectPostsAt(group, at)}) post where yes`
    : selectPostsAt(group, at);

/** Up to the first place of which the less known posts may be more than are known of yet. */
function mergeGroups(found: readonly LevelResult[], wanted: number): number[] {
  const ids = new Set<number>();
  for (const { posts, isWhole } of found) {
    for (const { id } of posts) ids.add(id);
    if (ids.size >= wanted || !isWhole) break;
  }
  return [...ids];
}

function mergeByScore(found: readonly LevelResult[]): number[] {
  const rows = found.flatMap(({ posts }) => posts).toSorted((a, b) => b.upvotes - a.upvotes || b.id - a.id);
  return [...new Set(rows.map(({ id }) => id))];
}
