import type { TopicEvent } from '#server/core/events.ts';
import type { PageQuery } from '#server/core/response-cache.ts';
import { listAuthorTopics, isAuthorRename } from '#server/posts/posts.ts';
import { decodeCursor, paginate } from '#server/core/cursor.ts';
import { type QuestionCardRow, toQuestionCard } from '#server/posts/cards.ts';
import type { LiveEvent, Topic } from '#shared/core/events.ts';
import type { Feed } from '#shared/discovery/feeds.ts';
import { limits } from '#shared/core/limits.ts';
import type { FeedPage } from '#shared/engagement/mutes.ts';
import { feedCursors } from './feeds.ts';
import { listFeedQuestions } from './feeds-queries.ts';

export const feedDocumentKey = (feed: Feed, cursor: string | undefined) => `feed ${feed} ${cursor ?? ''}`;

/**
 * A page of a feed as it is for whoever has muted nothing: the first 20 questions, or the 20 behind a cursor.
 * @throws ProblemError 'invalid' for a cursor of none of ours.
 */
export function feedDocument({ feed, cursor }: { feed: Feed; cursor: string | undefined }): PageQuery {
  const behind = decodeCursor(cursor);
  const topics = eventTopics[feed];
  return {
    key: feedDocumentKey(feed, cursor),
    topics,
    viewerKeys: [],
    async read(db) {
      const rows = await listFeedQuestions(db, { feed, cursor: behind, limit: limits.feedPage + 1 });
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

/** That an unanswered question loses its only answer is told as that answer's end. */
const eventTopics: Readonly<Record<Feed, readonly Topic[]>> = {
  recent: ['feeds'],
  popular: ['feeds'],
  unanswered: ['feeds', 'answers'],
};

/**
 * Whether something that happened changes a page. @param rows of the page and, where there is one, of the next question,
 * which is not shown, but whose going may end the list.
 */
function createStaleCheck(feed: Feed, rows: readonly QuestionCardRow[]): (change: TopicEvent) => boolean {
  const ids = new Set(rows.map((row) => row.id));
  const last = rows.length > limits.feedPage ? rows[limits.feedPage - 1] : undefined;
  /** From so many upvotes on a question may have come in that was not here. */
  const minUpvotes = feed === 'popular' ? (last?.upvotes ?? 0) : Infinity;
  return (change) => {
    const renamed = isAuthorRename(change);
    if (renamed !== undefined) return renamed;
    const { topic, event } = change;
    if (topic === 'answers') return event.kind === 'answer-deleted';
    // Where transactions overlap, also far from the beginning.
    if (event.kind === 'question-posted') return minUpvotes === 0 || feed !== 'popular';
    if (event.kind === 'question-counted') return ids.has(event.questionId) || event.upvotes >= minUpvotes;
    return singleQuestionEvents.has(event.kind) && 'questionId' in event ? ids.has(event.questionId) : true;
  };
}

/** What concerns the question it tells of, where that is shown, and nothing else. */
const singleQuestionEvents: ReadonlySet<LiveEvent['kind']> = new Set([
  'question-solved',
  'question-marked',
  'question-edited',
  'question-deleted',
]);
