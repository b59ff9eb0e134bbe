import { feedWindow, type Mutes, mutesOf, passHidden } from '#server/mutes/hidden.ts';
import type { Reader } from '#server/platform/database.ts';
import type { Viewer } from '#server/platform/http.ts';
import { type Cursor, decodeCursor, page } from '#server/posts/cursor.ts';
import { toQuestionCard } from '#server/questions/cards.ts';
import type { Feed } from '#shared/feeds.ts';
import { limits } from '#shared/limits.ts';
import type { FeedPage, MutedChoice } from '#shared/mutes.ts';
import { feedPositions, feedQuestions, questionsById } from './queries.ts';

/**
 * A page of a feed's questions: the first 20, or the 20 behind a cursor of that feed (DECISIONS section 5), without
 * those of the viewer's muted topics unless they are asked for.
 */
export async function readFeed(
  db: Reader,
  wanted: { feed: Feed; viewer: Viewer; muted: MutedChoice; cursor: string | undefined },
): Promise<FeedPage> {
  const { feed, viewer, muted } = wanted;
  const cursor = decodeCursor(wanted.cursor);
  const mutes = await mutesOf(db, { viewerId: viewer.id, muted });
  if (mutes !== null) return readWithout(db, { feed, cursor, mutes });
  const rows = await feedQuestions(db, { feed, cursor, limit: limits.feedPage + 1 });
  const { items, nextCursor } = page(rows, limits.feedPage, positions[feed]);
  return { items: items.map(toQuestionCard), hidden: 0, nextCursor };
}

async function readWithout(
  db: Reader,
  { feed, cursor, mutes }: { feed: Feed; cursor: Cursor | null; mutes: Mutes },
): Promise<FeedPage> {
  const rows = await feedPositions(db, { feed, cursor, limit: feedWindow + 1, mutes });
  const passed = passHidden(rows, {
    size: limits.feedPage,
    window: feedWindow,
    position: positions[feed],
  });
  const cards = await questionsById(
    db,
    passed.items.map(({ id }) => id),
  );
  const byId = new Map(cards.map((card) => [card.id, toQuestionCard(card)]));
  const items = passed.items.map(({ id }) => byId.get(id)).filter((card) => card !== undefined);
  return { items, hidden: passed.hidden, nextCursor: passed.nextCursor };
}

type Sorted = { id: number; created_at: Date; upvotes: number };

const byTime = (row: Sorted): Cursor => ({ after: row.created_at.getTime(), id: row.id });
const byUpvotes = (row: Sorted): Cursor => ({ after: row.upvotes, id: row.id });

const positions: Readonly<Record<Feed, (row: Sorted) => Cursor>> = {
  recent: byTime,
  popular: byUpvotes,
  unanswered: byTime,
};
