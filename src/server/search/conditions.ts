import { type RawBuilder, sql } from 'kysely';
import { likeContains } from '#server/platform/sql.ts';
import type { Asked } from './asked.ts';
import { askedWords } from './words.ts';

type Sql = RawBuilder<unknown>;

/** The texts of a post that are searched, and what PostgreSQL knows of their words. */
export type Searched = { texts: readonly [Sql, ...Sql[]]; vector: Sql };

/** For `question post`. */
export const ofQuestion: Searched = {
  texts: [sql`post.title`, sql`post.tag_text`, sql`post.content`],
  vector: sql`post.search_vector`,
};

/** For `answer post`. */
export const ofAnswer: Searched = { texts: [sql`post.content`], vector: sql`post.search_vector` };

/** Conditions on `question post`: all that is asked for but the words. */
export function questionConditions(asked: Asked): Sql[] {
  return [
    ...tagConditions(asked, sql`post.id`),
    ...authorAndTime(asked),
    ...asked.is.flatMap(answeredCondition('post')),
    ...asked.numbers.flatMap(({ field, from, to }) => {
      if (field === 'score') return questionScore(from, to);
      if (field === 'views') return between(sql`post.views`, from, to);
      return [placed(between(sql`answer_count`, from, to))];
    }),
    ...wordConditions(asked, ofQuestion),
  ];
}

/** Conditions on `answer post`: its own author, time, score and text, its question's tags, answers and views. */
export function answerConditions(asked: Asked): Sql[] {
  const ofItsQuestion = [
    ...asked.is.flatMap(answeredCondition('question')),
    ...asked.numbers.flatMap(({ field, from, to }) => {
      if (field === 'score') return [];
      return between(field === 'views' ? sql`question.views` : sql`question.answer_count`, from, to);
    }),
  ];
  return [
    ...tagConditions(asked, sql`post.question_id`),
    ...authorAndTime(asked),
    ...asked.numbers.flatMap(({ field, from, to }) => (field === 'score' ? scoreConditions(from, to) : [])),
    ...wordConditions(asked, ofAnswer),
    ...(ofItsQuestion.length === 0
      ? []
      : [sql`exists (select from question where question.id = post.question_id and ${all(ofItsQuestion)})`]),
  ];
}

/** Whether something is asked for that an index leads to, beside the words. */
export function isNarrowed(asked: Asked): boolean {
  return asked.tags.length > 0 || asked.authors.length > 0 || asked.created.some(({ from }) => from !== null);
}

export function all(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? sql`true` : sql`(${sql.join(conditions, sql` and `)})`;
}

export function any(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? sql`false` : sql`(${sql.join(conditions, sql` or `)})`;
}

/** Whether one of the texts contains the part as typed. */
export function contains({ texts }: Pick<Searched, 'texts'>, part: string): Sql {
  return any(texts.map((text) => sql`${text} ${likeFor(part)} ${likeContains(part)}`));
}

/** Without case to forget, as in Chinese, the simple comparison is ten times as fast. */
export const likeFor = (part: string): Sql =>
  part.toLowerCase() === part.toUpperCase() ? sql`like` : sql`ilike`;

/**
 * Whether the texts, taken together, have all words of `text` in any inflection. `weight` has only those words of the
 * vector count that are of a title (A) or of tags (B).
 */
export function hasAll({ texts, vector }: Searched, text: string, weight?: 'A' | 'B'): Sql {
  const { inflected, parts } = askedWords(text);
  const each = parts.map((part) => contains({ texts }, part));
  if (inflected) each.unshift(sql`${vector} @@ ${queryOf(text, weight)}`);
  return each.length === 0 ? sql`false` : all(each);
}

function queryOf(text: string, weight?: 'A' | 'B'): Sql {
  const query = sql`plainto_tsquery('english', ${text})`;
  if (weight === undefined) return query;
  // As text, a query has each of its words in quotation marks, those in it doubled.
  return sql`regexp_replace(${query}::text, ${String.raw`('(?:[^']|'')+')`}, ${String.raw`\1:${weight}`}, 'g')::tsquery`;
}

function wordConditions({ phrases, without }: Asked, searched: Searched): Sql[] {
  return [
    ...phrases.map((phrase) => contains(searched, phrase)),
    ...without.phrases.map((phrase) => sql`not ${contains(searched, phrase)}`),
    ...without.words.map((word) => sql`not ${any([hasAll(searched, word), hasStopWord(searched, word)])}`),
  ];
}

/** Words such as 'not' are nothing to the dictionary; who leaves one out means it. */
function hasStopWord({ texts }: Searched, word: string): Sql {
  const found = any(texts.map((text) => sql`${text} ~* ${wholeWord(word)}`));
  return sql`(numnode(plainto_tsquery('english', ${word})) = 0 and ${found})`;
}

/** A regular expression for the text with no letter or digit on either side of it. */
export function wholeWord(text: string): string {
  return String.raw`(?<![[:alnum:]])${text.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)}(?![[:alnum:]])`;
}

function tagConditions({ tags, without }: Asked, questionId: Sql): Sql[] {
  const has = (tagId: number) =>
    sql`exists (select from question_tag link where link.question_id = ${questionId} and link.tag_id = ${tagId})`;
  return [...tags.map(has), ...without.tags.map((tagId) => sql`not ${has(tagId)}`)];
}

function authorAndTime({ authors, without, created }: Asked): Sql[] {
  return [
    ...authors.map((ids) => sql`post.author_id = any(${ids}::bigint[])`),
    ...(without.authors.length === 0
      ? []
      : [sql`(post.author_id is null or post.author_id <> all(${without.authors}::bigint[]))`]),
    ...created.flatMap(({ from, to }) => [
      ...(from === null ? [] : [sql`post.created_at >= ${from}::timestamptz`]),
      ...(to === null ? [] : [sql`post.created_at < ${to}::timestamptz`]),
    ]),
  ];
}

function answeredCondition(table: 'post' | 'question') {
  const answers = sql`${sql.ref(`${table}.answer_count`)}`;
  return (is: Asked['is'][number]): Sql[] => {
    if (is === 'answered') return [sql`${answers} > 0`];
    if (is === 'solved') return [sql`${sql.ref(`${table}.accepted_answer_id`)} is not null`];
    if (is !== 'unanswered') return [];
    return [table === 'post' ? placed([sql`answer_count = 0`]) : sql`${answers} = 0`];
  };
}

/** Who has that score has as many upvotes, which an index knows. */
function questionScore(from: number | null, to: number | null): Sql[] {
  const upvotes = from !== null && from > 0 ? [placed([sql`upvotes >= ${from}`])] : [];
  return [...upvotes, ...scoreConditions(from, to)];
}

/** Of `question post`, by the indexes of what is counted often. */
const placed = (conditions: readonly Sql[]) =>
  sql`post.id in (select question_id from question_sort_key where ${all(conditions)})`;

function scoreConditions(from: number | null, to: number | null): Sql[] {
  return between(sql`post.upvotes - post.downvotes`, from, to);
}

function between(value: Sql, from: number | null, to: number | null): Sql[] {
  return [
    ...(from === null ? [] : [sql`${value} >= ${from}`]),
    ...(to === null ? [] : [sql`${value} <= ${to}`]),
  ];
}
