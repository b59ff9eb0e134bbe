import type { Answer, AnswersPage } from '#shared/posts/answers.ts';
import type { Question, QuestionPageData } from '#shared/posts/questions.ts';
import type { RepliesPage, Reply } from '#shared/posts/replies.ts';
import type { PostRef } from '#shared/core/fields.ts';

/**
 * Changes to the data of /question/:id as pure functions from the old to the new page. The viewer's own actions and
 * live events use the same functions.
 */

type PostPatch = Partial<
  Pick<Answer, 'content' | 'editedAt' | 'upvotes' | 'downvotes' | 'myVote' | 'bookmarked'> & {
    title: string;
    tags: string[];
    excerpt: string;
    views: number;
    following: boolean;
    muted: boolean;
  }
>;

export function findPost(page: QuestionPageData, { kind, id }: PostRef) {
  if (kind === 'question') return page.question.id === id ? page.question : undefined;
  if (kind === 'answer') return page.answers.items.find((answer) => answer.id === id);
  return listReplies(page).find((reply) => reply.id === id);
}

/** @param answerId null for the comments on the question. */
export function findThread(page: QuestionPageData, answerId: number | null): RepliesPage | undefined {
  return answerId === null ? page.replies : page.answers.items.find(({ id }) => id === answerId)?.replies;
}

/** All posts below the question, in the order of the page. */
export function listPostsBelowQuestion(page: QuestionPageData): { post: PostRef; content: Answer | Reply }[] {
  const replies = ({ items }: RepliesPage) =>
    items.map((content) => ({ post: { kind: 'reply' as const, id: content.id }, content }));
  return [
    ...replies(page.replies),
    ...page.answers.items.flatMap((content) => [
      { post: { kind: 'answer' as const, id: content.id }, content },
      ...replies(content.replies),
    ]),
  ];
}

/** All loaded replies, to the question and to its answers. */
export function listReplies(page: QuestionPageData): Reply[] {
  return [page.replies, ...page.answers.items.map((answer) => answer.replies)].flatMap(({ items }) => items);
}

export function patchPost(page: QuestionPageData, { kind, id }: PostRef, patch: PostPatch): QuestionPageData {
  const change = <Post extends { id: number }>(post: Post): Post =>
    post.id === id ? { ...post, ...patch } : post;
  if (kind === 'question') return { ...page, question: change(page.question) };
  if (kind === 'answer') return withAnswers(page, page.answers.items.map(change));
  return mapThreads(page, (thread) =>
    thread.items.some((reply) => reply.id === id) ? { ...thread, items: thread.items.map(change) } : thread,
  );
}

/** @param answerId the accepted answer; null for none. */
export function setAcceptedAnswer(page: QuestionPageData, answerId: number | null): QuestionPageData {
  return { ...page, question: { ...page.question, acceptedAnswerId: answerId } };
}

/** Like `setAcceptedAnswer`, and moves the answer to the top, as on a newly opened page. */
export function setAcceptedAnswerFirst(page: QuestionPageData, answerId: number | null): QuestionPageData {
  return moveAnswer(setAcceptedAnswer(page, answerId), answerId, null);
}

/** @param predecessor the id of the answer that it follows; the top of the list if there is none. */
export function moveAnswer(
  page: QuestionPageData,
  answerId: number | null,
  predecessor: number | null,
): QuestionPageData {
  const { items } = page.answers;
  const answer = items.find(({ id }) => id === answerId);
  if (answer === undefined) return page;
  const others = items.filter((each) => each !== answer);
  const index = others.findIndex(({ id }) => id === predecessor) + 1;
  return withAnswers(page, others.toSpliced(index, 0, answer));
}

/** The index in the list at which a new answer without votes belongs. */
export function newAnswerIndex({ sort, question, answers: { items } }: QuestionPageData): number {
  const { acceptedAnswerId } = question;
  if (sort === 'newest') return items[0] !== undefined && items[0].id === acceptedAnswerId ? 1 : 0;
  const index =
    sort === 'oldest'
      ? -1
      : items.findIndex((answer) => scoreOf(answer) <= 0 && answer.id !== acceptedAnswerId);
  return index === -1 ? items.length : index;
}

export function removeAnswer(page: QuestionPageData, id: number): QuestionPageData {
  if (!page.answers.items.some((answer) => answer.id === id)) return page;
  const remaining = page.answers.items.filter((answer) => answer.id !== id);
  const after = withAnswerCount(withAnswers(page, remaining), -1);
  return page.question.acceptedAnswerId === id ? setAcceptedAnswer(after, null) : after;
}

/**
 * docs/product.md 6.5: a deleted reply with replies leaves a line. One without replies disappears, with the deleted
 * ancestors whose last child it was.
 */
export function removeReply(page: QuestionPageData, id: number): QuestionPageData {
  return mapThreads(page, (thread) => {
    if (!thread.items.some((reply) => reply.id === id)) return thread;
    let items = thread.items;
    let next: number | null = id;
    while (next !== null) {
      const removedId: number = next;
      const reply = items.find((reply) => reply.id === removedId);
      if (reply === undefined) break;
      if (items.some((child) => child.parentReplyId === removedId)) {
        items = items.map((reply) =>
          reply.id === removedId ? { ...reply, deleted: true, content: '' } : reply,
        );
        break;
      }
      items = items.filter((reply) => reply.id !== removedId);
      const parent = items.find((candidate) => candidate.id === reply.parentReplyId);
      next = parent?.deleted === true ? parent.id : null;
    }
    return { ...thread, items };
  });
}

