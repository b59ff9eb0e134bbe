import { mutesUnlessShown } from '#server/mutes/hidden.ts';
import type { Reader } from '#server/platform/database.ts';
import type { Viewer } from '#server/platform/http.ts';
import { encodeCursor } from '#server/posts/cursor.ts';
import { toQuestionCard } from '#server/questions/cards.ts';
import { topicDescription } from '#shared/tags.ts';
import { type FollowedSummary, type FollowedTopic, suggestedTopics, summaryNames } from '#shared/topics.ts';
import { followedTopicNames, followedTopicsPage, newestOfTags, topicsPage } from './queries.ts';
import { pageOffset, toTopic } from './topics.ts';

/** Followed topics a page of 'My Topics' shows, and the newest questions of each. */
const topicsAPage = 20;
const questionsATopic = 3;

/** Popular topics that are read for suggestions: some of them may be muted. */
const popularRead = 30;

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

/** The names of the topics followed first, and how many there are; suggestions where there are none. */
export async function readFollowedSummary(db: Reader, viewer: Viewer): Promise<FollowedSummary> {
  const rows = await followedTopicNames(db, { viewerId: viewer.id, limit: summaryNames });
  const total = rows[0]?.total ?? 0;
  return {
    tags: rows.map((row) => row.name),
    total,
    suggested: total > 0 ? [] : await suggestions(db, viewer),
  };
}

/** The most popular topics that the viewer has not muted; the specification's where no tag has a question. */
async function suggestions(db: Reader, viewer: Viewer): Promise<FollowedSummary['suggested']> {
  const popular = {
    viewerId: viewer.id,
    query: '',
    sort: 'popular',
    cursor: null,
    limit: popularRead,
  } as const;
  const rows = await topicsPage(db, popular);
  const names =
    rows.length === 0 ? suggestedTopics : rows.filter(({ muted }) => !muted).map(({ name }) => name);
  return names.slice(0, suggestedTopics.length).map((tag) => ({ tag, description: topicDescription(tag) }));
}
