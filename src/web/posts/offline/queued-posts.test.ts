import { expect, test } from 'vitest';
import type { Answer } from '#shared/posts/answers.ts';
import type { QuestionPage } from '#shared/posts/questions.ts';
import type { Reply } from '#shared/posts/replies.ts';
import { groupQueuedReplies } from '#web/posts/reply-tree.ts';
import { hasForm, highestId, splitPosted, listQueuedPosts, type QueuedPost } from './queued-posts.ts';

const time = '2026-01-01T00:00:00.000Z';
const me = 1;
const post = {
  authorId: me,
  authorName: 'Ada',
  createdAt: time,
  editedAt: null,
  upvotes: 0,
  downvotes: 0,
  myVote: null,
  source: null,
};

function answer(id: number, content: string, more: Partial<Answer> = {}): Answer {
  const own = { bookmarked: false, replies: { items: [], nextCursor: null } };
  return { ...post, id, questionId: 5, content, ...own, ...more };
}

function reply(id: number, content: string, more: Partial<Reply> = {}): Reply {
  const place = { questionId: 5, answerId: null, parentReplyId: null, level: 0, deleted: false };
  return { ...post, ...place, id, content, updatedAt: time, ...more };
}

function page(answers: Answer[], comments: Reply[] = []): QuestionPage {
  const counts = {
    views: 0,
    answerCount: answers.length,
    following: false,
    bookmarked: false,
    muted: false,
    acceptedAnswerId: null,
    lockReason: null,
    duplicateOf: null,
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
function waiting(kind: 'answer' | 'reply', data: object, refused: string | null = null): QueuedPost {
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
  if (read === undefined) throw new Error('The test wrote what cannot be read.');
  return read;
}
const keys = (posts: readonly QueuedPost[]) => posts.map(({ data }) => data.key);

test('what the page shows as posted already does not wait beside it', () => {
  const mine = waiting('answer', { content: 'Mine' });
  const { waiting: left, posted } = splitPosted([mine], page([answer(12, 'Mine')]), me);
  expect(left).toEqual([]);
  expect(posted.get(mine.data.key)).toEqual({ kind: 'answer', id: 12 });
});

test.each([
  ['older', answer(10, 'Mine')],
  ['another member’s', answer(12, 'Mine', { authorId: 2 })],
  ['another text', answer(12, 'Not mine')],
])('an answer that is %s is not taken for the one that waits', (_, other) => {
  const mine = waiting('answer', { content: 'Mine' });
  expect(keys(splitPosted([mine], page([other]), me).waiting)).toEqual([mine.data.key]);
});

test('the same words twice are two posts: the first one posted is the first that waited', () => {
  const [one, two] = [waiting('reply', { content: 'Thanks' }), waiting('reply', { content: 'Thanks' })];
  const { waiting: left } = splitPosted([one, two], page([], [reply(11, 'Thanks')]), me);
  expect(keys(left)).toEqual([two.data.key]);
  expect(splitPosted([one, two], page([], [reply(11, 'Thanks'), reply(12, 'Thanks')]), me).waiting).toEqual(
    [],
  );
});

test('a refused post is never taken for a posted one', () => {
  const mine = waiting('answer', { content: 'Mine' }, 'No');
  expect(splitPosted([mine], page([answer(12, 'Mine')]), me).waiting).toEqual([mine]);
});

test('the highest id counts the replies of all threads', () => {
  const answers = [
    answer(3, 'a', { replies: { items: [reply(40, 'x', { answerId: 3 })], nextCursor: null } }),
  ];
  expect(highestId(page(answers, [reply(7, 'y')]), 'reply')).toBe(40);
  expect(highestId(page(answers), 'answer')).toBe(3);
  expect(highestId(page([]), 'answer')).toBe(0);
  expect(highestId(undefined, 'reply')).toBe(0);
});

test('a reply has a form while what it answers is there', () => {
  const there = page([answer(3, 'a')], [reply(7, 'y'), reply(8, '', { deleted: true })]);
  expect(hasForm(waiting('reply', { content: 'z', parentReplyId: 7 }), there)).toBe(true);
  expect(hasForm(waiting('reply', { content: 'z', parentReplyId: 8 }), there)).toBe(false);
  expect(hasForm(waiting('reply', { content: 'z', answerId: 3 }), there)).toBe(true);
  expect(hasForm(waiting('reply', { content: 'z', answerId: 4 }), there)).toBe(false);
  expect(hasForm(waiting('reply', { content: 'z' }), there)).toBe(true);
});

test('a waiting reply stands below what it answers, or at the top where that is not loaded', () => {
  const below = waiting('reply', { content: 'a', parentReplyId: 7 });
  const lost = waiting('reply', { content: 'b', parentReplyId: 9 });
  const elsewhere = waiting('reply', { content: 'c', answerId: 3 });
  const found = groupQueuedReplies([below, lost, elsewhere], null, [reply(7, 'y')]);
  expect([...found].map(([parent, posts]) => [parent, keys(posts)])).toEqual([
    [7, [below.data.key]],
    [null, [lost.data.key]],
  ]);
});

test.each([
  ['of another question', { questionId: 6 }],
  ['without words', { content: ' ' }],
  ['with a key that is none', { key: 'a key' }],
  ['to an answer that cannot be', { answerId: '3' }],
  ['to a reply that cannot be', { parentReplyId: -1 }],
])('what is stored as a reply %s is not shown', (_, data) => {
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
