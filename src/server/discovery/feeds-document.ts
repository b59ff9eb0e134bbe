import type { TopicEvent } from '#server/core/events.ts';
import type { PageQuery } from '#server/core/response-cache.ts';
import {
  isAuthorRename,
  listAuthorTopics,
  type QuestionCardRow,
  toQuestionCard,
} from '#server/posts/index.ts';
import { decodeCursor, paginate } from '#server/core/cursor.ts';
import type { LiveEvent, Topic } from '#shared/core/events.ts';
import type { Feed } from '#shared/discovery/feeds.ts';
import { limits } from '#shared/core/limits.ts';
import type { FeedPage } from '#shared/engagement/mutes.ts';
import { feedCursors } from './feeds.ts';
import { listFeedQuestions } from './feeds-queries.ts';

export const feedDocumentKey = (feed: Feed, cursor: string | undefined) => `feed ${feed} ${cursor ?? ''}`;

/**
 * A page of a feed for members without muted tags: the first 20 questions, or the 20 after a cursor.
 * @throws ProblemError 'invalid' for a malformed cursor.
 */
export function feedDocument({ feed, cursor }: { feed: Feed; cursor: string | undefined }): PageQuery {
  const after = decodeCursor(cursor);
  const topics = eventTopics[feed];
  return {
    key: feedDocumentKey(feed, cursor),
    topics,
    viewerKeys: [],
    async read(db) {
      const rows = await listFeedQuestions(db, { feed, cursor: after, limit: limits.feedPage + 1 });
      const { items: shown, nextCursor } = paginate(rows, limits.feedPage, feedCursors[feed]);
      const items = shown.map(toQuestionCard);
      const read: FeedPage = { items, mutedCount: 0, nextCursor };
      return {
        parts: {
          json: JSON.stringify(read),
          ids: [],
          topics: [...topics, ...listAuthorTopics(items)],
          isStaleBy: createStaleCheck(feed, rows),
        },
        values: [],
      };
    },
    readViewerValues: () => Promise.resolve([]),
    viewerTopics: { topics: [], isStaleBy: () => false },
  };
}

/** A question returns to 'unanswered' when its only answer is deleted. That event is published under 'answers'. */
const eventTopics: Readonly<Record<Feed, readonly Topic[]>> = {
  recent: ['feeds'],
  popular: ['feeds'],
  unanswered: ['feeds', 'answers'],
};

/**
 * Returns a function that says whether an event changes the page.
 * @param rows of the page and the next question, if there is one: it is not shown, but its deletion can end the list.
 */
function createStaleCheck(feed: Feed, rows: readonly QuestionCardRow[]): (change: TopicEvent) => boolean {
  const ids = new Set(rows.map((row) => row.id));
  const last = rows.length > limits.feedPage ? rows[limits.feedPage - 1] : undefined;
  /** A question that was not on the page can enter it from this number of upvotes on. */
  const minUpvotes = feed === 'popular' ? (last?.upvotes ?? 0) : Infinity;
  return (change) => {
    const renamed = isAuthorRename(change);
    if (renamed !== undefined) return renamed;
    const { topic, event } = change;
    if (topic === 'answers') return event.kind === 'answer-deleted';
    // With overlapping transactions, a new question can also appear on a later page.
    if (event.kind === 'question-posted') return minUpvotes === 0 || feed !== 'popular';
    if (event.kind === 'question-counted') return ids.has(event.questionId) || event.upvotes >= minUpvotes;
    return singleQuestionEvents.has(event.kind) && 'questionId' in event ? ids.has(event.questionId) : true;
  };
}

/** Events that change only the question they name. */
const singleQuestionEvents: ReadonlySet<LiveEvent['kind']> = new Set([
  'question-solved',
  'question-duplicate-changed',
  'question-edited',
  'question-deleted',
]);
