import { tagKey } from '#shared/core/text.ts';
import type { Tag, TagSort, TagsPage } from '#shared/discovery/tags.ts';
import { getTagDescription } from '#shared/posts/tags.ts';
import { ProblemError } from '#server/core/errors.ts';
import type { Reader } from '#server/core/database.ts';
import type { TopicEvent } from '#server/core/events.ts';
import type { Viewer } from '#server/core/http.ts';
import type { PageContent } from '#server/core/response-cache-page.ts';
import type { PageQuery } from '#server/core/response-cache.ts';
import { isAuthorRename, listAuthorTopics, toQuestionCard } from '#server/posts/index.ts';
import { type Cursor, decodeCursor, paginate } from '#server/core/cursor.ts';
import { limits } from '#shared/core/limits.ts';
import type { QuestionCards } from '#shared/posts/questions.ts';
import {
  findTagByKey,
  listTagQuestions,
  listTags,
  listViewerTagStates,
  type TagRow,
} from './tags-queries.ts';

/** Tags per page of the grid. */
const tagsPerPage = 60;

export const tagsDocumentKey = (sort: TagSort, cursor: string | undefined) => `tags ${sort} ${cursor ?? ''}`;
/** @param key as `tagKey` returns it. */
export const tagDocumentKey = (key: string) => `topic ${key}`;
/** @param key as `tagKey` returns it. */
export const tagQuestionsDocumentKey = (key: string, cursor: string | undefined) =>
  `topic-questions ${cursor ?? ''} ${key}`;

type TagsRequest = { viewer: Viewer; sort: TagSort; cursor: string | undefined };

/**
 * A page of the tags that have questions.
 * @throws ProblemError 'invalid' for a malformed cursor.
 */
export function tagsDocument(wanted: TagsRequest): PageQuery {
  const { viewer, sort, cursor } = wanted;
  const after = decodeCursor(cursor);
  return {
    key: tagsDocumentKey(sort, cursor),
    ...tagDocumentBase(viewer),
    async read(db) {
      const rows = await listTags(db, { ...toWindow(viewer, sort, after), query: '' });
      const { items, nextCursor } = paginate(rows, tagsPerPage, tagCursors[sort]);
      const read: TagsPage = { items: items.map((row) => toTag(withoutViewerState(row))), nextCursor };
      const last = rows.length > tagsPerPage ? items.at(-1) : undefined;
      return toPageContent(
        read,
        items,
        (change) => isStaleBy(change, keysOf(rows)) || mayAppear(change, sort, last),
      );
    },
  };
}

/** Returns a page of tags with questions whose name contains `query`. */
export async function searchTags(
  db: Reader,
  { viewer, sort, cursor, query }: TagsRequest & { query: string },
): Promise<TagsPage> {
  const named = { ...toWindow(viewer, sort, decodeCursor(cursor)), query: tagKey(query.trim()) };
  const { items, nextCursor } = paginate(await listTags(db, named), tagsPerPage, tagCursors[sort]);
  return { items: items.map(toTag), nextCursor };
}

const toWindow = (viewer: Viewer, sort: TagSort, cursor: Cursor | null) => {
  return { viewerId: viewer.id, sort, cursor, limit: tagsPerPage + 1 };
};

const tagCursors: Readonly<Record<TagSort, (row: TagRow) => Cursor>> = {
  popular: (row) => ({ after: row.questions_count, id: row.id }),
  alphabetical: (row) => ({ after: 0, id: row.id }),
  active: (row) => ({ after: row.active_at?.getTime() ?? 0, id: row.id }),
};

/**
 * One tag. A tag that no question has yet is returned without questions, so that it can be followed.
 * @throws ProblemError 'not-found' when it is read.
 */
export function tagDocument({ tag, viewer }: { tag: string; viewer: Viewer }): PageQuery {
  const key = tagKey(tag);
  return {
    key: tagDocumentKey(key),
    ...tagDocumentBase(viewer),
    async read(db) {
      const row = await findTag(db, { key, viewer });
      return toPageContent(toTag(withoutViewerState(row)), [row], (change) =>
        isStaleBy(change, new Set([key])),
      );
    },
  };
}

async function findTag(db: Reader, { key, viewer }: { key: string; viewer: Viewer }): Promise<TagRow> {
  const row = await findTagByKey(db, { key, viewerId: viewer.id });
  if (row === undefined) throw new ProblemError('tag-not-found');
  return row;
}

/**
 * The questions with a tag, newest first.
 * @throws ProblemError 'invalid' for a malformed cursor; 'not-found', when it is read, if there is no such tag.
 */
