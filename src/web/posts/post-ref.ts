import type { PostRef } from '#shared/core/fields.ts';
import type { Answer } from '#shared/posts/answers.ts';
import type { Question } from '#shared/posts/questions.ts';
import type { Reply } from '#shared/posts/replies.ts';

export type AnyPost = Question | Answer | Reply;

/** The id of the post's element and the hash of its address: `answer-12`; `question` for the question. */
export function anchorOf({ kind, id }: PostRef): string {
  return kind === 'question' ? 'question' : `${kind}-${id}`;
}

/** The id of the element of a hidden post, beside which a form of the post can stay. */
export const hiddenPostAnchor = ({ kind, postId }: { kind: PostRef['kind']; postId: number }) =>
  `hidden-${kind}-${postId}`;

/** The post that a hash refers to on the page of a question; null if there is none. */
export function parsePostHash(hash: string, questionId: number): PostRef | null {
  if (hash === 'question') return { kind: 'question', id: questionId };
  const [, kind, digits] = /^(answer|reply)-(\d{1,15})$/u.exec(hash) ?? [];
  if (digits === undefined || (kind !== 'answer' && kind !== 'reply')) return null;
  return { kind, id: Number(digits) };
}

export function isSamePost(one: PostRef | null, other: PostRef | null): boolean {
  return one !== null && other !== null && one.kind === other.kind && one.id === other.id;
}
