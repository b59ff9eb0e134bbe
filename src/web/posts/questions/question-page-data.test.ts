import { describe, expect, test } from 'vitest';
import type { Answer, AnswerSort } from '#shared/posts/answers.ts';
import type { Question, QuestionPageData } from '#shared/posts/questions.ts';
import type { Reply } from '#shared/posts/replies.ts';
import { addAnswer, addReply } from '#web/posts/new-posts.ts';
import { addMoreAnswers, refetchFurtherPosts } from './further-posts.ts';
import { listParticipants } from './participants.ts';
import {
  setAcceptedAnswer,
  setAcceptedAnswerFirst,
  findPost,
  listLicenses,
  mergeFetchedPage,
  moveAnswer,
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
  authorAvatar: null,
  authorIsBot: false,
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
  closing: null,
  closedBy: [],
  following: false,
  bookmarked: false,
  siteHistory: null,
  muted: false,
};

function reply(id: number, parentReplyId: number | null = null, answerId: number | null = 10): Reply {
  return { ...post, id, questionId: 1, answerId, parentReplyId, level: 0, deleted: false, updatedAt: time };
}

function answer(id: number, replies: Reply[] = []): Answer {
  return {
    ...post,
    id,
    questionId: 1,
    bookmarked: false,
    siteHistory: null,
    replies: { items: replies, nextCursor: null },
  };
}

function page(answers: Answer[], nextCursor: string | null = null, comments: Reply[] = []): QuestionPageData {
  return {
    question,
    replies: { items: comments, nextCursor: null },
    answers: { items: answers, nextCursor },
    sort: 'newest',
    visitedAt: null,
  };
}

const answerIds = ({ answers }: QuestionPageData) => answers.items.map(({ id }) => id);
const replyIds = ({ answers }: QuestionPageData) => answers.items[0]?.replies.items.map(({ id }) => id);

test('adds a new answer at the top once and counts it', () => {
  const after = addAnswer(page([answer(11), answer(10)]), answer(12));
  expect(answerIds(after)).toEqual([12, 11, 10]);
  expect(after.question.answerCount).toBe(3);
  expect(addAnswer(after, answer(12))).toBe(after);
});

test('removes a deleted answer and its count', () => {
  const after = removeAnswer(page([answer(11), answer(10)]), 11);
  expect(answerIds(after)).toEqual([10]);
  expect(after.question.answerCount).toBe(1);
  expect(removeAnswer(after, 11)).toBe(after);
});

test('adds a new reply at the end, below its answer or the question', () => {
  const before = page([answer(10, [reply(1)]), answer(9)]);
  expect(replyIds(addReply(before, reply(2)))).toEqual([1, 2]);
  const commented = addReply(before, reply(3, null, null));
  expect(commented.replies.items.map(({ id }) => id)).toEqual([3]);
  expect(replyIds(commented)).toEqual([1]);
});

test('leaves a line for a deleted reply with replies and removes one without', () => {
  const before = page([answer(10, [reply(1), reply(2, 1), reply(3)])]);
  const line = findPost(removeReply(before, 1), { kind: 'reply', id: 1 });
  expect(line).toMatchObject({ deleted: true, content: '' });
  expect(replyIds(removeReply(before, 3))).toEqual([1, 2]);
});

test('removes deleted ancestors with their last reply', () => {
  const before = page([answer(10, [reply(1), reply(2, 1), reply(3, 2), reply(4, 1)])]);
  const afterTwo = removeReply(removeReply(before, 2), 1);
  expect(replyIds(afterTwo)).toEqual([1, 2, 3, 4]);
  const afterThree = removeReply(afterTwo, 3);
  expect(replyIds(afterThree)).toEqual([1, 4]);
  expect(replyIds(removeReply(afterThree, 4))).toEqual([]);
});

test('patches only the post that changed', () => {
  const before = page([answer(10, [reply(10)]), answer(11)]);
  const after = patchPost(before, { kind: 'reply', id: 10 }, { upvotes: 5, myVote: 'up' });
  expect(findPost(after, { kind: 'reply', id: 10 })).toMatchObject({ upvotes: 5, myVote: 'up' });
  expect(findPost(after, { kind: 'answer', id: 10 })).toMatchObject({ upvotes: 0 });
  expect(after.answers.items[1]).toBe(before.answers.items[1]);
});

test('keeps answers after the refetched ones', () => {
  const before = addMoreAnswers(page([answer(14), answer(13)], 'a'), {
    items: [answer(12), answer(11)],
    nextCursor: 'b',
  });
  const after = mergeFetchedPage(before, page([answer(15), answer(14)], 'c'));
  expect(answerIds(after)).toEqual([15, 14, 13, 12, 11]);
  expect(after.answers.nextCursor).toBe('c');
});