/**
 * Merges a refetched page with the one shown so far, so that nothing jumps.
 * @param before the page shown so far; undefined on the first fetch.
 */
export function mergeFetchedPage(
  before: QuestionPageData | undefined,
  fresh: QuestionPageData,
): QuestionPageData {
  if (before === undefined) return fresh;
  const threads = new Map(before.answers.items.map((answer) => [answer.id, answer.replies]));
  const answers = fresh.answers.items.map((answer) => ({
    ...answer,
    replies: withTail(threads.get(answer.id), answer.replies),
  }));
  return {
    ...fresh,
    replies: withTail(before.replies, fresh.replies),
    answers: mergeFetchedAnswers(before.answers, { ...fresh, answers: { ...fresh.answers, items: answers } }),
  };
}

/**
 * Votes and acceptances do not reorder answers while the page is open: known answers hold their positions, and new ones
 * follow their predecessor.
 */
function mergeFetchedAnswers(
  before: AnswersPage,
  { sort, question, answers: fresh }: QuestionPageData,
): AnswersPage {
  if (sort !== 'helpful' && !isReordered(before, fresh)) return withTail(before, fresh);
  const freshById = new Map(fresh.items.map((answer) => [answer.id, answer]));
  const knownIds = new Set(before.items.map(({ id }) => id));
  // An answer missing from the fresh page was deleted or is now on a later page.
  const items = before.items.flatMap(
    (answer) => freshById.get(answer.id) ?? (fresh.nextCursor === null ? [] : answer),
  );
  // The accepted answer holds its position too, so it is a predecessor only at the top.
  const acceptedFirst = items.slice(0, 1).find(({ id }) => id === question.acceptedAnswerId)?.id;
  const ordered = fresh.items.filter(({ id }) => id !== question.acceptedAnswerId || !knownIds.has(id));
  for (const [index, answer] of ordered.entries()) {
    if (knownIds.has(answer.id)) continue;
    const follows = ordered[index - 1]?.id ?? acceptedFirst;
    items.splice(items.findIndex(({ id }) => id === follows) + 1, 0, answer);
  }
  return { ...fresh, items };
}

/** Whether answers on both pages are in a different order, given that there is no gap between the pages. */
function isReordered(before: AnswersPage, fresh: AnswersPage): boolean {
  const knownIds = new Set(before.items.map(({ id }) => id));
  const last = fresh.items.at(-1);
  if (fresh.nextCursor !== null && last !== undefined && !knownIds.has(last.id)) return false;
  const freshIds = new Set(fresh.items.map(({ id }) => id));
  const previous = before.items.filter(({ id }) => freshIds.has(id));
  const current = fresh.items.filter(({ id }) => knownIds.has(id));
  return previous.some(({ id }, index) => current[index]?.id !== id);
}

const scoreOf = ({ upvotes, downvotes }: Answer) => upvotes - downvotes;

/**
 * Keeps the items after the last fresh one, such as the member's own new post at the end of a long list; none if that
 * one is unknown, since there may be a gap.
 */
function withTail<Page extends AnswersPage | RepliesPage>(before: Page | undefined, fresh: Page): Page {
  const last = fresh.items.at(-1);
  if (before === undefined || last === undefined || fresh.nextCursor === null) return fresh;
  const at = before.items.findIndex((item) => item.id === last.id);
  const tail = at === -1 ? [] : before.items.slice(at + 1);
  if (tail.length === 0) return fresh;
  return { ...fresh, items: [...fresh.items, ...tail] };
}

export function withAnswers(page: QuestionPageData, items: Answer[]): QuestionPageData {
  return { ...page, answers: { ...page.answers, items } };
}

export function withAnswerCount(page: QuestionPageData, by: number): QuestionPageData {
  const answerCount = Math.max(0, page.question.answerCount + by);
  return { ...page, question: { ...page.question, answerCount } };
}

export function mapThreads(
  page: QuestionPageData,
  change: (thread: RepliesPage, answerId: number | null) => RepliesPage,
): QuestionPageData {
  const replies = change(page.replies, null);
  const items = page.answers.items.map((answer) => {
    const replies = change(answer.replies, answer.id);
    return replies === answer.replies ? answer : { ...answer, replies };
  });
  return { ...page, replies, answers: { ...page.answers, items } };
}

/** The licences of the imported posts on the page, each once: 'CC BY-SA 3.0, CC BY-SA 4.0'. */
export function listLicenses(page: QuestionPageData): string {
  const licenses = listVisiblePosts(page).flatMap(({ source }) => source?.license ?? []);
  return [...new Set(licenses)].toSorted().join(', ');
}

export function listVisiblePosts(page: QuestionPageData): (Question | Answer | Reply)[] {
  const replies = listReplies(page).filter(({ deleted }) => !deleted);
  return [page.question, ...page.answers.items, ...replies];
}
