import { ProblemError } from '#server/platform/errors.ts';
import type { Reader } from '#server/platform/database.ts';
import type { StreamedEvent } from '#server/platform/events.ts';
import type { Viewer } from '#server/platform/http.ts';
import type { PageParts } from '#server/platform/read-models/page.ts';
import type { WantedPage } from '#server/platform/read-models/read-models.ts';
import { authorTopics, renames } from '#server/posts/authors.ts';
import { type Cursor, decodeCursor, page } from '#server/posts/cursor.ts';
import { toQuestionCard } from '#server/questions/cards.ts';
import { limits } from '#shared/limits.ts';
import type { QuestionCards } from '#shared/questions.ts';
import { tagKey } from '#shared/tags.ts';
import type { Topics, TopicSort } from '#shared/topics.ts';
import { ownOnTopics, questionsWithTag, topicByKey, type TopicRow, topicsPage } from './queries.ts';
import { toTopic } from './topics.ts';

/** Topics a page of the grid shows. */
const topicsAPage = 60;

export const topicsPageKey = (sort: TopicSort, cursor: string | undefined) =>
  `topics ${sort} ${cursor ?? ''}`;
/** @param key as `tagKey` makes it. */
export const topicPageKey = (key: string) => `topic ${key}`;
/** @param key as `tagKey` makes it. */
export const topicQuestionsPageKey = (key: string, cursor: string | undefined) =>
  `topic-questions ${cursor ?? ''} ${key}`;

type WantedTopics = { viewer: Viewer; sort: TopicSort; cursor: string | undefined };

/**
 * A page of the topics that have questions.
 * @throws ProblemError 'invalid' for a cursor of none of ours.
 */
export function wholeTopicsPage(wanted: WantedTopics): WantedPage {
  const { viewer, sort, cursor } = wanted;
  const behind = decodeCursor(cursor);
  return {
    key: topicsPageKey(sort, cursor),
    ...ofTopics(viewer),
    async read(db) {
      const rows = await topicsPage(db, { ...windowOf(viewer, sort, behind), query: '' });
      const { items, nextCursor } = page(rows, topicsAPage, positions[sort]);
      const read: Topics = { items: items.map((row) => toTopic(forNobody(row))), nextCursor };
      const last = rows.length > topicsAPage ? items.at(-1) : undefined;
      return readAs(read, items, (news) => isStaleBy(news, keysOf(rows)) || mayEnter(news, sort, last));
    },
  };
}

/** Topics with questions whose name contains `query`, a page at a time. */
export async function readTopicsNamed(
  db: Reader,
  { viewer, sort, cursor, query }: WantedTopics & { query: string },
): Promise<Topics> {
  const named = { ...windowOf(viewer, sort, decodeCursor(cursor)), query: tagKey(query.trim()) };
  const { items, nextCursor } = page(await topicsPage(db, named), topicsAPage, positions[sort]);
  return { items: items.map(toTopic), nextCursor };
}

const windowOf = (viewer: Viewer, sort: TopicSort, cursor: Cursor | null) => {
  return { viewerId: viewer.id, sort, cursor, limit: topicsAPage + 1 };
};

const positions: Readonly<Record<TopicSort, (row: TopicRow) => Cursor>> = {
  popular: (row) => ({ after: row.questions_count, id: row.id }),
  alphabetical: (row) => ({ after: 0, id: row.id }),
  active: (row) => ({ after: row.active_at?.getTime() ?? 0, id: row.id }),
};

/**
 * One topic. A tag nobody used yet is a topic without questions, so that it can be followed.
 * @throws ProblemError 'not-found', as it is read.
 */
export function topicPage({ tag, viewer }: { tag: string; viewer: Viewer }): WantedPage {
  const key = tagKey(tag);
  return {
    key: topicPageKey(key),
    ...ofTopics(viewer),
    async read(db) {
      const row = await findTopic(db, { key, viewer });
      return readAs(toTopic(forNobody(row)), [row], (news) => isStaleBy(news, new Set([key])));
    },
  };
}

async function findTopic(db: Reader, { key, viewer }: { key: string; viewer: Viewer }): Promise<TopicRow> {
  const row = await topicByKey(db, { key, viewerId: viewer.id });
  if (row === undefined) throw new ProblemError('not-found', 'Topic not found');
  return row;
}

/**
 * The questions of a topic, newest first.
 * @throws ProblemError 'invalid' for a cursor of none of ours, 'not-found', as it is read, where there is no such topic.
 */
