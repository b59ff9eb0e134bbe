/** Apart from the schemas of drafts.ts, so that a page without a form does not load what checks them. */

/** The three kinds of posts, and one of them. */
type Post = { kind: 'question' | 'answer' | 'reply'; id: number };

/** What a draft is for, as the text that names it: 'ask', 'answer:7' (to question 7), 'reply:answer:12', 'edit:reply:3'. */
export const placePattern =
  /^(?:ask|answer:[1-9]\d{0,14}|(?:reply|edit):(?:question|answer|reply):[1-9]\d{0,14})$/;

export function isDraftPlace(place: string): boolean {
  return placePattern.test(place);
}

/** The names of the places of drafts; `places.reply({ kind: 'question', … })` is a comment. */
export const draftPlaces = {
  ask: 'ask',
  answer: (questionId: number) => `answer:${questionId}`,
  reply: ({ kind, id }: Post) => `reply:${kind}:${id}`,
  edit: ({ kind, id }: Post) => `edit:${kind}:${id}`,
} as const;

/** What a place says; null for a text that names none. */
export function parseDraftPlace(
  place: string,
): { form: 'ask' } | { form: 'answer'; questionId: number } | { form: 'reply' | 'edit'; post: Post } | null {
  if (!isDraftPlace(place)) return null;
  const [form, first = '', second = ''] = place.split(':');
  if (form === 'ask') return { form };
  if (form === 'answer') return { form, questionId: Number(first) };
  const kind = first === 'question' || first === 'answer' ? first : 'reply';
  return { form: form === 'edit' ? 'edit' : 'reply', post: { kind, id: Number(second) } };
}

/** The header by which an edit names the draft it was written as. A new post names it by its idempotency key. */
export const draftHeader = 'parley-draft';
