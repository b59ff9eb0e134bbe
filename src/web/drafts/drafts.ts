import { t } from '@lingui/core/macro';
import { queryOptions } from '@tanstack/react-query';
import { parseDraftPlace } from '#shared/draft-places.ts';
import type { DraftSummary } from '#shared/drafts.ts';
import { truncate } from '#shared/text.ts';
import { api, read } from '#web/platform/api.ts';
import { recordsOf } from '#web/platform/draft-store.ts';
import { isKept } from '#web/platform/draft-sync.ts';
import { paths, questionPath } from '#web/platform/paths.ts';
import { anchorOf } from '#web/posts/post.ts';
import { draftKeys } from './draft-keys.ts';

/** A draft as the list shows it; `version` null: only this browser has it. */
export type DraftItem = Omit<DraftSummary, 'version'> & { version: number | null };

/** The member's drafts, the latest first: those of the server, and what only this browser has. */
export const draftsQuery = (memberId: number) =>
  queryOptions({
    queryKey: [...draftKeys.all, memberId],
    queryFn: async ({ signal }): Promise<DraftItem[]> => {
      const { items } = await read(api.drafts.$get({}, { init: { signal } }));
      return withThoseHere(memberId, items);
    },
    staleTime: 0,
  });

function withThoseHere(memberId: number, items: readonly DraftSummary[]): DraftItem[] {
  const known = new Map(items.map((item) => [item.place, item]));
  const here = recordsOf(memberId)
    .filter(({ place, record }) => isKept(place) && record.dirty && record.fields !== null)
    .map(({ place, record }): DraftItem => {
      const { title = null, content } = record.fields ?? {};
      return {
        place,
        version: known.get(place)?.version ?? null,
        updatedAt: new Date(record.at).toISOString(),
        title,
        beginning: truncate((content ?? '').trimStart(), 200),
        question: known.get(place)?.question ?? null,
      };
    });
  const newer = new Set(here.map(({ place }) => place));
  return [...here, ...items.filter(({ place }) => !newer.has(place))].toSorted((one, other) =>
    one.updatedAt < other.updatedAt ? 1 : -1,
  );
}

/** What a draft is, in a sentence of its own. */
export function nameOf({ place, question, title }: DraftItem): string {
  const parsed = parseDraftPlace(place);
  if (parsed === null || parsed.form === 'ask') return newQuestion(title?.trim() ?? '');
  const at = question?.title ?? null;
  if (parsed.form === 'answer') return at === null ? t`Your answer` : answerTo(at);
  return names[parsed.form][parsed.post.kind](at);
}

const newQuestion = (title: string) => (title === '' ? t`A new question` : t`A new question: "${title}"`);
const answerTo = (title: string) => t`Your answer to "${title}"`;

type NameOf = (title: string | null) => string;

const names: Readonly<Record<'reply' | 'edit', Record<'question' | 'answer' | 'reply', NameOf>>> = {
  reply: {
    question: (title) => (title === null ? t`Your comment` : t`Your comment on "${title}"`),
    answer: (title) =>
      title === null ? t`Your reply to an answer` : t`Your reply to an answer to "${title}"`,
    reply: (title) => (title === null ? t`Your reply to a reply` : t`Your reply to a reply at "${title}"`),
  },
  edit: {
    question: (title) => (title === null ? t`Your edit of a question` : t`Your edit of "${title}"`),
    answer: (title) =>
      title === null ? t`Your edit of an answer` : t`Your edit of your answer to "${title}"`,
    reply: (title) => (title === null ? t`Your edit of a reply` : t`Your edit of your reply at "${title}"`),
  },
};

/** Where the form is that holds a draft; the address opens it. Null where what it belongs to is gone. */
export function formPath({ place, question, version }: DraftItem): string | null {
  const parsed = parseDraftPlace(place);
  if (parsed === null) return null;
  if (parsed.form === 'ask') return paths.ask;
  const opening = `?draft=${encodeURIComponent(place)}`;
  // The server has not seen what only this browser has, and so does not know its question.
  if (parsed.form === 'answer')
    return question === null && version !== null ? null : `${questionPath(parsed.questionId)}${opening}`;
  if (question === null) return null;
  return `${questionPath(question.id)}${opening}#${anchorOf(parsed.post)}`;
}
