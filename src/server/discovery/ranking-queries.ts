import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '#server/core/database.ts';
import { planOnceHint } from '#server/core/database-prepared-statements.ts';
import { allOf } from './search-conditions.ts';
import type { Ranking } from './ranking.ts';

type Sql = RawBuilder<unknown>;

/** Which posts are ranked. */
export type RankedPosts = {
  table: 'question' | 'answer';
  /** Conditions on `post` besides the words. */
  conditions: readonly Sql[];
  /** Whether one plan fits all values of the conditions. Otherwise, PostgreSQL plans the statement for each. */
  isPlannedOnce: boolean;
  /** Whether an index serves `conditions`, so that all posts that meet them can be read. */
  isIndexed: boolean;
  /** Posts that are read at most if a condition without an index leaves some out. Default: 10,000. */
  maxScanned?: number;
  /** Whether the most popular posts are marked: those are read first. */
  hasPopular: boolean;
  /** Words in titles and tags only, for results while typing. */
  onlyTitles?: boolean;
  /** Whether the words of answers count for their question. */
  withAnswers?: boolean;
  /** A question that is left out. */
  except?: number | null;
};

export type RankedPage = {
  sort: 'relevance' | 'recent' | 'popular';
  /** The query as typed, if it is more than a word: in a title, it counts more than its words apart. */
  typed: string | null;
  /** The least number of posts with all words from which on no others follow. */
  enough: number;
  /**
   * The least part of the weight of all words that other posts must have, and the least number of words.
   */
  least: { share: number; words: number };
  limit: number;
  offset: number;
};

/** `complete`: whether it has all words. `share`: the part of the weight of all words that it has. */
export type RankedPost = { id: number; share: number; score: number; complete: boolean };
export type RankedResult = { posts: RankedPost[]; total: number };

/** Matches that are counted at most. */
const maxCounted = 1_001;

/** Posts with all words that are ranked at most: those with the rarest words in title and tags first, then by upvotes. */
const maxRanked = 100;

/**
 * Questions with all words that are expected at most, and their share of all, if one index lookup finds all before
 * others. With a higher share, enough of the most popular posts have the words.
 */
const maxExpected = { questions: 10_000, share: 0.2 } as const;

/** Posts that are read at most to rank those with some of the words. */
const maxSome = 300;

/** Of those, the questions that are ranked, if the words of answers count. */
const maxClosest = 60;

/** A word in more questions than this is looked up among the most popular posts only. */
const maxQuestions = 100_000;

/** Posts that are read at most: to sort them by time or upvotes, and if a condition without an index leaves some out. */
const maxSorted = 10_000;

/** Newest posts that are read at most for frequent words. */
const maxNewest = 5_000;

/**
 * The weights of labels, from D to A (schema section Text search, migration 0002). All words of a post count by
 * `text`; those of its title and tags by `title` as well. Exact words have both labels of a field.
 */
const labelWeights = {
  title: sql.lit('{0.24,0.03,0.48,0.24}'),
  text: sql.lit('{0.5,0.1,0,0}'),
  answer: sql.lit('{0.5,0.12,0,0}'),
} as const;

/** Words in longer words count less than words. */
const longerWeight = sql.lit(0.5);

/** Distinct words from which on a text counts less because it is long, and how much less. */
const length = { from: 50, share: 0.35 } as const;

/** How much more a title counts that begins with the query as typed, or contains it. */
const typedFactors = { beginning: 1.6, inside: 1.3 } as const;

/** Scores that differ by less than this share are equal: then accepted answers, upvotes and age decide. */
const scoreStep = 0.04;

/** Answers that are read at most: to find their questions, and to rank each question. */
const maxAnswers = { found: 200, ofQuestion: 20 } as const;

/**
 * Returns posts by their words, best first: those with all words, then those with most of the weight of the words. One
 * statement chooses a limited number of candidates in the word indexes and ranks them.
 */
export async function findRanked(
  db: Reader,
  ranking: Ranking,
  posts: RankedPosts,
  page: RankedPage,
): Promise<RankedResult> {
  const { sort, limit, offset } = page;
  const isRanked = sort === 'relevance';
  const { rows } = await sql<RankedPost & { total: number }>`
    ${posts.isPlannedOnce ? planOnceHint : sql``}with ${termTable(ranking)}, ${completePosts(ranking, posts, page)},
    ${isRanked ? rankedPosts(ranking, posts, page) : sql`ranked as (select id, true as complete, 1 as share, 1 as score, position from complete)`},
    total as materialized (
      select (select count(*) from complete) + (select count(*) from ranked where not complete) as total
    )
    select id, share, score, complete, (select least(total, ${sql.lit(maxCounted)}) from total) as total from ranked
    order by position limit ${limit} offset ${offset}`.execute(db);
  const total = rows[0]?.total ?? 0;
  return { posts: rows, total: estimateTotal(total, ranking, posts) };
}

