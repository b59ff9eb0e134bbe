import type { AnswerCard } from '#shared/posts/cards.ts';
import { type RawBuilder, sql } from 'kysely';
import { jsonTime } from '#server/core/sql.ts';
import { bylineJson } from './posts.ts';
import { createExcerpt } from './excerpt.ts';
import type { QuestionCard } from '#shared/posts/questions.ts';

export type AnswerCardRow = {
  id: number;
  created_at: Date;
  content_start: string;
  card: Omit<AnswerCard, 'excerpt' | 'excerptCut'>;
};

/** Characters of an answer that are enough for its excerpt. */
export const answerStartLength = 3500;

/** The columns of an answer in a list, selected from `answer post` joined with `question` and the byline's joins. */
export const answerCardColumns = sql`
  post.id, post.created_at, left(post.content, ${sql.lit(answerStartLength)}) as content_start, json_build_object(
    'id', post.id, 'questionId', post.question_id, 'questionTitle', question.title, ${bylineJson('answer')},
    'createdAt', ${jsonTime(sql`post.created_at`)}, 'upvotes', post.upvotes, 'downvotes', post.downvotes,
    'accepted', question.accepted_answer_id is not distinct from post.id
  ) as card`;

/** The excerpt of an answer in a list. */
export function createAnswerExcerpt(content: string): Pick<AnswerCard, 'excerpt' | 'excerptCut'> {
  const { excerpt: text, cut } = createExcerpt(content.slice(0, answerStartLength));
  return { excerpt: text, excerptCut: cut };
}

/** Adds the excerpt, which PostgreSQL cannot create. */
export function toAnswerCard({ card, content_start }: AnswerCardRow): AnswerCard {
  return { ...card, ...createAnswerExcerpt(content_start) };
}

/** SQL: the names of a question's tags in its author's order. */
export const tagNamesOf = (questionId: RawBuilder<unknown>) => sql<string[]>`array(
  select tag.name from question_tag join tag on tag.id = question_tag.tag_id
  where question_tag.question_id = ${questionId} order by question_tag.position
)`;

/** The same of `question post`. */
export const questionTagNames = tagNamesOf(sql`post.id`);

/** A question in a list, and what its list needs to know of it. */
type ListedQuestion<Card> = {
  card: Card;
  id: number;
  author_id: number | null;
  created_at: Date;
  upvotes: number;
};

export type QuestionCardRow = ListedQuestion<QuestionCard>;

/** A question in the document of a list: the JSON of its card, without the views, which documents do not have. */
export type QuestionCardDocumentRow = ListedQuestion<string>;

const listedColumns = sql`post.id, post.author_id, post.created_at, post.upvotes`;

const cardFields = sql`
  'id', post.id, 'title', post.title, 'excerpt', post.excerpt, 'excerptCut', post.excerpt_cut,
  'tags', ${questionTagNames}, ${bylineJson('question')},
  'createdAt', ${jsonTime(sql`post.created_at`)},
  'upvotes', post.upvotes, 'downvotes', post.downvotes, 'answerCount', post.answer_count,
  'solved', post.accepted_answer_id is not null, 'duplicate', post.duplicate_of is not null`;

/** The columns of a question in a list, selected from `question post` with the byline's joins. */
export const questionCardColumns = sql`${listedColumns}, json_build_object(${cardFields}, 'views', post.views) as card`;

/** The same for the document of a list. */
export const questionCardDocumentColumns = sql`${listedColumns}, json_build_object(${cardFields})::text as card`;

/** The JSON of a page of cards. */
export function toCardsJson(rows: readonly QuestionCardDocumentRow[], nextCursor: string | null): string {
  return `{"items":[${rows.map(({ card }) => card).join()}],"nextCursor":${JSON.stringify(nextCursor)}}`;
}
