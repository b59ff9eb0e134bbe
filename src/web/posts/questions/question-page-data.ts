import type { Answer, AnswersPage } from '#shared/posts/answers.ts';
import type { QuestionPage } from '#shared/posts/questions.ts';
import type { RepliesPage, Reply } from '#shared/posts/replies.ts';
import type { PostRef } from '#web/posts/post-ref.ts';
import type { MentionableMember } from '#web/editor/mentions.ts';

/**
 * Changes to what /question/:id shows, as pure functions: from the page before to the page after. Own actions and
 * other members' come in through the same ones.
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

export function findPost(page: QuestionPage, { kind, id }: PostRef) {
  if (kind === 'question') return page.question.id === id ? page.question : undefined;
  if (kind === 'answer') return page.answers.items.find((answer) => answer.id === id);
  return listReplies(page).find((reply) => reply.id === id);
}

/** All on the page but the question, in the order in which they stand there. */
export function listPostsBelowQuestion(page: QuestionPage): { post: PostRef; content: Answer | Reply }[] {
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

/** All replies on the page, to the question and to its answers. */
export function listReplies(page: QuestionPage): Reply[] {
  return [page.replies, ...page.answers.items.map((answer) => answer.replies)].flatMap(({ items }) => items);
}

export function patchPost(page: QuestionPage, { kind, id }: PostRef, patch: PostPatch): QuestionPage {
  const change = <Post extends { id: number }>(post: Post): Post =>
    post.id === id ? { ...post, ...patch } : post;
  if (kind === 'question') return { ...page, question: change(page.question) };
  if (kind === 'answer') return withAnswers(page, page.answers.items.map(change));
  return mapThreads(page, (thread) =>
    thread.items.some((reply) => reply.id === id) ? { ...thread, items: thread.items.map(change) } : thread,
  );
}

/** @param answerId the answer that solved it; null for none. */
export function setAcceptedAnswer(page: QuestionPage, answerId: number | null): QuestionPage {
  return { ...page, question: { ...page.question, acceptedAnswerId: answerId } };
}

/** The same, and the answer stands first, as on a page that is opened now. */
export function setAcceptedAnswerFirst(page: QuestionPage, answerId: number | null): QuestionPage {
  const { items } = page.answers;
  const answer = items.find(({ id }) => id === answerId);
  const after = setAcceptedAnswer(page, answerId);
  return answer === undefined
    ? after
    : withAnswers(after, [answer, ...items.filter((each) => each !== answer)]);
}

/** An answer that was just posted, in its place in the order, once. */
export function addAnswer(page: QuestionPage, answer: Answer): QuestionPage {
  const { items } = page.answers;
  if (items.some((known) => known.id === answer.id)) return page;
  return withAnswerCount(withAnswers(page, items.toSpliced(newAnswerIndex(page), 0, answer)), 1);
}

/** Where in the list an answer belongs that was just posted and has no votes yet. */
export function newAnswerIndex({ sort, question, answers: { items } }: QuestionPage): number {
  const { acceptedAnswerId } = question;
  if (sort === 'newest') return items[0] !== undefined && items[0].id === acceptedAnswerId ? 1 : 0;
  const index =
    sort === 'oldest'
      ? -1
      : items.findIndex((answer) => scoreOf(answer) <= 0 && answer.id !== acceptedAnswerId);
  return index === -1 ? items.length : index;
}

export function removeAnswer(page: QuestionPage, id: number): QuestionPage {
  if (!page.answers.items.some((answer) => answer.id === id)) return page;
  const left = page.answers.items.filter((answer) => answer.id !== id);
  const after = withAnswerCount(withAnswers(page, left), -1);
  return page.question.acceptedAnswerId === id ? setAcceptedAnswer(after, null) : after;
}

/** Oldest first, once. Where more replies are still to be loaded, it comes with them as well. */
export function addReply(page: QuestionPage, reply: Reply): QuestionPage {
  return mapThreads(page, (thread, answerId) => {
    if (answerId !== reply.answerId || thread.items.some((known) => known.id === reply.id)) return thread;
    return { ...thread, items: [...thread.items, reply] };
  });
}

/**
 * docs/product.md 6.5: a reply that others answered leaves a line; one without replies goes, and with it the
 * deleted ancestors that it was the last child of.
 */
export function removeReply(page: QuestionPage, id: number): QuestionPage {
  return mapThreads(page, (thread) => {
    if (!thread.items.some((reply) => reply.id === id)) return thread;
    let items = thread.items;
    let next: number | null = id;
    while (next !== null) {
      const gone: number = next;
      const reply = items.find((reply) => reply.id === gone);
      if (reply === undefined) break;
      if (items.some((child) => child.parentReplyId === gone)) {
        items = items.map((reply) => (reply.id === gone ? { ...reply, deleted: true, content: '' } : reply));
        break;
      }
      items = items.filter((reply) => reply.id !== gone);
      const parent = items.find((candidate) => candidate.id === reply.parentReplyId);
      next = parent?.deleted === true ? parent.id : null;
    }
    return { ...thread, items };
  });
}

export function addMoreAnswers(page: QuestionPage, more: AnswersPage): QuestionPage {
  return { ...page, answers: appendPage(page.answers, more) };
}

/** @param answerId null for the replies to the question itself. */
export function addMoreReplies(page: QuestionPage, answerId: number | null, more: RepliesPage): QuestionPage {
  return mapThreads(page, (thread, id) => (id === answerId ? appendPage(thread, more) : thread));
}

/**
 * What was loaded by 'Load more' stays when the first page is fetched again, so that nothing on the page jumps.
 * @param before what the page showed; undefined at first.
 */
export function mergeFetchedPage(before: QuestionPage | undefined, fresh: QuestionPage): QuestionPage {
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
 * Votes and acceptances that come in while one reads change no places: answers keep theirs, and the others go behind what
 * they follow.
 */
function mergeFetchedAnswers(
  before: AnswersPage,
  { sort, question, answers: fresh }: QuestionPage,
): AnswersPage {
  if (sort !== 'helpful' && !isReordered(before, fresh)) return withTail(before, fresh);
  const now = new Map(fresh.items.map((answer) => [answer.id, answer]));
  const known = new Set(before.items.map(({ id }) => id));
  // One that is not among the fresh ones is gone, or has fallen behind them.
  const items = before.items.flatMap(
    (answer) => now.get(answer.id) ?? (fresh.nextCursor === null ? [] : answer),
  );
  // The accepted one keeps its place as well, so that it tells nothing of where others belong.
  const ordered = fresh.items.filter(({ id }) => id !== question.acceptedAnswerId || !known.has(id));
  for (const [index, answer] of ordered.entries()) {
    if (known.has(answer.id)) continue;
    const follows = ordered[index - 1]?.id;
    items.splice(items.findIndex(({ id }) => id === follows) + 1, 0, answer);
  }
  const further = fresh.nextCursor !== null && before.items.length > fresh.items.length;
  return { items, nextCursor: further ? before.nextCursor : fresh.nextCursor };
}

/** Whether answers that both pages hold come in another order, though no gap may lie between the two. */
function isReordered(before: AnswersPage, fresh: AnswersPage): boolean {
  const known = new Set(before.items.map(({ id }) => id));
  const last = fresh.items.at(-1);
  if (fresh.nextCursor !== null && last !== undefined && !known.has(last.id)) return false;
  const now = new Set(fresh.items.map(({ id }) => id));
  const previous = before.items.filter(({ id }) => now.has(id));
  const current = fresh.items.filter(({ id }) => known.has(id));
  return previous.some(({ id }, index) => current[index]?.id !== id);
}

const scoreOf = ({ upvotes, downvotes }: Answer) => upvotes - downvotes;

/** The items behind the last fresh one; none when that one was not known, for then there may be a gap. */
function withTail<Page extends AnswersPage | RepliesPage>(before: Page | undefined, fresh: Page): Page {
  const last = fresh.items.at(-1);
  if (before === undefined || last === undefined || fresh.nextCursor === null) return fresh;
  const at = before.items.findIndex((item) => item.id === last.id);
  const tail = at === -1 ? [] : before.items.slice(at + 1);
  if (tail.length === 0) return fresh;
  return { ...fresh, items: [...fresh.items, ...tail], nextCursor: before.nextCursor };
}

function appendPage<Page extends AnswersPage | RepliesPage>(page: Page, more: Page): Page {
  const fresh = new Set<number>(more.items.map((item) => item.id));
  return {
    ...page,
    items: [...page.items.filter((item) => !fresh.has(item.id)), ...more.items],
    nextCursor: more.nextCursor,
  };
}

function withAnswers(page: QuestionPage, items: Answer[]): QuestionPage {
  return { ...page, answers: { ...page.answers, items } };
}

function withAnswerCount(page: QuestionPage, by: number): QuestionPage {
  const answerCount = Math.max(0, page.question.answerCount + by);
  return { ...page, question: { ...page.question, answerCount } };
}

function mapThreads(
  page: QuestionPage,
  change: (thread: RepliesPage, answerId: number | null) => RepliesPage,
): QuestionPage {
  const replies = change(page.replies, null);
  const items = page.answers.items.map((answer) => {
    const replies = change(answer.replies, answer.id);
    return replies === answer.replies ? answer : { ...answer, replies };
  });
  return { ...page, replies, answers: { ...page.answers, items } };
}

/** Who takes part in a thread, each once and without the viewer: who asked, who answered, who replied. */
export function listParticipants(page: QuestionPage | undefined, viewerId: number): MentionableMember[] {
  if (page === undefined) return [];
  const posts = [
    page.question,
    ...page.answers.items,
    ...listReplies(page).filter(({ deleted }) => !deleted),
  ];
  const people = new Map<number, MentionableMember>();
  for (const { authorId, authorName } of posts)
    if (authorId !== null && authorId !== viewerId)
      people.set(authorId, people.get(authorId) ?? { id: authorId, name: authorName });
  return [...people.values()];
}