/** For frequent words, only the most popular posts were counted: if ten have all words, more than a thousand do. */
function estimateTotal(total: number, ranking: Ranking, posts: RankedPosts): number {
  return isFrequent(ranking, posts) && total >= 10 ? maxCounted : total;
}

const isFrequent = ({ atMost }: Ranking, { isIndexed, hasPopular }: RankedPosts) =>
  atMost > maxQuestions && hasPopular && !isIndexed;

/** Values are in sub-selects, so that the plan does not depend on them (core/database-prepared-statements.ts). */
const asQuery = (query: string | null): Sql => sql`(select ${query}::tsquery)`;

function termTable({ terms }: Ranking): Sql {
  const of = (values: readonly (string | number | null)[], type: string) =>
    sql`(select ${[...values]}::${sql.raw(type)})`;
  return sql`term as materialized (
    select * from unnest(
      ${of(
        terms.map(({ match }) => match),
        'text[]::tsquery[]',
      )}, ${of(
        terms.map(({ lexemes }) => lexemes),
        'text[]::tsquery[]',
      )}, ${of(
        terms.map(({ longer }) => longer),
        'text[]::tsquery[]',
      )}, ${of(
        terms.map(({ rarity }) => rarity),
        'float8[]',
      )}, ${of(
        terms.map(({ weight }) => weight),
        'float8[]',
      )}
    ) as term (match, lexemes, longer, rarity, weight)
  )`;
}

/** The posts with all words, at most as many as are counted, in the order in which they are ranked or shown. */
function completePosts(ranking: Ranking, posts: RankedPosts, page: RankedPage): Sql {
  const { sort, offset, limit } = page;
  const { table, conditions } = posts;
  const isRanked = sort === 'relevance';
  const most = isRanked ? maxCounted : maxSorted;
  const inTitle =
    isRanked && table === 'question'
      ? sql`(select coalesce(sum(rarity), 0) from term where post.title_vector @@ lexemes)`
      : sql`0`;
  const readNewest = sort === 'recent' && ranking.atMost > maxSorted && !posts.isIndexed;
  const within = readNewest
    ? [newestPosts(ranking, posts, offset + limit)]
    : chooseSources(ranking, posts, page).map(({ vector, popular, when }, index) => {
        const where = allOf([
          sql`post.${sql.ref(vector)} @@ ${asQuery(ranking.all)}`,
          ...(popular ? [sql`post.popularity = 0`] : []),
        ]);
        const rows = sql`select post.id, post.upvotes, post.created_at, ${inTitle} as in_title from ${scanned(posts, where)} post
          ${conditions.length === 0 ? sql`` : sql`where ${allOf(conditions)}`}`;
        const wanted =
          when === null ? sql.lit(most) : sql`(select case when ${when} then ${sql.lit(most)} else 0 end)`;
        return sql`${sourceName(index)} as materialized (${rows} limit ${wanted})`;
      });
  const found = sql.join(
    within.map((_, index) => sql`select * from ${sourceName(index)}`),
    sql` union `,
  );
  const order = {
    relevance: sql`in_title desc, upvotes desc, id desc`,
    recent: sql`created_at desc, id desc`,
    popular: sql`upvotes desc, id desc`,
  }[sort];
  return sql`${sql.join(within)}, complete as materialized (
    select id, row_number() over (order by ${order}) as position from (${found}) found
    order by ${order} limit ${sql.lit(maxCounted)}
  )`;
}

/**
 * Posts to read: by the words of titles and tags or by all words, all posts or only the most popular ones. `when`: the
 * condition for reading it, by what the sources before it found; null for always.
 */
type Source = { vector: 'title_vector' | 'search_vector'; popular: boolean; when: Sql | null };

/**
 * Usually one index lookup finds all posts. If more match than are counted, those with all words in the title and the
 * most popular ones are found as well. Where so many are expected, these come first, and later sources are read only
 * until enough are found.
 */
