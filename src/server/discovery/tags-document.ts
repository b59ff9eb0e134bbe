import { tagKey } from '#shared/core/text.ts';
import type { ListedTagDocument, TagSort, TagsDocument, TagsViewer } from '#shared/discovery/tags.ts';
import { getTagDescription } from '#shared/posts/tags.ts';
import { ProblemError } from '#server/core/errors.ts';
import type { Reader } from '#server/core/database.ts';
import type { TopicEvent } from '#server/core/events.ts';
import type { Viewer } from '#server/core/http.ts';
import type { DocumentRequest } from '#server/core/response-cache.ts';
import { isAuthorRename, listAuthorTopics, toCardsJson } from '#server/posts/index.ts';
import { type Cursor, decodeCursor, paginate } from '#server/core/cursor.ts';
import { serverLimits } from '#shared/core/limits.ts';
import type { Topic } from '#shared/core/events.ts';
import type { QuestionCardsViewer } from '#shared/posts/questions-document.ts';
import {
  findTagByKey,
  findTagViewerRow,
  listTagQuestionCards,
  listTags,
  listTagViewerRows,
  readTagQuestionViews,
  type TagRow,
  type TagViewerRow,
} from './tags-queries.ts';

/** Tags per page of the grid. */
const tagsPerPage = 60;

/** A page of the tags that have questions and whose name contains `query`. */
export type TagsRequest = { query: string; sort: TagSort; cursor?: string | undefined };

/**
 * The document of a page of all tags that have questions.
 * @throws ProblemError 'invalid' for a malformed cursor.
 */
export function tagsDocument(wanted: Omit<TagsRequest, 'query'>): DocumentRequest {
  const { sort, cursor } = wanted;
  const window = toWindow({ ...wanted, query: '' });
  return {
    key: `/api/tags?sort=${sort}${cursor === undefined ? '' : `&cursor=${cursor}`}`,
    topics,
    async read(db) {
      const rows = await listTags(db, window);
      const { items } = paginate(rows, tagsPerPage, tagCursors[sort]);
      const last = rows.length > tagsPerPage ? items.at(-1) : undefined;
      const keys = new Set(rows.map(({ key }) => key));
      return {
        json: JSON.stringify(toTagsDocument(rows, sort)),
        topics,
        isStaleBy: (change) => isStaleBy(change, keys) || mayAppear(change, sort, last),
      };
    },
  };
}

/** Searches for tags are too varied to be cached. */
export async function searchTags(db: Reader, wanted: TagsRequest): Promise<TagsDocument> {
  return toTagsDocument(await listTags(db, toWindow(wanted)), wanted.sort);
}

function toTagsDocument(rows: readonly TagRow[], sort: TagSort): TagsDocument {
  const { items, nextCursor } = paginate(rows, tagsPerPage, tagCursors[sort]);
  return { items: items.map(toTagDocument), nextCursor };
}

/** Returns which tags of a page the viewer follows or muted. */
export async function readTagsViewer(
  db: Reader,
  { viewer, ...wanted }: TagsRequest & { viewer: Pick<Viewer, 'id'> },
): Promise<TagsViewer> {
  return toTagsViewer(await listTagViewerRows(db, { ...toWindow(wanted), viewerId: viewer.id }));
}

function toWindow({ query, sort, cursor }: TagsRequest) {
  return {
    query: tagKey(query.trim()),
    sort,
    cursor: decodeCursor(cursor),
    limit: tagsPerPage + 1,
  };
}

const tagCursors: Readonly<Record<TagSort, (row: TagRow) => Cursor>> = {
  popular: (row) => ({ after: row.questions_count, id: row.id }),
  alphabetical: (row) => ({ after: 0, id: row.id }),
  active: (row) => ({ after: row.active_at?.getTime() ?? 0, id: row.id }),
};

/**
 * The document of one tag. A tag that no question has yet is returned without questions, so that it can be followed.
 * @throws ProblemError 'not-found' when it is read.
 */
export function tagDocument(tag: string): DocumentRequest {
  const key = tagKey(tag);
  return {
    key: `/api/tags/${encodeURIComponent(key)}`,
    topics,
    async read(db) {
      const row = await findTag(db, key);
      const { about, descriptionSource, aboutSource } = row;
      const json = JSON.stringify({ ...toTagDocument(row), about, descriptionSource, aboutSource });
      // A synonym's document is that of its tag.
      const keys = new Set([key, row.key]);
      return { json, topics, isStaleBy: (change) => isStaleBy(change, keys) };
    },
  };
}

