import type { PostRef } from '#shared/core/fields.ts';

/** Separate from the schemas in drafts.ts, so that a page without a form does not load them. */

/** The target of a draft as a text: 'ask', 'answer:7' (to question 7), 'reply:answer:12', 'edit:reply:3'. */
export const draftTargetPattern =
  /^(?:ask|answer:[1-9]\d{0,14}|(?:reply|edit):(?:question|answer|reply):[1-9]\d{0,14})$/;

/** Begins the client id of a draft that a program saved with an API token. Browsers have random ids. */
export const tokenClientPrefix = 'token-';

export function isDraftTarget(target: string): boolean {
  return draftTargetPattern.test(target);
}

/** Builds targets of drafts. `reply({ kind: 'question', … })` is a comment. */
export const draftTargets = {
  ask: 'ask',
  answer: (questionId: number) => `answer:${questionId}`,
  reply: ({ kind, id }: PostRef) => `reply:${kind}:${id}`,
  edit: ({ kind, id }: PostRef) => `edit:${kind}:${id}`,
} as const;

/** Parses a target; null for an invalid text. */
export function parseDraftTarget(
  target: string,
):
  | { form: 'ask' }
  | { form: 'answer'; questionId: number }
  | { form: 'reply' | 'edit'; post: PostRef }
  | null {
  if (!isDraftTarget(target)) return null;
  const [form, first = '', second = ''] = target.split(':');
  if (form === 'ask') return { form };
  if (form === 'answer') return { form, questionId: Number(first) };
  const kind = first === 'question' || first === 'answer' ? first : 'reply';
  return { form: form === 'edit' ? 'edit' : 'reply', post: { kind, id: Number(second) } };
}

/** The header of an edit with the key of its draft. For a new post, the idempotency key is the key of the draft. */
export const draftHeader = 'parley-draft';
