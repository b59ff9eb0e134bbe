import { t } from '@lingui/core/macro';
import { queryOptions } from '@tanstack/react-query';
import { parseDraftTarget } from '#shared/posts/drafts-targets.ts';
import type { DraftSummary } from '#shared/posts/drafts.ts';
import { truncate } from '#shared/core/text.ts';
import { api, readJson } from '#web/core/api.ts';
import { listDraftRecords } from './stored-drafts.ts';
import { isServerDraft } from './drafts-sync.ts';
import { paths } from '#web/core/paths.ts';
import { questionPath } from '#shared/posts/question-paths.ts';
import { anchorOf } from '#web/posts/post-ref.ts';
import { draftKeys } from '#web/posts/query-keys.ts';

/** A draft in the list. `version` is null if only this browser has it. */
export type DraftItem = Omit<DraftSummary, 'version'> & { version: number | null };

/** The member's drafts, latest first: those on the server and those only in this browser. */
export const draftsQuery = (memberId: number) =>
  queryOptions({
    queryKey: [...draftKeys.all, memberId],
    queryFn: async ({ signal }): Promise<DraftItem[]> => {
      const { items } = await readJson(api.drafts.$get({}, { init: { signal } }));
      return mergeLocalDrafts(memberId, items);
    },
    staleTime: 0,
  });

function mergeLocalDrafts(memberId: number, items: readonly DraftSummary[]): DraftItem[] {
  const onServer = new Map(items.map((item) => [item.target, item]));
  const unsent = listDraftRecords(memberId).filter(
    ({ target, record }) => isServerDraft({ memberId, target }) && record.dirty,
  );
  // One without text is discarded, and the server is about to delete it.
  const local = unsent
    .filter(({ record }) => record.fields !== null)
    .map(({ target, record }): DraftItem => {
      const { title = null, content } = record.fields ?? {};
      return {
        target,
        version: onServer.get(target)?.version ?? null,
        updatedAt: new Date(record.changedAt).toISOString(),
        title,
        excerpt: truncate((content ?? '').trimStart(), 200),
        question: onServer.get(target)?.question ?? null,
      };
    });
  const newer = new Set(unsent.map(({ target }) => target));
  return [...local, ...items.filter(({ target }) => !newer.has(target))].toSorted((one, other) =>
    one.updatedAt < other.updatedAt ? 1 : -1,
  );
}

/** The label of a draft in the list. */
export function draftLabel({ target, question, title }: DraftItem): string {
  const parsed = parseDraftTarget(target);
  if (parsed === null || parsed.form === 'ask') return newQuestionLabel(title?.trim() ?? '');
  const questionTitle = question?.title ?? null;
  if (parsed.form === 'answer') return questionTitle === null ? t`Your answer` : answerLabel(questionTitle);
  return draftLabels[parsed.form][parsed.post.kind](questionTitle);
}

const newQuestionLabel = (title: string) =>
  title === '' ? t`A new question` : t`A new question: "${title}"`;
const answerLabel = (title: string) => t`Your answer to "${title}"`;

type DraftLabel = (title: string | null) => string;

const draftLabels: Readonly<Record<'reply' | 'edit', Record<'question' | 'answer' | 'reply', DraftLabel>>> = {
  reply: {
    question: (title) => (title === null ? t`Your comment` : t`Your comment on "${title}"`),
    answer: (title) =>
      title === null ? t`Your reply to an answer` : t`Your reply to an answer to "${title}"`,
    reply: (title) => (title === null ? t`Your reply to a reply` : t`Your reply to a reply in "${title}"`),
  },
  edit: {
    question: (title) => (title === null ? t`Your edit of a question` : t`Your edit of "${title}"`),
    answer: (title) =>
      title === null ? t`Your edit of an answer` : t`Your edit of your answer to "${title}"`,
    reply: (title) => (title === null ? t`Your edit of a reply` : t`Your edit of your reply in "${title}"`),
  },
};

/** The address that opens the form of a draft; null if its post no longer exists or its question is not known. */
export function draftFormPath({ target, question, version }: DraftItem): string | null {
  const parsed = parseDraftTarget(target);
  if (parsed === null) return null;
  if (parsed.form === 'ask') return paths.ask;
  const draftParam = `?draft=${encodeURIComponent(target)}`;
  // The server does not know a draft that only this browser has, nor its question.
  if (parsed.form === 'answer')
    return question === null && version !== null
      ? null
      : `${questionPath(parsed.questionId, question?.title)}${draftParam}`;
  if (question === null) return null;
  return `${questionPath(question.id, question.title)}${draftParam}#${anchorOf(parsed.post)}`;
}
