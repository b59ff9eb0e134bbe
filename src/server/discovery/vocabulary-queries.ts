import { sql } from 'kysely';
import type { Reader } from '#server/core/database.ts';
import { planOnceHint } from '#server/core/database-prepared-statements.ts';
import { likeContains } from '#server/core/sql.ts';

/**
 * How the index spells a text without spaces: its exact words, and their stems without stop words. `stem` is that of
 * the text as one word; null for a stop word.
 */
export type Lexemes = { exact: readonly string[]; stems: readonly string[]; stem: string | null };

export async function readLexemes(db: Reader, texts: readonly string[]): Promise<[string, Lexemes][]> {
  const { rows } = await sql<Lexemes & { text: string }>`
    ${planOnceHint}select text, tsvector_to_array(search_words(text)) as exact,
      tsvector_to_array(search_parsed(text)) as stems, (ts_lexize('english_stem', text))[1] as stem
    from unnest((select ${[...texts]}::text[])) as text`.execute(db);
  return rows.map(({ text, ...lexemes }) => [text, lexemes]);
}

/** Returns the stems of texts with the number of their uses, each times the weight of the text. */
export async function countStems(
  db: Reader,
  texts: readonly { text: string; weight: number }[],
): Promise<{ stem: string; uses: number }[]> {
  const stems = texts.map(
    ({ text, weight }) =>
      sql`select lexeme, ${weight}::int * cardinality(positions) as uses from unnest(search_parsed(${text}))`,
  );
  const { rows } = await sql<{ stem: string; uses: number }>`
    ${planOnceHint}select lexeme as stem, sum(uses)::float8 as uses from (${sql.join(stems, sql` union all `)}) used
    group by lexeme`.execute(db);
  return rows;
}

export type CommunityWords = {
  questions: number;
  answers: number;
  /** Whether the most popular posts are marked (search-popularity.ts). */
  hasPopular: { question: boolean; answer: boolean };
  /** The words that most questions have, with the share of questions. */
  shares: ReadonlyMap<string, number>;
};

/** Reads the estimates of PostgreSQL, which autovacuum updates. Below a thousand posts, they are counted. */
export async function readCommunityWords(db: Reader): Promise<CommunityWords> {
  const size = (table: string) => sql`greatest(
    (select reltuples from pg_class where oid = ${`base_${table}`}::regclass)::float8,
    (select count(*) from (select from ${sql.table(table)} limit 1000) few)
  )`;
  const { rows } = await sql<{
    questions: number;
    answers: number;
    popular_questions: boolean;
    popular_answers: boolean;
    words: string[] | null;
    shares: number[] | null;
  }>`
    select ${size('question')} as questions, ${size('answer')} as answers,
      exists (select from question where popularity = 0) as popular_questions,
      exists (select from answer where popularity = 0) as popular_answers,
      most_common_elems::text::text[] as words, most_common_elem_freqs::float8[] as shares
    from (select) one left join pg_stats
      on schemaname = current_schema() and tablename = 'base_question' and attname = 'search_vector'`.execute(
    db,
  );
  const [row] = rows;
  return {
    questions: row?.questions ?? 0,
    answers: row?.answers ?? 0,
    hasPopular: { question: row?.popular_questions ?? false, answer: row?.popular_answers ?? false },
    shares: new Map((row?.words ?? []).map((word, index) => [word, row?.shares?.[index] ?? 0])),
  };
}

/** Returns the number of questions that have each word, or of answers if no question has it, up to `most`. */
export async function countPostsWith(
  db: Reader,
  { words, most }: { words: readonly string[]; most: number },
): Promise<[string, number][]> {
  const countIn = (table: string) => sql`
    select count(*) from (
      select from ${sql.table(table)} where search_vector @@ quote_literal(word)::tsquery limit ${sql.lit(most)}
    ) few`;
  const { rows } = await sql<{ word: string; posts: number }>`
    ${planOnceHint}select word, coalesce(nullif((${countIn('question')}), 0), (${countIn('answer')})) as posts
    from unnest((select ${[...words]}::text[])) as word`.execute(db);
  return rows.map(({ word, posts }) => [word, posts]);
}

/** Which longer words to find: those that contain a part, begin with it or end with it. */
export type WordPattern = { part: string; where: 'containing' | 'beginning' | 'ending' };

/** Words that are read from the vocabulary at most, to choose the most used ones from. */
const maxScanned = sql.lit(2_000);

/** Sorts after every continuation of a word. */
const last = String.fromCodePoint(0x10ffff);

/** Returns the most used words that match the pattern and are longer, without those that have the same stem. */
export async function findLongerWords(
  db: Reader,
  { part, where }: WordPattern,
  limit: number,
): Promise<string[]> {
  const backwards = Array.from(part).toReversed().join('');
  const matching = {
    containing: sql`word like (select ${likeContains(part)}::text) and word <> (select ${part}::text)`,
    beginning: sql`word > (select ${part}::text) and word < (select ${part + last}::text)`,
    ending: sql`reverse(word) > (select ${backwards}::text) and reverse(word) < (select ${backwards + last}::text)`,
  }[where];
  const { rows } = await sql<{ word: string }>`
    ${planOnceHint}select word from (select word, uses from search_word where ${matching} limit ${maxScanned}) longer
    where ts_lexize('english_stem', word) <> ts_lexize('english_stem', (select ${part}::text))
    group by word order by max(uses) desc, word limit ${sql.lit(limit)}`.execute(db);
  return rows.map(({ word }) => word);
}

/** The least similarity (pg_trgm, 0 to 1) of words that differ by typing errors. */
const minSimilarity = sql.lit(0.4);

/**
 * Returns words of the vocabulary that differ from the word by typing errors: first those with two neighboring letters
 * swapped, which changes most trigrams of a short word, then the most alike.
 */
export async function findAlikeWords(db: Reader, word: string, limit: number): Promise<string[]> {
  const isSwapped = sql`word = any(${listSwapped(word)}::text[])`;
  const { rows } = await sql<{ word: string }>`
    select word from search_word
    where ${isSwapped} or (word % ${word} and similarity(word, ${word}) >= ${minSimilarity})
    group by word order by ${isSwapped} desc, similarity(word, ${word}) desc, max(uses) desc, word
    limit ${sql.lit(limit)}`.execute(db);
  return rows.map((row) => row.word);
}

/** The word with each pair of neighboring letters swapped. */
function listSwapped(word: string): string[] {
  const letters = Array.from(word);
  return letters
    .slice(1)
    .map((letter, index) =>
      letters
        .with(index, letter)
        .with(index + 1, letters[index] ?? '')
        .join(''),
    )
    .filter((each) => each !== word);
}
