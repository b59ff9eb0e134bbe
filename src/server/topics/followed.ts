import { mutesUnlessShown } from '#server/mutes/hidden.ts';
import type { Reader } from '#server/platform/database.ts';
import type { Viewer } from '#server/platform/http.ts';
import { encodeCursor } from '#server/posts/cursor.ts';
import { toQuestionCard } from '#server/questions/cards.ts';
import { type FollowedSummary, type FollowedTopic, summaryNames } from '#shared/topics.ts';
import { followedTopicNames, followedTopicsPage, newestOfTags } from './queries.ts';
import { pageOffset, toTopic } from './topics.ts';

/** Followed topics a page of 'My Topics' shows, and the newest questions of each. */
const topicsAPage = 20;
const questionsATopic = 3;

/** 'My Topics': each followed topic with its newest questions, by name. */
export async function readFollowedTopics(
  db: Reader,
  { viewer, cursor }: { viewer: Viewer; cursor: string | undefined },
): Promise<{ items: FollowedTopic[]; nextCursor: string | null }> {
  const offset = pageOffset(cursor);
  const [rows, mutes] = await Promise.all([
    followedTopicsPage(db, { viewerId: viewer.id, offset, limit: topicsAPage + 1 }),
    mutesUnlessShown(db, { viewerId: viewer.id, muted: 'hide' }),
  ]);
  const shown = rows.slice(0, topicsAPage);
  const cards = await newestOfTags(db, {
    ids: shown.map((row) => row.id),
    limit: questionsATopic,
    mutes,
  });
  const byTag = Map.groupBy(cards, (card) => card.tag_id);
  return {
    items: shown.map((row) => ({
      ...toTopic(row),
      questions: (byTag.get(row.id) ?? []).map(toQuestionCard),
    })),
    nextCursor: rows.length > topicsAPage ? encodeCursor({ after: offset + topicsAPage, id: 0 }) : null,
  };
}

/** The names of the topics followed first, and how many there are. */
export async function readFollowedSummary(db: Reader, viewer: Viewer): Promise<FollowedSummary> {
  const rows = await followedTopicNames(db, { viewerId: viewer.id, limit: summaryNames });
  return { tags: rows.map((row) => row.name), total: rows[0]?.total ?? 0 };
}
