import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '#server/core/database.ts';
import { planOnceHint } from '#server/core/database-prepared-statements.ts';
import { allOf, anyOf } from './search-conditions.ts';
import { getVocabulary } from './search-vocabulary.ts';

type Sql = RawBuilder<unknown>;

/** The posts that match in one way, such as by a whole word in the title. Results are ranked group by group. */
export type ResultGroup = {
  /** Conditions that the search indexes serve. */
  query: Sql;
  /** The conditions for searching all posts, without those that would match too many of them. */
  queryOfAll?: Sql;
  /** Whether all its matches are also in another group, so that it need not be counted. */
  isWithin?: boolean;
  /** Conditions that the indexes cannot serve: they compare the text of each post that the indexes find. */
  comparisons: readonly Sql[];
};

export type SearchScope = {
  table: 'question' | 'answer';
  /** Further conditions on `post`. */
  conditions: readonly Sql[];
  /** Whether an index serves `conditions`. Then all posts are searched in one step. */
  isIndexed: boolean;
};

export type FoundPost = { id: number; upvotes: number };

/**
 * The most popular posts, the popular ones, and all (`popularity`, schema section Posts). A frequent word has enough
 * matches among the first few thousand posts. A word that does not is so rare that all its posts can be read. So every
 * level reads few rows.
 */
const levels = [sql`post.popularity = 0`, sql`post.popularity <= 1`, sql`true`] as const;
const [best, popular, allPosts] = [0, 1, 2] as const;

/** Posts read at most of those that an index finds among all: if their text is compared, and if not. */
const maxScanned = { compared: 800, sorted: 10_000 } as const;

/** Popular posts compared at most for the count, in communities with many more posts. */
const maxComparedForCount = 200;

/** Returns the levels that the community is large enough for, from the most popular posts to all. */
async function listLevels(db: Reader, { table, isIndexed }: SearchScope): Promise<number[]> {
  if (isIndexed) return [allPosts];
  const { popularity } = await getVocabulary(db);
  return [
    ...(popularity[table].hasLevels ? [best] : []),
    ...(popularity[table].hasManyMore ? [popular] : []),
    allPosts,
  ];
}

/** The ids of the first posts, and the number of all matches if all were found. */
export type TopPosts = { ids: number[]; all: number | null };

/**
 * Returns the first `wanted` posts: group by group in the given order, or all `together`. Within a group, posts with
 * more upvotes come first, then newer ones. Less popular posts are read only if the more popular ones are not enough.
 */
export async function findTopPosts(
  db: Reader,
  groups: readonly ResultGroup[],
  { wanted, together = false, ...scope }: SearchScope & { wanted: number; together?: boolean },
): Promise<TopPosts> {
  // A group can find posts of an earlier group again, of which there are fewer than `wanted`.
  const limit = 2 * wanted;
  const found = groups.map((): LevelResult => ({ posts: [], isComplete: false, hasAllMatches: false }));
  let [level = allPosts, ...further] = await listLevels(db, scope);
  for (;;) {
    const rows = await readLevel(db, groups, {
      ...scope,
      level,
      limit,
      pending: found.map(({ isComplete }) => !isComplete),
    });
    for (const [index, row] of rows) found[index] = row;
    const first = together ? mergeByScore(found) : mergeGroups(found, wanted);
    const next = further.shift();
    if (next === undefined || first.length >= wanted || found.every(({ isComplete }) => isComplete)) {
      const all = new Set(found.flatMap(({ posts }) => posts.map(({ id }) => id))).size;
      return {
        ids: first.slice(0, wanted),
        all: found.every(({ hasAllMatches }) => hasAllMatches) ? all : null,
      };
    }
    // If none of the most popular posts matches, the words are rare.
    level = found.every(({ posts }) => posts.length === 0) ? allPosts : next;
    if (level === allPosts) further = [];
  }
}

