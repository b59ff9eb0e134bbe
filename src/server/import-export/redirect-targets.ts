import { selectVisibleTags } from '#server/posts/index.ts';

/** SQL that finds what a row of `imported_redirect redirect` leads to, if it is visible. */
export const redirectTargets = {
  columns: `redirect.kind, redirect.target_id as id,
    coalesce(question.id, answer.question_id, reply.question_id) as question_id, tag.name as tag`,
  joins: `
    left join question on redirect.kind = 'question' and question.id = redirect.target_id
    left join answer on redirect.kind = 'answer' and answer.id = redirect.target_id
    left join reply on redirect.kind = 'reply' and reply.id = redirect.target_id and reply.deleted_at is null
    left join member on redirect.kind = 'member' and member.id = redirect.target_id and member.deleted_at is null
    left join (${selectVisibleTags}) tag on redirect.kind = 'tag' and tag.id = redirect.target_id`,
  isVisible: 'coalesce(question.id, answer.id, reply.id, member.id, tag.id) is not null',
} as const;

type Target = {
  kind: 'question' | 'answer' | 'reply' | 'member' | 'tag';
  id: string;
  question_id: string | null;
  tag: string | null;
};

/** The path of a target here, as in the web app (src/web/core/paths.ts). */
export function getRedirectPath({ kind, id, question_id: questionId, tag }: Target): string {
  if (kind === 'member') return `/profile/${id}`;
  if (kind === 'tag') return `/topics/${encodeURIComponent(tag ?? '')}`;
  return `/question/${questionId}${kind === 'question' ? '' : `#${kind}-${id}`}`;
}
