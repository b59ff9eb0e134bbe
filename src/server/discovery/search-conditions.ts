import { type RawBuilder, sql } from 'kysely';
import { likeContains } from '#server/core/sql.ts';
import type { SearchCriteria } from './search-criteria.ts';
import { codeName, otherScriptLetter, withoutPunctuation } from './search-words.ts';

type Sql = RawBuilder<unknown>;

/** The texts of a post that are searched, and their text search vector. */
export type SearchedTexts = { texts: readonly [Sql, ...Sql[]]; vector: Sql };

/** For a `question post` in the query. */
export const questionTexts: SearchedTexts = {
  texts: [sql`post.title`, sql`post.tag_text`, sql`post.content`],
  vector: sql`post.search_vector`,
};

/** For an `answer post` in the query. */
export const answerTexts: SearchedTexts = { texts: [sql`post.content`], vector: sql`post.search_vector` };

/** Conditions on `question post`: everything the query requires except words. */
export function questionConditions(criteria: SearchCriteria): Sql[] {
  return [
    ...indexedConditions(criteria, 'question'),
    ...criteria.statuses.flatMap(answeredCondition('post')),
    ...criteria.numbers.flatMap(({ field, from, to }) => {
      if (field === 'score') return questionScore(from, to);
      if (field === 'views') return rangeConditions(sql`post.views`, from, to);
      return [matchSortKeys(rangeConditions(sql`answer_count`, from, to))];
    }),
    ...wordConditions(criteria, questionTexts),
  ];
}

/**
 * Conditions on `answer post`: the answer's author, time, score and text, and its question's tags, answers and views.
 */
export function answerConditions(criteria: SearchCriteria): Sql[] {
  const ofItsQuestion = [
    ...criteria.statuses.flatMap(answeredCondition('question')),
    ...criteria.numbers.flatMap(({ field, from, to }) => {
      if (field === 'score') return [];
      return rangeConditions(field === 'views' ? sql`question.views` : sql`question.answer_count`, from, to);
    }),
  ];
  return [
    ...indexedConditions(criteria, 'answer'),
    ...criteria.numbers.flatMap(({ field, from, to }) =>
      field === 'score' ? scoreConditions(from, to) : [],
    ),
    ...wordConditions(criteria, answerTexts),
    ...(ofItsQuestion.length === 0
      ? []
      : [
          sql`exists (select from question where question.id = post.question_id and ${allOf(ofItsQuestion)})`,
        ]),
  ];
}

/** The conditions on `post` by tags, authors and days: those that have an index, and what they exclude. */
export function indexedConditions(criteria: SearchCriteria, table: 'question' | 'answer'): Sql[] {
  const questionId = table === 'question' ? sql`post.id` : sql`post.question_id`;
  return [...tagConditions(criteria, questionId), ...authorAndTimeConditions(criteria)];
}

/** Whether the query has a condition other than words that an index serves. */
export function hasIndexedCondition(criteria: SearchCriteria): boolean {
  return (
    criteria.tags.length > 0 ||
    criteria.authors.length > 0 ||
    criteria.created.some(({ from }) => from !== null)
  );
}

export function allOf(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? sql`true` : sql`(${sql.join(conditions, sql` and `)})`;
}

export function anyOf(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? sql`false` : sql`(${sql.join(conditions, sql` or `)})`;
}

/**
 * Whether one of the texts contains the part as typed. The pattern is in a subquery, so that the plan does not depend
 * on it (core/database-prepared-statements.ts).
 */
export function containsText({ texts }: Pick<SearchedTexts, 'texts'>, part: string): Sql {
  return anyOf(texts.map((text) => sql`${text} ${likeOperator(part)} (select ${likeContains(part)}::text)`));
}

/** In scripts without case, such as Chinese, `like` is ten times as fast as `ilike`. */
const likeOperator = (part: string): Sql =>
  part.toLowerCase() === part.toUpperCase() ? sql`like` : sql`ilike`;

