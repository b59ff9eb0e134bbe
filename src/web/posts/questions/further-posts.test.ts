import { expect, test } from 'vitest';
import type { RepliesPage, Reply } from '#shared/posts/replies.ts';
import { refetchList } from './further-posts.ts';

const reply = (id: number): Reply => ({
  id,
  questionId: 1,
  answerId: 10,
  parentReplyId: null,
  level: 0,
  content: 'text',
  deleted: false,
  authorId: 1,
  authorName: 'Ada',
  authorAvatar: null,
  authorIsBot: false,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  editedAt: null,
  upvotes: 0,
  downvotes: 0,
  myVote: null,
  source: null,
});
const list = (ids: number[], nextCursor: string | null): RepliesPage => ({
  items: ids.map(reply),
  nextCursor,
});

/** Refetches a list in pages of two replies, with their last id as cursor. */
async function refetch(before: RepliesPage, ids: number[]) {
  const pageAfter = (cursor: number) => {
    const rest = ids.filter((id) => id > cursor);
    return list(rest.slice(0, 2), rest.length > 2 ? String(rest[1]) : null);
  };
  let fetched = 0;
  const { items, nextCursor } = await refetchList(before, pageAfter(0), (cursor) => {
    fetched++;
    return Promise.resolve(pageAfter(Number(cursor)));
  });
  return { ids: items.map(({ id }) => id), nextCursor, fetched };
}

test('refetches as many pages as were loaded, without deleted replies', async () => {
  expect(await refetch(list([1, 2, 3, 4], '4'), [1, 2, 4, 5, 6, 7])).toEqual({
    ids: [1, 2, 4, 5],
    nextCursor: '5',
    fetched: 1,
  });
});

test('includes a new reply at the end of a list that was complete', async () => {
  expect(await refetch(list([1, 2, 3, 4], null), [1, 2, 3, 4, 5])).toEqual({
    ids: [1, 2, 3, 4, 5],
    nextCursor: null,
    fetched: 2,
  });
});

test("loads no further page for the member's own reply after the loaded ones", async () => {
  expect(await refetch(list([1, 2, 9], '2'), [1, 2, 3, 4, 9])).toEqual({
    ids: [1, 2],
    nextCursor: '2',
    fetched: 0,
  });
});
