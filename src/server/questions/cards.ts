import { sql } from 'kysely';
import { toByline, bylineColumns, type BylineRow } from '#server/posts/post.ts';
import type { QuestionCard } from '#shared/questions.ts';

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

/** The columns of a question in a list, selected from `question post` with the byline's joins. */
export const questionCardColumns = sql`
  post.id, post.title, post.excerpt, post.excerpt_cut, post.created_at,
  post.upvotes, post.downvotes, post.views, post.answer_count, post.accepted_answer_id,
  post.duplicate_of is not null as is_duplicate,
  array(
    select tag.name from question_tag join tag on tag.id = question_tag.tag_id
    where question_tag.question_id = post.id order by question_tag.position
  ) as tags,
  ${bylineColumns}`;

/** A question in a list, as the API gives it. */
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