export function topicQuestionsPage(wanted: {
  tag: string;
  viewer: Viewer;
  cursor: string | undefined;
}): WantedPage {
  const { tag, viewer, cursor } = wanted;
  const key = tagKey(tag);
  const behind = decodeCursor(cursor);
  return {
    key: topicQuestionsPageKey(key, cursor),
    topics: ['feeds'],
    own: [],
    async read(db) {
      const rows = await questionsWithTag(db, { key, cursor: behind, limit: limits.feedPage + 1 });
      // Only where nothing is there it matters whether the topic is.
      if (rows.length === 0) await findTopic(db, { key, viewer });
      const { items: shown, nextCursor } = page(rows, limits.feedPage, (row) => ({
        after: row.created_at.getTime(),
        id: row.id,
      }));
      const items = shown.map(toQuestionCard);
      const read: QuestionCards = { items, nextCursor };
      // With the next one, which is not shown, but whose going may end the list.
      const ids = new Set(rows.map(({ id }) => id));
      const parts: PageParts = {
        json: JSON.stringify(read),
        ids: [],
        topics: ['feeds', ...authorTopics(items)],
        isStaleBy: (news) => renames(news) ?? changesQuestions(news, key, ids),
      };
      return { parts, values: [] };
    },
    readOwn: () => Promise.resolve([]),
    ownStaleBy: { topics: [], isStaleBy: () => false },
  };
}

function changesQuestions({ event }: StreamedEvent, key: string, ids: ReadonlySet<number>): boolean {
  if (event.kind === 'question-posted') return hasTag(event.tags, key);
  if (event.kind === 'question-edited') return ids.has(event.questionId) || hasTag(event.tags, key);
  return 'questionId' in event ? ids.has(event.questionId) : true;
}

const hasTag = (tags: readonly string[], key: string) => tags.some((tag) => tagKey(tag) === key);

/** Who tells of what is shown of topics, and what of it is the viewer's own. */
function ofTopics(viewer: Viewer): Omit<WantedPage, 'key' | 'read'> {
  return {
    topics: ['topics', 'activity', 'answers'],
    own: ['following', 'muted'],
    async readOwn(db, ids) {
      const rows = await ownOnTopics(db, { ids, viewerId: viewer.id });
      const byId = new Map(rows.map((row) => [row.id, row]));
      return ownValues(ids.map((id) => byId.get(id) ?? { following: false, muted: false }));
    },
    ownStaleBy: {
      topics: [`member:${viewer.id}`],
      isStaleBy: ({ event }) =>
        (event.kind === 'follows-changed' || event.kind === 'mutes-changed') && 'tag' in event,
    },
  };
}

function readAs(
  shown: object,
  rows: readonly TopicRow[],
  isStaleBy: PageParts['isStaleBy'],
): { parts: PageParts; values: string[] } {
  const ids = rows.map(({ id }) => id);
  const parts: PageParts = {
    json: JSON.stringify(shown),
    ids,
    topics: ['topics', 'activity', 'answers'],
    isStaleBy,
  };
  return { parts, values: ownValues(rows) };
}

const forNobody = (row: TopicRow): TopicRow => ({ ...row, following: false, muted: false });

const ownValues = (rows: readonly Pick<TopicRow, 'following' | 'muted'>[]) =>
  rows.flatMap(({ following, muted }) => [String(following), String(muted)]);

const keysOf = (rows: readonly TopicRow[]): ReadonlySet<string> => new Set(rows.map(({ key }) => key));

/** Whether something changes what is shown of topics: their numbers, or when they were last active. */
function isStaleBy({ event }: StreamedEvent, keys: ReadonlySet<string>): boolean {
  if ('tag' in event) return keys.has(tagKey(event.tag));
  // An answer that goes does not say in which topics it was.
  if (event.kind === 'question-active') return event.tags.some((tag) => keys.has(tagKey(tag)));
  return event.kind === 'answer-deleted';
}

/** Whether a topic that a page does not show may come in. @param last of the page, where others follow it. */
function mayEnter({ event }: StreamedEvent, sort: TopicSort, last: TopicRow | undefined): boolean {
  if (event.kind === 'question-active') return sort === 'active';
  if (event.kind !== 'topic-asked') return false;
  if (sort === 'popular') return event.questionsCount >= (last?.questions_count ?? 0);
  return sort === 'active' || event.questionsCount <= 1;
}
