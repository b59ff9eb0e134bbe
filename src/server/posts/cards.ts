import type { AnswerCard } from '#shared/posts/cards.ts';
import { type RawBuilder, sql } from 'kysely';
import { jsonTime } from '#server/core/sql.ts';
import { bylineColumns, bylineJson, type BylineRow, toByline } from './posts.ts';
import { createExcerpt } from './excerpt.ts';
import type { QuestionCard } from '#shared/posts/questions.ts';

export type AnswerCardRow = BylineRow & {
  id: number;
  question_id: number;
  question_title: string;
  content_start: string;
  created_at: Date;
  upvotes: number;
  downvotes: number;
  is_accepted: boolean;
};

/** The columns of an answer in a list, selected from `answer post` joined with `question` and the byline's joins. */
export const answerCardColumns = sql`
  post.id, post.question_id, question.title as question_title, left(post.content, 3500) as content_start,
  post.created_at, post.upvotes, post.downvotes, question.accepted_answer_id is not distinct from post.id as is_accepted,
  ${bylineColumns}`;

/** The excerpt of an answer in a list. The first few thousand characters are enough for it. */
export function createAnswerExcerpt(content: string): Pick<AnswerCard, 'excerpt' | 'excerptCut'> {
  const { excerpt: text, cut } = createExcerpt(content.slice(0, 3500));
  return { excerpt: text, excerptCut: cut };
}

/** Converts a row to an answer card of the API. */
export function toAnswerCard(row: AnswerCardRow): AnswerCard {
  return {
    id: row.id,
    questionId: row.question_id,
    questionTitle: row.question_title,
    ...createAnswerExcerpt(row.content_start),
    ...toByline(row, 'answer'),
    createdAt: row.created_at.toISOString(),
    upvotes: row.upvotes,
    downvotes: row.downvotes,
    accepted: row.is_accepted,
  };
}

export type QuestionCardRow = BylineRow & {
  id: number;
  title: string;
  excerpt: string;
  excerpt_cut: boolean;
  tags: string[];
  created_at: Date;
  upvotes: number;
  downvotes: number;
  views: number;
  answer_count: number;
  accepted_answer_id: number | null;
  is_duplicate: boolean;
};

/** SQL: the names of a question's tags in its author's order. */
export const tagNamesOf = (questionId: RawBuilder<unknown>) => sql<string[]>`array(
  select tag.name from question_tag join tag on tag.id = question_tag.tag_id
  where question_tag.question_id = ${questionId} order by question_tag.position
)`;

/** The same of `question post`. */
export const questionTagNames = tagNamesOf(sql`post.id`);

/** The columns of a question in a list, selected from `question post` with the byline's joins. */
export const questionCardColumns = sql`
  post.id, post.title, post.excerpt, post.excerpt_cut, post.created_at,
  post.upvotes, post.downvotes, post.views, post.answer_count, post.accepted_answer_id,
  post.duplicate_of is not null as is_duplicate,
  ${questionTagNames} as tags,
  ${bylineColumns}`;

/** Converts a row to a question card of the API. */
export function toQuestionCard(row: QuestionCardRow): QuestionCard {
  return {
    id: row.id,
    title: row.title,
    excerpt: row.excerpt,
    excerptCut: row.excerpt_cut,
    tags: row.tags,
    ...toByline(row, 'question'),
    createdAt: row.created_at.toISOString(),
    upvotes: row.upvotes,
    downvotes: row.downvotes,
    views: row.views,
    answerCount: row.answer_count,
    solved: row.accepted_answer_id !== null,
    duplicate: row.is_duplicate,
  };
}

/** A question in the document of a list, and what its list needs to know of it. */
export type QuestionCardDocumentRow = {
  /** The JSON of the card. */
  card: string;
  id: number;
  author_id: number | null;
  created_at: Date;
  upvotes: number;
};

/** Its columns, selected from `question post` with the byline's joins. */
export const questionCardDocumentColumns = sql`
  post.id, post.author_id, post.created_at, post.upvotes,
  json_build_object(
    'id', post.id, 'title', post.title, 'excerpt', post.excerpt, 'excerptCut', post.excerpt_cut,
    'tags', ${questionTagNames}, ${bylineJson('question')},
    'createdAt', ${jsonTime(sql`post.created_at`)},
    'upvotes', post.upvotes, 'downvotes', post.downvotes, 'answerCount', post.answer_count,
    'solved', post.accepted_answer_id is not null, 'duplicate', post.duplicate_of is not null
  )::text as card`;

/** The JSON of a page of cards. */
export function toCardsJson(rows: readonly QuestionCardDocumentRow[], nextCursor: string | null): string {
  return `{"items":[${rows.map(({ card }) => card).join()}],"nextCursor":${JSON.stringify(nextCursor)}}`;
}