/** Counts the posts that are in any of the groups, up to `max`. */
export async function countPosts(
  db: Reader,
  groups: readonly ResultGroup[],
  { max, ...scope }: SearchScope & { max: number },
): Promise<number> {
  const indexed = groups.filter(({ comparisons }) => comparisons.length === 0);
  const compared = groups.filter(
    ({ comparisons: letters, isWithin }) => letters.length > 0 && isWithin !== true,
  );
  const at = (level: number): Sql => {
    const query = anyOf(indexed.map((group) => queryAt(group, level)));
    const posts = selectPostsAt({ query, comparisons: [] }, { ...scope, level });
    return sql`select id from (${indexed.length > 0 ? posts : sql`select 0 as id limit 0`}) post limit ${sql.lit(max)}`;
  };
  const isLarge = (await listLevels(db, scope)).includes(popular);
  const [level, maxCompared] =
    isLarge && indexed.length > 0 ? [popular, maxComparedForCount] : [allPosts, maxScanned.compared];
  const others = compared.map(
    (group) => sql`(${selectGroup(group, { ...scope, level, without: sql`all_matches`, maxCompared })})`,
  );
  // Comparing texts costs most, and searching all posts costs more than the popular ones. Each step runs only if the
  // one before it did not reach `max`.
  const { rows } = await sql<{ count: number }>`
    ${planHint(scope)}with popular_matches as materialized (select count(*) as posts from (${isLarge && indexed.length > 0 ? at(popular) : sql`select 1 limit 0`}) post),
    all_matches as materialized (${at(allPosts)}),
    others as materialized (
      select count(*) as posts from (
        select id from (${others.length > 0 ? sql.join(others, sql` union `) : sql`select 0 as id limit 0`}) post limit ${sql.lit(max)}
      ) others
    )
    select case when popular_matches.posts >= ${sql.lit(max)} then popular_matches.posts else (
      select case when count(*) >= ${sql.lit(max)} then count(*) else
        least(${sql.lit(max)}, count(*) + (select posts from others))
      end from all_matches
    ) end as count from popular_matches`.execute(db);
  return rows[0]?.count ?? 0;
}

const planHint = (scope: SearchScope): Sql => (isPlannedOnce(scope) ? planOnceHint : sql``);

/** Whether one plan suits all words. Further conditions have values that need their own plans. */
export const isPlannedOnce = ({ conditions, isIndexed }: Omit<SearchScope, 'table'>): boolean =>
  conditions.length === 0 && !isIndexed;

/** Whether so many of the most popular posts match that probably one post in fifty does. */
export async function isFrequentMatch(
  db: Reader,
  groups: readonly ResultGroup[],
  scope: SearchScope,
): Promise<boolean> {
  const minMatches = scope.table === 'question' ? 40 : 100;
  const keys = anyOf(groups.map((group) => group.query));
  const { rows } = await sql<{ count: number }>`
    ${planHint(scope)}select count(*) from (
      select 1 from ${sql.table(scope.table)} post where ${allOf([levels[best], keys])} limit ${sql.lit(minMatches)}
    ) counted`.execute(db);
  return (rows[0]?.count ?? 0) >= minMatches;
}

const newest = sql`created_at desc, id desc`;

/** Returns the ids of the newest posts that are in any of the groups. */
export async function findNewest(
  db: Reader,
  groups: readonly ResultGroup[],
  { wanted, ...scope }: SearchScope & { wanted: number },
): Promise<number[]> {
  // The indexes do not return the newest posts first, so the newest of a limited part could be old. All matches are
  // read.
  const whole = { ...scope, isIndexed: true, level: allPosts };
  const parts = groups.map((group) => sql`(${selectGroup(group, whole)})`);
  const { rows } = await sql<{ id: number }>`
    ${planHint(scope)}select id from (${sql.join(parts, sql` union `)}) post order by ${newest} limit ${sql.lit(wanted)}`.execute(
    db,
  );
  return rows.map(({ id }) => id);
}

/** Newest posts read at most for a frequent match. */
const maxNewestScanned = sql.lit(5_000);

/** Returns the ids of matches among the newest few thousand posts. */
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

/**
 * The best posts of a group. `isComplete`: reading further levels adds nothing. `hasAllMatches`: these are all matches.
 */
type LevelResult = { posts: readonly FoundPost[]; isComplete: boolean; hasAllMatches: boolean };

