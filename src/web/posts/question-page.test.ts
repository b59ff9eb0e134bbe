import { expect, test } from 'vitest';
import type { Answer } from '#shared/answers.ts';
import type { Question, QuestionPage } from '#shared/questions.ts';
import type { Reply } from '#shared/replies.ts';
import {
  addAnswer,
  addMoreAnswers,
  addReply,
  findPost,
  keepLoaded,
  patchPost,
  removeAnswer,
  removeReply,
} from './question-page.ts';

const time = '2026-01-01T00:00:00.000Z';
const post = {
  content: 'text',
  authorId: 1,
  authorName: 'Ada',
  createdAt: time,
  editedAt: null,
  upvotes: 0,
  downvotes: 0,
  myVote: null,
  source: null,
};
const question: Question = {
  ...post,
  id: 1,
  title: 'Title',
  excerpt: 'text',
  tags: [],
  views: 0,
  answerCount: 2,
  following: false,
};

function reply(id: number, parentReplyId: number | null = null, answerId: number | null = 10): Reply {
  return { ...post, id, questionId: 1, answerId, parentReplyId, level: 0, deleted: false, updatedAt: time };
}

function answer(id: number, replies: Reply[] = []): Answer {
  return { ...post, id, questionId: 1, replies: { items: replies, nextCursor: null } };
}

function page(answers: Answer[], nextCursor: string | null = null, comments: Reply[] = []): QuestionPage {
  return {
    question,
    comments: { items: comments, nextCursor: null },
    answers: { items: answers, nextCursor },
  };
}

const answerIds = ({ answers }: QuestionPage) => answers.items.map(({ id }) => id);
const replyIds = ({ answers }: QuestionPage) => answers.items[0]?.replies.items.map(({ id }) => id);

test('a new answer stands first and is counted, once', () => {
  const after = addAnswer(page([answer(11), answer(10)]), answer(12));
  expect(answerIds(after)).toEqual([12, 11, 10]);
  expect(after.question.answerCount).toBe(3);
  expect(addAnswer(after, answer(12))).toBe(after);
});

test('a deleted answer goes and is no longer counted', () => {
  const after = removeAnswer(page([answer(11), answer(10)]), 11);
  expect(answerIds(after)).toEqual([10]);
  expect(after.question.answerCount).toBe(1);
  expect(removeAnswer(after, 11)).toBe(after);
});

test('a new reply stands last, below its answer or below the question', () => {
  const before = page([answer(10, [reply(1)]), answer(9)]);
  expect(replyIds(addReply(before, reply(2)))).toEqual([1, 2]);
  const commented = addReply(before, reply(3, null, null));
  expect(commented.comments.items.map(({ id }) => id)).toEqual([3]);
  expect(replyIds(commented)).toEqual([1]);
});

test('a deleted reply that others answered leaves a line, one without replies goes', () => {
  const before = page([answer(10, [reply(1), reply(2, 1), reply(3)])]);
  const line = findPost(removeReply(before, 1), { kind: 'reply', id: 1 });
  expect(line).toMatchObject({ deleted: true, content: '' });
  expect(replyIds(removeReply(before, 3))).toEqual([1, 2]);
});

test('with the last reply, the deleted ones above it go', () => {
  const before = page([answer(10, [reply(1), reply(2, 1), reply(3, 2), reply(4, 1)])]);
  const afterTwo = removeReply(removeReply(before, 2), 1);
  expect(replyIds(afterTwo)).toEqual([1, 2, 3, 4]);
  const afterThree = removeReply(afterTwo, 3);
  expect(replyIds(afterThree)).toEqual([1, 4]);
  expect(replyIds(removeReply(afterThree, 4))).toEqual([]);
});

test('a change is made to the one post it belongs to', () => {
  const before = page([answer(10, [reply(10)]), answer(11)]);
  const after = patchPost(before, { kind: 'reply', id: 10 }, { upvotes: 5, myVote: 'up' });
  expect(findPost(after, { kind: 'reply', id: 10 })).toMatchObject({ upvotes: 5, myVote: 'up' });
  expect(findPost(after, { kind: 'answer', id: 10 })).toMatchObject({ upvotes: 0 });
  expect(after.answers.items[1]).toBe(before.answers.items[1]);
});

test('answers that were loaded by hand stay when the first page is fetched again', () => {
  const before = addMoreAnswers(page([answer(14), answer(13)], 'a'), {
    items: [answer(12), answer(11)],
    nextCursor: 'b',
  });
  const after = keepLoaded(before, page([answer(15), answer(14)], 'c'));
  expect(answerIds(after)).toEqual([15, 14, 13, 12, 11]);
  expect(after.answers.nextCursor).toBe('b');
});

test('where a gap could have opened, what was loaded by hand goes', () => {
  const before = page([answer(14), answer(13)], 'a');
  const after = keepLoaded(before, page([answer(20), answer(19)], 'b'));
  expect(answerIds(after)).toEqual([20, 19]);
  expect(after.answers.nextCursor).toBe('b');
});
