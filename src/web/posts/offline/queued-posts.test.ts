import { expect, test } from 'vitest';
import type { Answer } from '#shared/posts/answers.ts';
import type { QuestionPageData } from '#shared/posts/questions.ts';
import type { Reply } from '#shared/posts/replies.ts';
import { groupQueuedReplies } from '#web/posts/reply-tree.ts';
import {
  isFormOnPage,
  getHighestPostId,
  separatePublishedPosts,
  listQueuedPosts,
  type QueuedPost,
} from './queued-posts.ts';

const time = '2026-01-01T00:00:00.000Z';
const me = 1;
const post = {
  authorId: me,
  authorName: 'Ada',
  authorAvatar: null,
  authorIsBot: false,
  createdAt: time,
  editedAt: null,
  upvotes: 0,
  downvotes: 0,
  myVote: null,
  source: null,
};

function answer(id: number, content: string, more: Partial<Answer> = {}): Answer {
  const own = { bookmarked: false, siteHistory: null, replies: { items: [], nextCursor: null } };
  return { ...post, id, questionId: 5, content, ...own, ...more };
}

function reply(id: number, content: string, more: Partial<Reply> = {}): Reply {
  const place = { questionId: 5, answerId: null, parentReplyId: null, level: 0, deleted: false };
  return { ...post, ...place, id, content, updatedAt: time, ...more };
}

function page(answers: Answer[], comments: Reply[] = []): QuestionPageData {
  const counts = {
    views: 0,
    answerCount: answers.length,
    following: false,
    bookmarked: false,
    siteHistory: null,
    muted: false,
    acceptedAnswerId: null,
    lockReason: null,
    duplicateOf: null,
    closing: null,
    closedBy: [],
  };
  const question = { ...post, ...counts, id: 5, title: 'Title', content: 'text', excerpt: 'text', tags: [] };
  return {
    question,
    replies: { items: comments, nextCursor: null },
    answers: { items: answers, nextCursor: null },
    sort: 'newest',
    visitedAt: null,
  };
}

let at = 0;
function queuedPost(kind: 'answer' | 'reply', data: object, refused: string | null = null): QueuedPost {
  at++;
  const key = `key-${String(at).padStart(5, '0')}`;
  const all = { questionId: 5, key, after: 10, answerId: null, parentReplyId: null, ...data };
  const item = {
    id: `${String(at).padStart(15, '0')}-a`,
    kind,
    target: key,
    data: all,
    refusalReason: refused,
  };
  const [read] = listQueuedPosts(5, [item]);
  if (read === undefined) throw new Error("The test's own data is invalid.");
  return read;
}
const keys = (posts: readonly QueuedPost[]) => posts.map(({ data }) => data.key);

test('removes a queued post that the page already shows', () => {
  const mine = queuedPost('answer', { content: 'Mine' });
  const { queued: left, posted } = separatePublishedPosts([mine], page([answer(12, 'Mine')]), me);
  expect(left).toEqual([]);
  expect(posted.get(mine.data.key)).toEqual({ kind: 'answer', id: 12 });
});

test.each([
  ['older', answer(10, 'Mine')],
  ['by another member', answer(12, 'Mine', { authorId: 2 })],
  ['different', answer(12, 'Not mine')],
])('keeps a queued post next to an answer that is %s', (_, other) => {
  const mine = queuedPost('answer', { content: 'Mine' });
  expect(keys(separatePublishedPosts([mine], page([other]), me).queued)).toEqual([mine.data.key]);
});

test('matches posts with the same text in the order they were queued', () => {
  const [one, two] = [queuedPost('reply', { content: 'Thanks' }), queuedPost('reply', { content: 'Thanks' })];
  const { queued: left } = separatePublishedPosts([one, two], page([], [reply(11, 'Thanks')]), me);
  expect(keys(left)).toEqual([two.data.key]);
  expect(
    separatePublishedPosts([one, two], page([], [reply(11, 'Thanks'), reply(12, 'Thanks')]), me).queued,
  ).toEqual([]);
});

test('never matches a refused post with a published one', () => {
  const mine = queuedPost('answer', { content: 'Mine' }, 'No');
  expect(separatePublishedPosts([mine], page([answer(12, 'Mine')]), me).queued).toEqual([mine]);
});

test('counts the replies of all threads for the highest id', () => {
  const answers = [
    answer(3, 'a', { replies: { items: [reply(40, 'x', { answerId: 3 })], nextCursor: null } }),
  ];
  expect(getHighestPostId(page(answers, [reply(7, 'y')]), 'reply')).toBe(40);
  expect(getHighestPostId(page(answers), 'answer')).toBe(3);
  expect(getHighestPostId(page([]), 'answer')).toBe(0);
  expect(getHighestPostId(undefined, 'reply')).toBe(0);
});

test('finds the form of a reply while its parent exists', () => {
  const there = page([answer(3, 'a')], [reply(7, 'y'), reply(8, '', { deleted: true })]);
  expect(isFormOnPage(queuedPost('reply', { content: 'z', parentReplyId: 7 }), there)).toBe(true);
  expect(isFormOnPage(queuedPost('reply', { content: 'z', parentReplyId: 8 }), there)).toBe(false);
  expect(isFormOnPage(queuedPost('reply', { content: 'z', answerId: 3 }), there)).toBe(true);
  expect(isFormOnPage(queuedPost('reply', { content: 'z', answerId: 4 }), there)).toBe(false);
  expect(isFormOnPage(queuedPost('reply', { content: 'z' }), there)).toBe(true);
});

test('puts a queued reply below its parent, or at the top level if the parent is not loaded', () => {
  const below = queuedPost('reply', { content: 'a', parentReplyId: 7 });
  const lost = queuedPost('reply', { content: 'b', parentReplyId: 9 });
  const elsewhere = queuedPost('reply', { content: 'c', answerId: 3 });
  const groups = groupQueuedReplies([below, lost, elsewhere], null, [reply(7, 'y')]);
  expect([...groups].map(([parent, posts]) => [parent, keys(posts)])).toEqual([
    [7, [below.data.key]],
    [null, [lost.data.key]],
  ]);
});

test.each([
  ['of another question', { questionId: 6 }],
  ['without text', { content: ' ' }],
  ['with an invalid key', { key: 'a key' }],
  ['with an invalid answer id', { answerId: '3' }],
  ['with an invalid parent id', { parentReplyId: -1 }],
])('ignores a stored reply %s', (_, data) => {
  const all = {
    questionId: 5,
    key: 'key-of-it',
    after: 0,
    content: 'x',
    answerId: null,
    parentReplyId: null,
  };
  const item = { id: '1-a', kind: 'reply', target: 'x', data: { ...all, ...data }, refusalReason: null };
  expect(listQueuedPosts(5, [item])).toEqual([]);
});
