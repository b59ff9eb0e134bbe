import type { Reader } from '#server/platform/database.ts';
import { type Cursor, decodeCursor, page } from '#server/posts/cursor.ts';
import { type QuestionCardRow, toQuestionCard } from '#server/questions/cards.ts';
import type { Feed } from '#shared/feeds.ts';
import { limits } from '#shared/limits.ts';
import type { QuestionCards } from '#shared/questions.ts';
import { type FeedWindow, popularQuestions, recentQuestions, unansweredQuestions } from './queries.ts';

/** A page of a feed's questions: the first 20, or the 20 behind a cursor of that feed (DECISIONS section 5). */
export async function readFeed(
  db: Reader,
  { feed, cursor }: { feed: Feed; cursor: string | undefined },
): Promise<QuestionCards> {
  const { read, position } = feeds[feed];
  const rows = await read(db, { cursor: decodeCursor(cursor), limit: limits.feedPage + 1 });
  const { items, nextCursor } = page(rows, limits.feedPage, position);
  return { items: items.map(toQuestionCard), nextCursor };
}

type FeedDefinition = {
  read: (db: Reader, window: FeedWindow) => Promise<QuestionCardRow[]>;
  position: (row: QuestionCardRow) => Cursor;
};

const byTime = (row: QuestionCardRow): Cursor => ({ after: row.created_at.getTime(), id: row.id });
const byUpvotes = (row: QuestionCardRow): Cursor => ({ after: row.upvotes, id: row.id });

const feeds: Readonly<Record<Feed, FeedDefinition>> = {
  recent: { read: recentQuestions, position: byTime },
  popular: { read: popularQuestions, position: byUpvotes },
  unanswered: { read: unansweredQuestions, position: byTime },
};
