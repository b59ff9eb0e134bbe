import { feedWindow, mutesOf, passHidden } from '#server/mutes/hidden.ts';
import type { Reader } from '#server/platform/database.ts';
import type { Viewer } from '#server/platform/http.ts';
import { type Cursor, decodeCursor } from '#server/posts/cursor.ts';
import { toQuestionCard } from '#server/questions/cards.ts';
import type { Feed } from '#shared/feeds.ts';
import { limits } from '#shared/limits.ts';
import type { FeedPage } from '#shared/mutes.ts';
import { feedPositions, questionsById } from './queries.ts';

/**
 * A page of a feed without the questions of the viewer's muted topics: the first 20, or the 20 behind a cursor of that
 * feed (docs/product.md 10).
 */
export async function readFeedWithoutMuted(
  db: Reader,
  wanted: { feed: Feed; viewer: Viewer; cursor: string | undefined },
): Promise<FeedPage> {
  const { feed, viewer } = wanted;
  const cursor = decodeCursor(wanted.cursor);
  const mutes = await mutesOf(db, viewer.id);
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

/** Where a page of each feed ends. */
export const positions: Readonly<Record<Feed, (row: Sorted) => Cursor>> = {
  recent: byTime,
  popular: byUpvotes,
  unanswered: byTime,
};
