/** Apart from the schemas of drafts.ts, so that a page without a form does not load what checks them. */

/** The three kinds of posts, and one of them. */
type PostRef = { kind: 'question' | 'answer' | 'reply'; id: number };

/** What a draft is for, as the text that names it: 'ask', 'answer:7' (to question 7), 'reply:answer:12', 'edit:reply:3'. */
export const draftTargetPattern =
  /^(?:ask|answer:[1-9]\d{0,14}|(?:reply|edit):(?:question|answer|reply):[1-9]\d{0,14})$/;

export function isDraftTarget(target: string): boolean {
  return draftTargetPattern.test(target);
}

/** The names of the places of drafts; `places.reply({ kind: 'question', … })` is a comment. */
export const draftTargets = {
  ask: 'ask',
  answer: (questionId: number) => `answer:${questionId}`,
  reply: ({ kind, id }: PostRef) => `reply:${kind}:${id}`,
  edit: ({ kind, id }: PostRef) => `edit:${kind}:${id}`,
} as const;

/** What a place says; null for a text that names none. */
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

/** The header by which an edit names the draft it was written as. A new post names it by its idempotency key. */
export const draftHeader = 'parley-draft';