function chooseSources(ranking: Ranking, posts: RankedPosts, { sort, enough }: RankedPage): Source[] {
  const { table, isIndexed, hasPopular, onlyTitles = false, maxScanned: isLimited } = posts;
  const frequent = isFrequent(ranking, posts);
  const isRanked = sort === 'relevance';
  const everywhere = { vector: onlyTitles ? 'title_vector' : 'search_vector', popular: false } as const;
  if (isIndexed || !hasPopular || (ranking.atMost < maxCounted && !frequent))
    return [{ ...everywhere, when: null }];
  const titles =
    isRanked && table === 'question' && !onlyTitles
      ? [{ vector: 'title_vector', popular: false } as const]
      : [];
  const popular = { ...everywhere, popular: true };
  if (isRanked && isLimited === undefined && isExpectedToBeFew(ranking)) {
    const when = sql`${countOf(0)} >= ${sql.lit(maxCounted)}`;
    return [{ ...everywhere, when: null }, ...[...titles, popular].map((source) => ({ ...source, when }))];
  }
  const full = isLimited === undefined ? (isRanked ? maxCounted : maxSorted) : enough;
  const levels = frequent ? [true] : [true, false];
  return [...titles, everywhere]
    .flatMap((source) => levels.map((isPopular) => ({ ...source, popular: isPopular })))
    .map((source, index) => ({
      ...source,
      when: index === 0 ? null : sql`${mostOf(index)} < ${sql.lit(full)}`,
    }));
}

const isExpectedToBeFew = ({ share, total }: Ranking) =>
  share < maxExpected.share && share * total < maxExpected.questions;

const sourceName = (index: number) => sql.raw(`source_${index}`);
const countOf = (index: number) => sql`(select count(*) from ${sourceName(index)})`;
/** The number of posts of the largest of the first sources. */
const mostOf = (sources: number) =>
  sql`greatest(${sql.join(Array.from({ length: sources }, (_, index) => countOf(index)))})`;

/** If no index serves the conditions, a limited number of posts with the words is read. */
function scanned({ table, conditions, isIndexed, maxScanned = maxSorted }: RankedPosts, where: Sql): Sql {
  const rows = sql`select * from ${sql.table(table)} post where ${where}`;
  return conditions.length > 0 && !isIndexed ? sql`(${rows} limit ${sql.lit(maxScanned)})` : sql`(${rows})`;
}

/** A frequent word has enough matches among the newest posts, which an index returns in order. */
function newestPosts(ranking: Ranking, { table, conditions }: RankedPosts, wanted: number): Sql {
  const newest = sql`select * from ${sql.table(table)} order by created_at desc, id desc limit ${sql.lit(maxNewest)}`;
  return sql`${sourceName(0)} as materialized (
    select post.id, post.upvotes, post.created_at, 0 as in_title from (${newest}) post
    where ${allOf([sql`post.search_vector @@ ${asQuery(ranking.all)}`, ...conditions])}
    limit ${sql.lit(Math.max(wanted, maxCounted))}
  )`;
}

/** The posts with all words and, if there are few, those with some of them, with their scores. */
function rankedPosts(ranking: Ranking, posts: RankedPosts, page: RankedPage): Sql {
  const { table, conditions, onlyTitles = false, withAnswers = false, except = null } = posts;
  const { offset, limit, typed, enough, least } = page;
  const vector = onlyTitles ? sql`title_vector` : sql`search_vector`;
  // A post with both of two words has all.
  const some = asQuery(least.words > 1 && ranking.terms.length <= least.words ? null : ranking.some);
  const where = sql`post.${vector} @@ ${some}`;
  const missing = sql`(select case when count(*) < ${sql.lit(enough)} then ${sql.lit(maxSome)} else 0 end from complete)`;
  const inTitle = sql`0`;
  const flat = flatVector(sql`post.search_vector`);
  const scores = {
    text: onlyTitles ? inTitle : sql`${rankBy('text', sql`flat.vector`)} / ${lengthFactor(sql`flat.vector`)}`,
    title: table === 'answer' ? inTitle : rankBy('title', sql`post.title_vector`),
  };
  const compared = onlyTitles ? sql`post.title_vector` : sql`flat.vector`;
  // Only for the others: posts with all words have them.
  const hasTerm = sql`not candidate.complete and ${compared} @@ match`;
  const title = table === 'answer' ? sql`''` : sql`lower(post.title)`;
  const accepted =
    table === 'answer'
      ? sql`exists (select from question where accepted_answer_id = post.id)`
      : sql`post.accepted_answer_id is not null`;
  const scoreOf = sql`coalesce(sum(weight * (${scores.title} + ${scores.text})), 0)`;
  const firstScore = sql`(
    select ${scoreOf} from (select ${flat} as vector offset 0) flat, term where ${hasPart(compared)}
  )`;
  return sql`some_posts as materialized (
    select post.id ${withAnswers ? sql`, ${firstScore} as score` : sql``} from ${scanned(posts, where)} post
    where ${allOf([...conditions, sql`post.id not in (select id from complete)`])} limit ${missing}
  ), candidate as materialized (
    select id, true as complete, position from complete where position <= ${sql.lit(maxRanked)}
    union all select id, false, null from (
      ${withAnswers ? closestQuestions(some) : sql`select id from some_posts`}
    ) others
  ), ${withAnswers ? answerScores() : sql`answered as (select 0::bigint as id, 0::float8 as score, 0::float8 as share, 0 as terms limit 0)`},
  scored as materialized (
    select candidate.*, ${accepted} as accepted, post.upvotes, own.score, own.share, own.terms,
      case coalesce(strpos(${title}, (select lower(${typed}::text))), 0)
        when 0 then 1 when 1 then ${sql.lit(typedFactors.beginning)} else ${sql.lit(typedFactors.inside)}
      end as factor
    from candidate
    join ${sql.table(table)} post on post.id = candidate.id
    cross join lateral (select ${onlyTitles ? sql`null::tsvector` : flat} as vector offset 0) flat
    left join answered on answered.id = candidate.id
    cross join lateral (
      select ${scoreOf} + coalesce(answered.score, 0) as score,
        greatest(sum(rarity) filter (where ${hasTerm}) / nullif((select sum(rarity) from term), 0), answered.share, 0) as share,
        greatest(count(*) filter (where ${hasTerm}), answered.terms) as terms
      from term where ${hasPart(compared)}
    ) own
    where candidate.id is distinct from (select ${except}::bigint)
  ), ranked as materialized (
    select id, complete, share, score * factor as score,
      row_number() over (
        order by complete desc, round(ln(greatest(score * factor, 1e-9))::numeric / ${sql.lit(scoreStep)}) desc,
          accepted desc, upvotes desc, id desc
      ) as position
    from scored
    where complete or (share >= ${sql.lit(least.share)} and terms >= ${sql.lit(least.words)})
    ${offset + limit > maxRanked ? sql`union all select id, true, 1, 0, position from complete where position > ${sql.lit(maxRanked)}` : sql``}
  )`;
}