/** Posts returned at most from the level of all posts. If there are fewer, their number is the total. */
const maxFound = 1_001;

/** Sorting by an expression keeps PostgreSQL from scanning the index of upvotes instead of the word indexes. */
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
    const condition = sql`(select ${pending[index] ?? false}::boolean)`;
    const matches =
      group.comparisons.length > 0
        ? sql`select * from (${selectPostsAt(group, at)}) post where ${condition}`
        : sql`select *, true as is_match from (${selectPostsAt(group, at)}) post where ${condition} ${byUpvotes} limit ${sql.lit(limit)}`;
    return sql`
      select ${sql.lit(index)} as group_index, count(*) as scanned,
        string_agg(id || ' ' || upvotes, ',' ${byUpvotes}) filter (where is_match) as posts
      from (${matches}) post`;
  });
  const { rows } = await sql<{ group_index: number; scanned: number; posts: string | null }>`
    ${planHint(at)}${sql.join(parts, sql` union all `)}`.execute(db);
  return rows
    .filter(({ group_index: group }) => pending[group] === true)
    .map(({ group_index: group, scanned, posts: joined }) => {
      const posts = (joined?.split(',') ?? []).slice(0, limit).map((post) => {
        const [id, upvotes] = post.split(' ');
        return { id: Number(id), upvotes: Number(upvotes) };
      });
      const isCapped = (groups[group]?.comparisons.length ?? 0) > 0 && scanned >= maxScanned.compared;
      // If so many popular posts have the words, too many other posts have them too: comparing a limited number would
      // find arbitrary ones.
      const isComplete = isLast || posts.length >= limit || (at.level === popular && isCapped);
      return [group, { posts, isComplete, hasAllMatches: isLast && !isCapped && posts.length < limit }];
    });
}

const queryAt = ({ query, queryOfAll = query }: ResultGroup, level: number) =>
  level === allPosts ? queryOfAll : query;

type LevelScope = SearchScope & { level: number; without?: Sql; maxCompared?: number };

/**
 * Selects the posts of a group at a level. If texts are compared, it returns every post it reads, with `is_match` for the
 * matches.
 */
function selectPostsAt(
  group: ResultGroup,
  { table, conditions, isIndexed, level, without, maxCompared = maxScanned.compared }: LevelScope,
): Sql {
  const { comparisons } = group;
  const others = without === undefined ? [] : [sql`post.id not in (select id from ${without})`];
  const within = levels[level] ?? sql`true`;
  const from = sql.table(table);
  const columns = sql`post.id, post.upvotes, post.created_at`;
  const isMatch =
    comparisons.length > 0 ? sql`, ${allOf([...conditions, ...comparisons])} as is_match` : sql``;
  if (isIndexed)
    return sql`select ${columns}${isMatch} from ${from} post where ${allOf([group.query, ...others, ...conditions])}`;
  const max = comparisons.length > 0 ? maxCompared : maxScanned.sorted;
  // The inner limit bounds the rows read, whether they match or not.
  return sql`
    select ${columns}${isMatch} from (
      select * from ${from} post where ${allOf([within, queryAt(group, level), ...others])} limit ${sql.lit(max)}
    ) post ${comparisons.length > 0 ? sql`` : sql`where ${allOf(conditions)}`}`;
}

const selectGroup = (group: ResultGroup, at: LevelScope): Sql =>
  group.comparisons.length > 0
    ? sql`select id, upvotes, created_at from (${selectPostsAt(group, at)}) post where is_match`
    : selectPostsAt(group, at);

/** Joins the groups up to the first one that can have more matches among less popular posts. */
function mergeGroups(found: readonly LevelResult[], wanted: number): number[] {
  const ids = new Set<number>();
  for (const { posts, isComplete } of found) {
    for (const { id } of posts) ids.add(id);
    if (ids.size >= wanted || !isComplete) break;
  }
  return [...ids];
}

function mergeByScore(found: readonly LevelResult[]): number[] {
  const rows = found.flatMap(({ posts }) => posts).toSorted((a, b) => b.upvotes - a.upvotes || b.id - a.id);
  return [...new Set(rows.map(({ id }) => id))];
}
