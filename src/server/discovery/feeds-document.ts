import type { TopicEvent } from '#server/core/events.ts';
import type { DocumentRequest } from '#server/core/response-cache.ts';
import {
  isAuthorRename,
  listAuthorTopics,
  type QuestionCardDocumentRow,
  toCardsJson,
} from '#server/posts/index.ts';
import { decodeCursor, paginate } from '#server/core/cursor.ts';
import type { LiveEvent, Topic } from '#shared/core/events.ts';
import type { Feed } from '#shared/discovery/feeds.ts';
import { serverLimits } from '#shared/core/limits.ts';
import { feedCursors } from './feeds.ts';
import { listFeedCards } from './feeds-queries.ts';

/**
 * The document of a page of a feed: the first 20 questions, or the 20 after a cursor.
 * @throws ProblemError 'invalid' for a malformed cursor.
 */
export function feedDocument({ feed, cursor }: { feed: Feed; cursor: string | undefined }): DocumentRequest {
  const after = decodeCursor(cursor);
  const topics = eventTopics[feed];
  return {
    key: `/api/feeds/${feed}${cursor === undefined ? '' : `?cursor=${cursor}`}`,
    topics,
    async read(db) {
      const rows = await listFeedCards(db, { feed, cursor: after, limit: serverLimits.feedPage + 1 });
      const { items, nextCursor } = paginate(rows, serverLimits.feedPage, feedCursors[feed]);
      return {
        json: toCardsJson(items, nextCursor),
        topics: [...topics, ...listAuthorTopics(items.map((row) => row.author_id))],
        isStaleBy: createStaleCheck(feed, rows),
      };
    },
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
function createStaleCheck(
  feed: Feed,
  rows: readonly QuestionCardDocumentRow[],
): (change: TopicEvent) => boolean {
  const ids = new Set(rows.map((row) => row.id));
  const last = rows.length > serverLimits.feedPage ? rows[serverLimits.feedPage - 1] : undefined;
  /** A question that was not on the page can enter it from this number of upvotes on. */
  const minUpvotes = feed === 'popular' ? (last?.upvotes ?? 0) : Infinity;
  return (change) => {
    const renamed = isAuthorRename(change);
    if (renamed !== undefined) return renamed;
    const { topic, event } = change;
    if (topic === 'answers') return event.kind === 'answer-deleted';
    // With overlapping transactions, a new question can also appear on a later page.
    if (event.kind === 'question-posted') return minUpvotes === 0 || feed !== 'popular';
    if (event.kind === 'question-counted')
      return event.by !== 'view' && (ids.has(event.questionId) || event.upvotes >= minUpvotes);
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
