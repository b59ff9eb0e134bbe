import { describe, expect, test } from 'vitest';
import type { Answer } from '#shared/posts/answers.ts';
import type { Question, QuestionPage } from '#shared/posts/questions.ts';
import type { Reply } from '#shared/posts/replies.ts';
import {
  setAcceptedAnswer,
  setAcceptedAnswerFirst,
  addAnswer,
  addMoreAnswers,
  addReply,
  findPost,
  mergeFetchedPage,
  patchPost,
  listPostsBelowQuestion,
  removeAnswer,
  removeReply,
} from './question-page-data.ts';

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
  acceptedAnswerId: null,
  lockReason: null,
  duplicateOf: null,
  following: false,
  bookmarked: false,
  muted: false,
};

function reply(id: number, parentReplyId: number | null = null, answerId: number | null = 10): Reply {
  return { ...post, id, questionId: 1, answerId, parentReplyId, level: 0, deleted: false, updatedAt: time };
}

function answer(id: number, replies: Reply[] = []): Answer {
  return { ...post, id, questionId: 1, bookmarked: false, replies: { items: replies, nextCursor: null } };
}

function page(answers: Answer[], nextCursor: string | null = null, comments: Reply[] = []): QuestionPage {
  return {
    question,
    replies: { items: comments, nextCursor: null },
    answers: { items: answers, nextCursor },
    sort: 'newest',
    visitedAt: null,
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
  expect(commented.replies.items.map(({ id }) => id)).toEqual([3]);
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
  const after = mergeFetchedPage(before, page([answer(15), answer(14)], 'c'));
  expect(answerIds(after)).toEqual([15, 14, 13, 12, 11]);
  expect(after.answers.nextCursor).toBe('b');
});

test('where a gap could have opened, what was loaded by hand goes', () => {
  const before = page([answer(14), answer(13)], 'a');
  const after = mergeFetchedPage(before, page([answer(20), answer(19)], 'b'));
  expect(answerIds(after)).toEqual([20, 19]);
  expect(after.answers.nextCursor).toBe('b');
});

describe('in the order of the oldest', () => {
  const ordered = (answers: Answer[], nextCursor: string | null = null): QuestionPage => ({
    ...page(answers, nextCursor),
    sort: 'oldest',
  });

  test('a new answer stands last, also where more are still to be loaded, and has its place once they are', () => {
    const after = addAnswer(ordered([answer(1), answer(2)], 'a'), answer(9));
    expect(answerIds(after)).toEqual([1, 2, 9]);
    expect(answerIds(mergeFetchedPage(after, ordered([answer(1), answer(2)], 'a')))).toEqual([1, 2, 9]);
    const more = addMoreAnswers(after, { items: [answer(3), answer(9)], nextCursor: null });
    expect(answerIds(more)).toEqual([1, 2, 3, 9]);
  });
});

describe('in the order of the most helpful', () => {
  const scored = (id: number, upvotes: number, downvotes = 0) => ({ ...answer(id), upvotes, downvotes });
  const ordered = (answers: Answer[], nextCursor: string | null = null): QuestionPage => ({
    ...page(answers, nextCursor),
    sort: 'helpful',
  });

  test('a new answer stands before those that have no votes either', () => {
    const before = ordered([scored(1, 5), scored(2, 1), scored(3, 2, 2), scored(4, 0, 1)]);
    expect(answerIds(addAnswer(before, answer(9)))).toEqual([1, 2, 9, 3, 4]);
    expect(answerIds(addAnswer(ordered([scored(1, 5)]), answer(9)))).toEqual([1, 9]);
  });

  test('votes move nothing that is being read; what is new stands behind what it follows, what is gone goes', () => {
    const before = ordered([scored(1, 3), scored(2, 2), scored(3, 1)]);
    const after = mergeFetchedPage(before, ordered([scored(3, 9), scored(7, 4), scored(1, 3), scored(8, 0)]));
    expect(answerIds(after)).toEqual([1, 8, 3, 7]);
    expect(findPost(after, { kind: 'answer', id: 3 })).toMatchObject({ upvotes: 9 });
  });

  test('answers that were loaded by hand stay, with the place to go on from', () => {
    const before = addMoreAnswers(ordered([scored(1, 3), scored(2, 2)], 'a'), {
      items: [scored(3, 1), scored(4, 0)],
      nextCursor: 'b',
    });
    const after = mergeFetchedPage(before, ordered([scored(4, 8), scored(1, 3)], 'c'));
    expect(answerIds(after)).toEqual([1, 2, 3, 4]);
    expect(after.answers.nextCursor).toBe('b');
    expect(mergeFetchedPage(after, ordered([scored(4, 8), scored(1, 3)])).answers.nextCursor).toBeNull();
  });
});

test('an answer that one accepts stands first, and a new one comes behind it', () => {
  const before = page([answer(12), answer(11), answer(10)]);
  const after = setAcceptedAnswerFirst(before, 10);
  expect(after.question.acceptedAnswerId).toBe(10);
  expect(answerIds(after)).toEqual([10, 12, 11]);
  expect(answerIds(addAnswer(after, answer(13)))).toEqual([10, 13, 12, 11]);
  expect(answerIds(setAcceptedAnswerFirst(after, null))).toEqual([10, 12, 11]);
});

test('an acceptance moves no answer that is being read, also when the page is fetched again', () => {
  const before = setAcceptedAnswer(page([answer(12), answer(11), answer(10)]), 10);
  const fresh = setAcceptedAnswer(page([answer(10), answer(13), answer(12), answer(11)]), 10);
  expect(answerIds(mergeFetchedPage(before, fresh))).toEqual([13, 12, 11, 10]);
  const taken = page([answer(12), answer(11), answer(10)]);
  expect(answerIds(mergeFetchedPage(fresh, taken))).toEqual([10, 12, 11]);
});

test('an accepted answer of a page behind comes first', () => {
  const before = page([answer(12), answer(11)], 'a');
  const fresh = setAcceptedAnswer(page([answer(1), answer(12), answer(11)], 'a'), 1);
  expect(answerIds(mergeFetchedPage(before, fresh))).toEqual([1, 12, 11]);
});

test('an accepted answer that goes leaves the question without one; another one’s goes unharmed', () => {
  const before = setAcceptedAnswer(page([answer(11), answer(10)]), 11);
  expect(removeAnswer(before, 10).question.acceptedAnswerId).toBe(11);
  expect(removeAnswer(before, 11).question.acceptedAnswerId).toBeNull();
});

test('what stands below the question is listed as it is read: comments, then each answer with its replies', () => {
  const whole = page([answer(10, [reply(1), reply(2, 1)]), answer(9)], null, [reply(3, null, null)]);
  expect(listPostsBelowQuestion(whole).map(({ post }) => `${post.kind} ${post.id}`)).toEqual([
    'reply 3',
    'answer 10',
    'reply 1',
    'reply 2',
    'answer 9',
  ]);
});