async function findTag(db: Reader, key: string) {
  const row = await findTagByKey(db, key);
  if (row === undefined) throw tagNotFound();
  return row;
}

const tagNotFound = () => new ProblemError('tag-not-found');

/**
 * Returns whether the viewer follows or muted a tag.
 * @throws ProblemError 'not-found'
 */
export async function readTagViewer(
  db: Reader,
  { tag, viewer }: { tag: string; viewer: Pick<Viewer, 'id'> },
): Promise<TagsViewer> {
  const row = await findTagViewerRow(db, { key: tagKey(tag), viewerId: viewer.id });
  if (row === undefined) throw tagNotFound();
  return toTagsViewer([row]);
}

function toTagsViewer(rows: readonly TagViewerRow[]): TagsViewer {
  return {
    following: rows.filter(({ following }) => following).map(({ name }) => name),
    muted: rows.filter(({ muted }) => muted).map(({ name }) => name),
  };
}

type TagQuestionsRequest = { tag: string; cursor: string | undefined };

/**
 * The document of the questions with a tag, newest first.
 * @throws ProblemError 'invalid' for a malformed cursor; 'not-found', when it is read, if there is no such tag.
 */
export function tagQuestionsDocument({ tag, cursor }: TagQuestionsRequest): DocumentRequest {
  const key = tagKey(tag);
  const after = decodeCursor(cursor);
  return {
    key: `/api/tags/${encodeURIComponent(key)}/questions${cursor === undefined ? '' : `?cursor=${cursor}`}`,
    topics: ['feeds', 'tags'],
    async read(db) {
      const [rows, tag] = await Promise.all([
        listTagQuestionCards(db, { key, cursor: after, limit: serverLimits.feedPage + 1 }),
        findTag(db, key),
      ]);
      const keys = new Set([key, tag.key]);
      const { items, nextCursor } = paginate(rows, serverLimits.feedPage, (row) => ({
        after: row.created_at.getTime(),
        id: row.id,
      }));
      // Includes the next question: it is not shown, but its deletion can end the list.
      const ids = new Set(rows.map(({ id }) => id));
      return {
        json: toCardsJson(items, nextCursor),
        topics: ['feeds', 'tags', ...listAuthorTopics(items.map((row) => row.author_id))],
        isStaleBy: (change) => isAuthorRename(change) ?? changesQuestions(change, keys, ids),
      };
    },
  };
}

/** Returns the views of the same questions. */
export async function readTagQuestionsViewer(
  db: Reader,
  { tag, cursor }: TagQuestionsRequest,
): Promise<QuestionCardsViewer> {
  const window = { key: tagKey(tag), cursor: decodeCursor(cursor), limit: serverLimits.feedPage };
  return { views: await readTagQuestionViews(db, window) };
}

function changesQuestions(
  { topic, event }: TopicEvent,
  keys: ReadonlySet<string>,
  ids: ReadonlySet<number>,
): boolean {
  if (topic === 'tags')
    return event.kind === 'imported' || (event.kind === 'tag-changed' && keys.has(tagKey(event.tag)));
  if (event.kind === 'question-posted') return hasTag(event.tags, keys);
  if (event.kind === 'question-edited') return ids.has(event.questionId) || hasTag(event.tags, keys);
  if (event.kind === 'question-counted' && event.by === 'view') return false;
  return 'questionId' in event ? ids.has(event.questionId) : true;
}

const hasTag = (tags: readonly string[], keys: ReadonlySet<string>) =>
  tags.some((tag) => keys.has(tagKey(tag)));

/** The topics with events about tags. */
const topics: readonly Topic[] = ['tags', 'activity', 'answers'];

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
  if (event.kind === 'tag-changed') return true;
  if (event.kind !== 'tag-questions-changed') return false;
  if (sort === 'popular') return event.questionsCount >= (last?.questions_count ?? 0);
  return sort === 'active' || event.questionsCount <= 1;
}

export function toTagDocument(row: TagRow): ListedTagDocument {
  return {
    name: row.name,
    description: row.description ?? getTagDescription(row.name),
    questionsCount: row.questions_count,
    followersCount: row.followers_count,
    activeAt: row.active_at?.toISOString() ?? null,
  };
}
