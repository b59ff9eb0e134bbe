import { feedWindow, type Mutes, readMutesToApply, skipMuted } from '#server/engagement/index.ts';
import type { Reader } from '#server/core/database.ts';
import type { Viewer } from '#server/core/http.ts';
import { createReadBatcher } from '#server/core/read-batcher.ts';
import { type Cursor, decodeCursor } from '#server/core/cursor.ts';
import type { Feed } from '#shared/discovery/feeds.ts';
import { serverLimits } from '#shared/core/limits.ts';
import type { FeedPage, FeedViewer, MutedChoice } from '#shared/engagement/mutes.ts';
import { listFeedSortKeys, listQuestionCards, readFeedViews } from './feeds-queries.ts';

/** Returns what a viewer sees on a page of a feed. */
export async function readFeedViewer(
  db: Reader,
  wanted: { feed: Feed; viewer: Pick<Viewer, 'id'>; cursor: string | undefined; muted: MutedChoice },
): Promise<FeedViewer> {
  const { feed, viewer, muted } = wanted;
  const cursor = decodeCursor(wanted.cursor);
  const mutes = await readMutesToApply(db, { viewerId: viewer.id, muted });
  if (mutes === null) {
    const views = await (cursor === null
      ? readFirstViews[feed](db, cursor)
      : readViews(db, { feed, cursor }));
    return { views, withoutMuted: null };
  }
  return { views: {}, withoutMuted: await readFeedWithoutMuted(db, { feed, cursor, mutes }) };
}

const readViews = (db: Reader, page: { feed: Feed; cursor: Cursor | null }) =>
  readFeedViews(db, { ...page, limit: serverLimits.feedPage });

/** Members who open a feed at the same time share the views of its first page. */
const readFirstViews = {
  recent: shareFirstViews('recent'),
  popular: shareFirstViews('popular'),
  unanswered: shareFirstViews('unanswered'),
} as const satisfies Record<Feed, unknown>;

function shareFirstViews(feed: Feed) {
  return createReadBatcher<null, Record<string, number>>({
    async readBatch(db, items) {
      const views = await readViews(db, { feed, cursor: null });
      return items.map(() => views);
    },
    maxBatchSize: 100,
  });
}

/**
 * Returns a page of a feed without questions that have a tag the viewer muted: the first 20, or the 20 after a cursor
 * of that feed (docs/product.md 10).
 */
async function readFeedWithoutMuted(
  db: Reader,
  { feed, cursor, mutes }: { feed: Feed; cursor: Cursor | null; mutes: Mutes },
): Promise<FeedPage> {
  const rows = await listFeedSortKeys(db, { feed, cursor, limit: feedWindow + 1, mutes });
  const passed = skipMuted(rows, {
    size: serverLimits.feedPage,
    window: feedWindow,
    position: feedCursors[feed],
  });
  const cards = await listQuestionCards(
    db,
    passed.items.map(({ id }) => id),
  );
  const byId = new Map(cards.map(({ id, card }) => [id, card]));
  const items = passed.items.map(({ id }) => byId.get(id)).filter((card) => card !== undefined);
  return { items, mutedCount: passed.hidden, nextCursor: passed.nextCursor };
}

type SortKeys = { id: number; created_at: Date; upvotes: number };

const byTime = (row: SortKeys): Cursor => ({ after: row.created_at.getTime(), id: row.id });
const byUpvotes = (row: SortKeys): Cursor => ({ after: row.upvotes, id: row.id });

/** The cursor of each feed after a row. */
export const feedCursors: Readonly<Record<Feed, (row: SortKeys) => Cursor>> = {
  recent: byTime,
  popular: byUpvotes,
  unanswered: byTime,
};