/** Whether the texts have the word in any inflection; in scripts that the dictionary does not support, as typed. */
function hasWord(searched: SearchedTexts, word: string): Sql {
  const plain = withoutPunctuation(word);
  const inflected = otherScriptLetter.test(word)
    ? []
    : [sql`${searched.vector} @@ plainto_tsquery('english', ${word})`];
  const typed = inflected.length === 0 || codeName.test(plain) ? [containsText(searched, plain)] : [];
  return allOf([...inflected, ...typed]);
}

function wordConditions({ phrases, excluded }: SearchCriteria, searched: SearchedTexts): Sql[] {
  return [
    ...phrases.map((phrase) => containsText(searched, phrase)),
    ...excluded.phrases.map((phrase) => sql`not ${containsText(searched, phrase)}`),
    ...excluded.words.map(
      (word) => sql`not ${anyOf([hasWord(searched, word), hasStopWord(searched, word)])}`,
    ),
  ];
}

/** The dictionary ignores stop words such as 'not'. This makes excluding one still work. */
function hasStopWord({ texts }: SearchedTexts, word: string): Sql {
  const found = anyOf(texts.map((text) => sql`${text} ~* ${wholeWordPattern(word)}`));
  return sql`(numnode(plainto_tsquery('english', ${word})) = 0 and ${found})`;
}

/** A regular expression that matches the text without a letter or digit on either side. */
function wholeWordPattern(text: string): string {
  return String.raw`(?<![[:alnum:]])${text.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)}(?![[:alnum:]])`;
}

function tagConditions({ tags, excluded }: SearchCriteria, questionId: Sql): Sql[] {
  const has = (tagId: number) =>
    sql`exists (select from question_tag link where link.question_id = ${questionId} and link.tag_id = ${tagId})`;
  return [...tags.map(has), ...excluded.tags.map((tagId) => sql`not ${has(tagId)}`)];
}

function authorAndTimeConditions({ authors, excluded, created }: SearchCriteria): Sql[] {
  return [
    ...authors.map((ids) => sql`post.author_id = any(${ids}::bigint[])`),
    ...(excluded.authors.length === 0
      ? []
      : [sql`(post.author_id is null or post.author_id <> all(${excluded.authors}::bigint[]))`]),
    ...created.flatMap(({ from, to }) => [
      ...(from === null ? [] : [sql`post.created_at >= ${from}::timestamptz`]),
      ...(to === null ? [] : [sql`post.created_at < ${to}::timestamptz`]),
    ]),
  ];
}

function answeredCondition(table: 'post' | 'question') {
  const answers = sql`${sql.ref(`${table}.answer_count`)}`;
  return (is: SearchCriteria['statuses'][number]): Sql[] => {
    if (is === 'answered') return [sql`${answers} > 0`];
    if (is === 'solved') return [sql`${sql.ref(`${table}.accepted_answer_id`)} is not null`];
    if (is !== 'unanswered') return [];
    return [table === 'post' ? matchSortKeys([sql`answer_count = 0`]) : sql`${answers} = 0`];
  };
}

/** A score is at most the number of upvotes, which has an index. */
function questionScore(from: number | null, to: number | null): Sql[] {
  const upvotes = from !== null && from > 0 ? [matchSortKeys([sql`upvotes >= ${from}`])] : [];
  return [...upvotes, ...scoreConditions(from, to)];
}

/** A condition on `question post` that uses the indexes of the sort keys. */
const matchSortKeys = (conditions: readonly Sql[]) =>
  sql`post.id in (select question_id from question_sort_key where ${allOf(conditions)})`;

function scoreConditions(from: number | null, to: number | null): Sql[] {
  return rangeConditions(sql`post.upvotes - post.downvotes`, from, to);
}

function rangeConditions(value: Sql, from: number | null, to: number | null): Sql[] {
  return [
    ...(from === null ? [] : [sql`${value} >= ${from}`]),
    ...(to === null ? [] : [sql`${value} <= ${to}`]),
  ];
}