export function tagQuestionsDocument(wanted: {
  tag: string;
  viewer: Viewer;
  cursor: string | undefined;
}): PageQuery {
  const { tag, viewer, cursor } = wanted;
  const key = tagKey(tag);
  const after = decodeCursor(cursor);
  return {
    key: tagQuestionsDocumentKey(key, cursor),
    topics: ['feeds'],
    viewerKeys: [],
    async read(db) {
      const rows = await listTagQuestions(db, { key, cursor: after, limit: limits.feedPage + 1 });
      // Only an empty page needs to check that the tag exists.
      if (rows.length === 0) await findTag(db, { key, viewer });
      const { items: shown, nextCursor } = paginate(rows, limits.feedPage, (row) => ({
        after: row.created_at.getTime(),
        id: row.id,
      }));
      const items = shown.map(toQuestionCard);
      const read: QuestionCards = { items, nextCursor };
      // Includes the next question: it is not shown, but its deletion can end the list.
      const ids = new Set(rows.map(({ id }) => id));
      const parts: PageContent = {
        json: JSON.stringify(read),
        ids: [],
        topics: ['feeds', ...listAuthorTopics(items)],
        isStaleBy: (change) => isAuthorRename(change) ?? changesQuestions(change, key, ids),
      };
      return { parts, values: [] };
    },
    readViewerValues: () => Promise.resolve([]),
    viewerTopics: { topics: [], isStaleBy: () => false },
  };
}

function changesQuestions({ event }: TopicEvent, key: string, ids: ReadonlySet<number>): boolean {
  if (event.kind === 'question-posted') return hasTag(event.tags, key);
  if (event.kind === 'question-edited') return ids.has(event.questionId) || hasTag(event.tags, key);
  return 'questionId' in event ? ids.has(event.questionId) : true;
}

const hasTag = (tags: readonly string[], key: string) => tags.some((tag) => tagKey(tag) === key);

/** The events and the viewer values of pages that show tags. */
function tagDocumentBase(viewer: Viewer): Omit<PageQuery, 'key' | 'read'> {
  return {
    topics: ['tags', 'activity', 'answers'],
    viewerKeys: ['following', 'muted'],
    async readViewerValues(db, ids) {
      const rows = await listViewerTagStates(db, { ids, viewerId: viewer.id });
      const byId = new Map(rows.map((row) => [row.id, row]));
      return toViewerValues(ids.map((id) => byId.get(id) ?? { following: false, muted: false }));
    },
    viewerTopics: {
      topics: [`member:${viewer.id}`],
      isStaleBy: ({ event }) =>
        (event.kind === 'follows-changed' || event.kind === 'mutes-changed') && 'tag' in event,
    },
  };
}

function toPageContent(
  content: object,
  rows: readonly TagRow[],
  isStaleBy: PageContent['isStaleBy'],
): { parts: PageContent; values: string[] } {
  const ids = rows.map(({ id }) => id);
  const parts: PageContent = {
    json: JSON.stringify(content),
    ids,
    topics: ['tags', 'activity', 'answers'],
    isStaleBy,
  };
  return { parts, values: toViewerValues(rows) };
}

const withoutViewerState = (row: TagRow): TagRow => ({ ...row, following: false, muted: false });

const toViewerValues = (rows: readonly Pick<TagRow, 'following' | 'muted'>[]) =>
  rows.flatMap(({ following, muted }) => [String(following), String(muted)]);

const keysOf = (rows: readonly TagRow[]): ReadonlySet<string> => new Set(rows.map(({ key }) => key));

/** Whether an event changes the counts or the last activity of the tags shown. */
function isStaleBy({ event }: TopicEvent, keys: ReadonlySet<string>): boolean {
  if ('tag' in event) return keys.has(tagKey(event.tag));
  // The event of a deleted answer does not name the tags.
  if (event.kind === 'question-active') return event.tags.some((tag) => keys.has(tagKey(tag)));
  return event.kind === 'answer-deleted';
}

/**
 * Whether a tag that the page does not show may enter it.
 * @param last the last tag of the page, if more follow
 */
function mayAppear({ event }: TopicEvent, sort: TagSort, last: TagRow | undefined): boolean {
  if (event.kind === 'question-active') return sort === 'active';
  if (event.kind !== 'tag-questions-changed') return false;
  if (sort === 'popular') return event.questionsCount >= (last?.questions_count ?? 0);
  return sort === 'active' || event.questionsCount <= 1;
}

export function toTag(row: TagRow): Tag {
  return {
    name: row.name,
    description: getTagDescription(row.name),
    questionsCount: row.questions_count,
    followersCount: row.followers_count,
    activeAt: row.active_at?.toISOString() ?? null,
    following: row.following,
    muted: row.muted,
  };
}