/**
 * Of the questions found by some of the words, in their texts or in answers, those with the highest sums of the scores of
 * what was found. To read and rank all answers of all of them would take most of the time.
 */
function closestQuestions(some: Sql): Sql {
  const answers = sql`select question_id, ${flatVector(sql`search_vector`)} as vector from answer
    where search_vector @@ ${some} limit ${sql.lit(maxAnswers.found)}`;
  return sql`select id from (
      table some_posts
      union all select question_id, score from (${answers}) flat cross join lateral (
        select ${answerScore} as score from term where ${hasPart(sql`flat.vector`)}
      ) scored
    ) found
    where id not in (select id from complete)
    group by id order by sum(score) desc nulls last, id desc limit ${sql.lit(maxClosest)}`;
}

/** Whether a vector has words of a term. Without them, the score is 0, and to compute it takes longer. */
const hasPart = (vector: Sql) => sql`(${vector} @@ lexemes or ${vector} @@ longer)`;

/** A copy that is not compressed, once for all words. */
const flatVector = (vector: Sql) => sql`setweight(${vector}, 'D', '{}')`;

/** The score of each term of `term` in a vector. `ts_rank` returns the mean over the lexemes of a query. */
function rankBy(field: keyof typeof labelWeights, vector: Sql): Sql {
  const rank = (query: Sql) =>
    sql`ts_rank(${labelWeights[field]}, ${vector}, ${query}) * (numnode(${query}) + 1) / 2`;
  return sql`(${rank(sql`lexemes`)} + coalesce(${longerWeight} * ${rank(sql`longer`)}, 0))`;
}

/** The scores of the answers of candidates without all words: of several answers, the best counts most. */
function answerScores(): Sql {
  return sql`answered as materialized (
    select candidate.id, sqrt(sum(score * score)) as score, max(share) as share, max(terms) as terms
    from candidate
    cross join lateral (
      select ${flatVector(sql`search_vector`)} as vector from answer where question_id = candidate.id
      order by created_at desc, id desc limit ${sql.lit(maxAnswers.ofQuestion)}
    ) flat
    cross join lateral (
      select ${answerScore} as score,
        sum(rarity) filter (where flat.vector @@ match) / nullif((select sum(rarity) from term), 0) as share,
        count(*) filter (where flat.vector @@ match) as terms
      from term where ${hasPart(sql`flat.vector`)}
    ) scored
    where not candidate.complete
    group by candidate.id
  )`;
}

/** A text counts less because it is long. */
const lengthFactor = (vector: Sql) =>
  sql`(1 + ${sql.lit(length.share)} * ln(greatest(1, length(${vector}) / ${sql.lit(length.from)}::float8)))`;

/** The score of an answer with the words `flat.vector`. */
const answerScore = sql`sum(weight * ${rankBy('answer', sql`flat.vector`)}) / ${lengthFactor(sql`flat.vector`)}`;
