import { useState } from 'react';
import type { QuestionPageData } from '#shared/posts/questions.ts';
import type { RepliesPage, Reply } from '#shared/posts/replies.ts';
import { anchorOf } from '#web/posts/post-ref.ts';
import { listPostsBelowQuestion } from './question-page-data.ts';

/**
 * What a question page shows. `page`: the current data, with the answers and replies that were deleted since it was
 * opened in their old places, so that forms in them keep their text. Such replies have the mark `deleted`.
 * `deletedPosts`: the anchors of these posts, and of the question if it was deleted.
 */
type ShownPage = { page: QuestionPageData | undefined; deletedPosts: ReadonlySet<string> };

/**
 * @param page the current data; the last data if the question was deleted
 * @param listKey the order and the first answer of the list; null while another list is still shown
 */
export function useDeletedPosts(
  page: QuestionPageData | undefined,
  { listKey, isQuestionDeleted }: { listKey: string | null; isQuestionDeleted: boolean },
): ShownPage {
  const input = { page, listKey, isQuestionDeleted };
  const [last, setLast] = useState(() => ({ input, shown: addDeletedPosts(undefined, input) }));
  if (
    last.input.page !== page ||
    last.input.listKey !== listKey ||
    last.input.isQuestionDeleted !== isQuestionDeleted
  ) {
    const before = last.input.listKey === listKey ? last.shown.page : undefined;
    setLast({ input, shown: addDeletedPosts(before, input) });
  }
  return last.shown;
}

function addDeletedPosts(
  before: QuestionPageData | undefined,
  { page, isQuestionDeleted }: { page: QuestionPageData | undefined; isQuestionDeleted: boolean },
): ShownPage {
  const current = page !== undefined && isQuestionDeleted ? withoutPosts(page) : page;
  if (before === undefined || current === undefined) return { page: current, deletedPosts: noPosts };
  const shown = mergeDeletedPosts(before, current);
  const currentAnchors = new Set(listAnchors(current));
  const anchors = listAnchors(shown).filter((anchor) => !currentAnchors.has(anchor));
  if (isQuestionDeleted) anchors.push(anchorOf({ kind: 'question', id: current.question.id }));
  return { page: shown, deletedPosts: anchors.length === 0 ? noPosts : new Set(anchors) };
}

/** Always the same set, so that a page with other data does not render all posts again. */
const noPosts: ReadonlySet<string> = new Set();

const listAnchors = (page: QuestionPageData) =>
  listPostsBelowQuestion(page).map(({ post }) => anchorOf(post));

function withoutPosts(page: QuestionPageData): QuestionPageData {
  return { ...page, replies: none, answers: { items: [], nextCursor: null } };
}

/** Adds the posts that are missing from the current page after their predecessors on the page before. */
function mergeDeletedPosts(before: QuestionPageData, current: QuestionPageData): QuestionPageData {
  const threads = new Map(before.answers.items.map((answer) => [answer.id, answer.replies]));
  const currentIds = new Set(current.answers.items.map(({ id }) => id));
  const answers = addMissing(before.answers, current.answers);
  return {
    ...current,
    replies: mergeDeletedReplies(before.replies, current.replies),
    answers: {
      ...answers,
      // An unchanged answer stays the same object, so that it is not rendered again.
      items: answers.items.map((answer) => {
        const known = threads.get(answer.id) ?? none;
        const replies = mergeDeletedReplies(known, currentIds.has(answer.id) ? answer.replies : none);
        return replies === answer.replies ? answer : { ...answer, replies };
      }),
    },
  };
}

const none: RepliesPage = { items: [], nextCursor: null };

function mergeDeletedReplies(before: RepliesPage, current: RepliesPage): RepliesPage {
  const { items } = addMissing(before, current);
  if (items === current.items) return current;
  const currentIds = new Set(current.items.map(({ id }) => id));
  const mark = (reply: Reply): Reply =>
    currentIds.has(reply.id) || reply.deleted ? reply : { ...reply, deleted: true, content: '' };
  return { ...current, items: items.map(mark) };
}

type Page<Item> = { items: Item[]; nextCursor: string | null };

/** Missing items count as deleted, unless there may be a gap between the pages. */
function addMissing<Item extends { id: number }>(before: Page<Item>, current: Page<Item>): Page<Item> {
  const knownIds = new Set(before.items.map(({ id }) => id));
  const currentIds = new Set(current.items.map(({ id }) => id));
  const last = current.items.at(-1);
  const mayHaveGap = current.nextCursor !== null && last !== undefined && !knownIds.has(last.id);
  if (mayHaveGap || before.items.every(({ id }) => currentIds.has(id))) return current;
  const items = [...current.items];
  for (const [index, item] of before.items.entries()) {
    if (currentIds.has(item.id)) continue;
    const predecessor = before.items[index - 1]?.id;
    items.splice(items.findIndex(({ id }) => id === predecessor) + 1, 0, item);
  }
  return { ...current, items };
}
