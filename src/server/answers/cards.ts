import { sql } from 'kysely';
import { toByline, bylineColumns, type BylineRow } from '#server/posts/post.ts';
import { createExcerpt } from '#server/questions/excerpt.ts';
import type { AnswerCard } from '#shared/search.ts';

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

/** What a list shows of an answer's text, of which a few thousand characters are enough. */
export function createAnswerExcerpt(content: string): Pick<AnswerCard, 'excerpt' | 'excerptCut'> {
  const { excerpt: text, cut } = createExcerpt(content.slice(0, 3500));
  return { excerpt: text, excerptCut: cut };
}

/** An answer in a list, as the API gives it. */
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