test('drops answers loaded by hand if there may be a gap', () => {
  const before = page([answer(14), answer(13)], 'a');
  const after = mergeFetchedPage(before, page([answer(20), answer(19)], 'b'));
  expect(answerIds(after)).toEqual([20, 19]);
  expect(after.answers.nextCursor).toBe('b');
});

describe('beginning after a cursor', () => {
  const later = (answers: Answer[], sort: AnswerSort = 'newest'): QuestionPageData => {
    const { answers: list, ...others } = page(answers);
    return { ...others, sort, answers: { ...list, previousCursor: 'p' } };
  };

  test('adds a new answer only behind others', () => {
    for (const sort of ['newest', 'helpful'] as const) {
      const before = later([answer(3), answer(2)], sort);
      expect(addAnswer(before, answer(9))).toBe(before);
    }
    expect(answerIds(addAnswer(later([answer(2), answer(3)], 'oldest'), answer(9)))).toEqual([2, 3, 9]);
  });

  test('keeps an answer that was accepted on it, which only the first page has, when refetched', async () => {
    const before = setAcceptedAnswer(later([answer(3), answer(2), answer(1)]), 2);
    const fresh = setAcceptedAnswer(later([answer(3), answer(1)]), 2);
    const after = mergeFetchedPage(before, await refetchFurtherPosts(before, fresh, {}));
    expect(answerIds(after)).toEqual([3, 2, 1]);
    expect(after.answers.previousCursor).toBe('p');
    const deleted = setAcceptedAnswer(fresh, null);
    expect(answerIds(mergeFetchedPage(after, await refetchFurtherPosts(after, deleted, {})))).toEqual([3, 1]);
  });
});

describe('sorted oldest first', () => {
  const ordered = (answers: Answer[], nextCursor: string | null = null): QuestionPageData => ({
    ...page(answers, nextCursor),
    sort: 'oldest',
  });

  test('adds a new answer at the end, also if more are to be loaded, and puts it in order once they are', () => {
    const after = addAnswer(ordered([answer(1), answer(2)], 'a'), answer(9));
    expect(answerIds(after)).toEqual([1, 2, 9]);
    // The fetched count may include it.
    expect(after.question.answerCount).toBe(2);
    expect(answerIds(mergeFetchedPage(after, ordered([answer(1), answer(2)], 'a')))).toEqual([1, 2, 9]);
    const more = addMoreAnswers(after, { items: [answer(3), answer(9)], nextCursor: null });
    expect(answerIds(more)).toEqual([1, 2, 3, 9]);
  });
});

describe('sorted by most helpful', () => {
  const scored = (id: number, upvotes: number, downvotes = 0) => ({ ...answer(id), upvotes, downvotes });
  const ordered = (answers: Answer[], nextCursor: string | null = null): QuestionPageData => ({
    ...page(answers, nextCursor),
    sort: 'helpful',
  });

  test('adds a new answer before others without votes', () => {
    const before = ordered([scored(1, 5), scored(2, 1), scored(3, 2, 2), scored(4, 0, 1)]);
    expect(answerIds(addAnswer(before, answer(9)))).toEqual([1, 2, 9, 3, 4]);
    expect(answerIds(addAnswer(ordered([scored(1, 5)]), answer(9)))).toEqual([1, 9]);
  });

  test('keeps positions when votes change, inserts new answers after their predecessor and removes deleted ones', () => {
    const before = ordered([scored(1, 3), scored(2, 2), scored(3, 1)]);
    const after = mergeFetchedPage(before, ordered([scored(3, 9), scored(7, 4), scored(1, 3), scored(8, 0)]));
    expect(answerIds(after)).toEqual([1, 8, 3, 7]);
    expect(findPost(after, { kind: 'answer', id: 3 })).toMatchObject({ upvotes: 9 });
  });

  test('keeps answers that are now on a later page', () => {
    const before = addMoreAnswers(ordered([scored(1, 3), scored(2, 2)], 'a'), {
      items: [scored(3, 1), scored(4, 0)],
      nextCursor: 'b',
    });
    const after = mergeFetchedPage(before, ordered([scored(4, 8), scored(1, 3)], 'c'));
    expect(answerIds(after)).toEqual([1, 2, 3, 4]);
    expect(after.answers.nextCursor).toBe('c');
    expect(mergeFetchedPage(after, ordered([scored(4, 8), scored(1, 3)])).answers.nextCursor).toBeNull();
  });
});

