import type { StreamedEvent } from '#server/platform/events.ts';
import type { WantedPage } from '#server/platform/read-models/read-models.ts';
import { authorTopics, renames } from '#server/posts/authors.ts';
import { decodeCursor, page } from '#server/posts/cursor.ts';
import { type QuestionCardRow, toQuestionCard } from '#server/questions/cards.ts';
import type { LiveEvent, Topic } from '#shared/events.ts';
import type { Feed } from '#shared/feeds.ts';
import { limits } from '#shared/limits.ts';
import type { FeedPage } from '#shared/mutes.ts';
import { positions } from './feeds.ts';
import { feedQuestions } from './queries.ts';

export const feedPageKey = (feed: Feed, cursor: string | undefined) => `feed ${feed} ${cursor ?? ''}`;

/**
 * A page of a feed as it is for whoever has muted nothing: the first 20 questions, or the 20 behind a cursor.
 * @throws ProblemError 'invalid' for a cursor of none of ours.
 */
export function wholeFeedPage({ feed, cursor }: { feed: Feed; cursor: string | undefined }): WantedPage {
  const behind = decodeCursor(cursor);
  const topics = topicsOf[feed];
  return {
    key: feedPageKey(feed, cursor),
    topics,
    own: [],
    async read(db) {
      const rows = await feedQuestions(db, { feed, cursor: behind, limit: limits.feedPage + 1 });
      const { items: shown, nextCursor } = page(rows, limits.feedPage, positions[feed]);
      const items = shown.map(toQuestionCard);
      const read: FeedPage = { items, hidden: 0, nextCursor };
      return {
        parts: {
          json: JSON.stringify(read),
          ids: [],
          topics: [...topics, ...authorTopics(items)],
          isStaleBy: stalenessOf(feed, rows),
        },
        values: [],
      };
    },
    readOwn: () => Promise.resolve([]),
    ownStaleBy: { topics: [], isStaleBy: () => false },
  };
}

/** That an unanswered question loses its only answer is told as that answer's end. */
const topicsOf: Readonly<Record<Feed, readonly Topic[]>> = {
  recent: ['feeds'],
  popular: ['feeds'],
  unanswered: ['feeds', 'answers'],
};

/**
 * Whether something that happened changes a page. @param rows of the page and, where there is one, of the next question,
 * which is not shown, but whose going may end the list.
 */
function stalenessOf(feed: Feed, rows: readonly QuestionCardRow[]): (news: StreamedEvent) => boolean {
  const ids = new Set(rows.map((row) => row.id));
  const last = rows.length > limits.feedPage ? rows[limits.feedPage - 1] : undefined;
  /** From so many upvotes on a question may have come in that was not here. */
  const entrance = feed === 'popular' ? (last?.upvotes ?? 0) : Infinity;
  return (news) => {
    const renamed = renames(news);
    if (renamed !== undefined) return renamed;
    const { topic, event } = news;
    if (topic === 'answers') return event.kind === 'answer-deleted';
    // Where transactions overlap, also far from the beginning.
    if (event.kind === 'question-posted') return entrance === 0 || feed !== 'popular';
    if (event.kind === 'question-counted') return ids.has(event.questionId) || event.upvotes >= entrance;
    return aboutOne.has(event.kind) && 'questionId' in event ? ids.has(event.questionId) : true;
  };
}

/** What concerns the question it tells of, where that is shown, and nothing else. */
const aboutOne: ReadonlySet<LiveEvent['kind']> = new Set([
  'question-solved',
  'question-marked',
  'question-edited',
  'question-deleted',
]);