test('moves an answer the viewer accepts to the top and adds a new one after it', () => {
  const before = page([answer(12), answer(11), answer(10)]);
  const after = setAcceptedAnswerFirst(before, 10);
  expect(after.question.acceptedAnswerId).toBe(10);
  expect(answerIds(after)).toEqual([10, 12, 11]);
  expect(answerIds(addAnswer(after, answer(13)))).toEqual([10, 13, 12, 11]);
  expect(answerIds(setAcceptedAnswerFirst(after, null))).toEqual([10, 12, 11]);
});

test('moves an answer back to its place when it could not be accepted', () => {
  const before = page([answer(12), answer(11), answer(10)]);
  const accepted = setAcceptedAnswerFirst(before, 10);
  expect(answerIds(moveAnswer(accepted, 10, 11))).toEqual([12, 11, 10]);
  expect(answerIds(moveAnswer(accepted, 11, null))).toEqual([11, 10, 12]);
  expect(moveAnswer(before, 9, null)).toBe(before);
});

test('keeps positions when an answer is accepted, also after a refetch', () => {
  const before = setAcceptedAnswer(page([answer(12), answer(11), answer(10)]), 10);
  const fresh = setAcceptedAnswer(page([answer(10), answer(13), answer(12), answer(11)]), 10);
  expect(answerIds(mergeFetchedPage(before, fresh))).toEqual([13, 12, 11, 10]);
  const taken = page([answer(12), answer(11), answer(10)]);
  expect(answerIds(mergeFetchedPage(fresh, taken))).toEqual([10, 12, 11]);
});

test.each([
  { sort: 'newest', expected: [10, 13, 11] },
  { sort: 'oldest', expected: [10, 11, 13] },
  { sort: 'helpful', expected: [10, 13, 11] },
] as const)('adds a new answer behind the accepted one in the order $sort', ({ sort, expected }) => {
  const sorted = (ids: readonly number[]) => ({
    ...setAcceptedAnswer(page(ids.map((id) => answer(id))), 10),
    sort,
  });
  expect(answerIds(mergeFetchedPage(sorted([10, 11]), sorted(expected)))).toEqual(expected);
  expect(answerIds(mergeFetchedPage(sorted([10]), sorted([10, 13])))).toEqual([10, 13]);
});

test('adds an accepted answer of a later page at the top', () => {
  const before = page([answer(12), answer(11)], 'a');
  const fresh = setAcceptedAnswer(page([answer(1), answer(12), answer(11)], 'a'), 1);
  expect(answerIds(mergeFetchedPage(before, fresh))).toEqual([1, 12, 11]);
});

test('clears the acceptance when the accepted answer is deleted, and only then', () => {
  const before = setAcceptedAnswer(page([answer(11), answer(10)]), 11);
  expect(removeAnswer(before, 10).question.acceptedAnswerId).toBe(11);
  expect(removeAnswer(before, 11).question.acceptedAnswerId).toBeNull();
});

test('lists posts in reading order: comments, then each answer with its replies', () => {
  const whole = page([answer(10, [reply(1), reply(2, 1)]), answer(9)], null, [reply(3, null, null)]);
  expect(listPostsBelowQuestion(whole).map(({ post }) => `${post.kind} ${post.id}`)).toEqual([
    'reply 3',
    'answer 10',
    'reply 1',
    'reply 2',
    'answer 9',
  ]);
});

test('lists each participant once with the profile on the original site, and each licence once', () => {
  const imported = (license: string, authorUrl: string | null) => ({
    site: 'beer.example',
    url: 'https://beer.example/1',
    authorUrl,
    license,
  });
  const profile = 'https://beer.example/users/7';
  const data = page([
    { ...answer(10), authorId: 7, authorName: 'Ben', source: imported('CC BY-SA 3.0', null) },
    {
      ...answer(11, [
        { ...reply(20), authorId: 7, authorName: 'Ben', source: imported('CC BY-SA 4.0', profile) },
        { ...reply(21), authorId: null, authorName: 'Former member', source: null },
        { ...reply(22), authorId: 8, authorName: 'Cleo', deleted: true },
      ]),
      authorId: 7,
      authorName: 'Ben',
      authorAvatar: null,
      authorIsBot: false,
      source: imported('CC BY-SA 3.0', profile),
    },
  ]);
  expect(listParticipants(data).filter(({ id }) => id !== data.question.authorId)).toEqual([
    { id: 7, name: 'Ben', avatar: null, profile: { site: 'beer.example', url: profile } },
  ]);
  expect(listLicenses(data)).toBe('CC BY-SA 3.0, CC BY-SA 4.0');
});
