import { tagKey } from '#shared/core/text.ts';
import { decodeCursor, paginate } from '#server/core/cursor.ts';
import { toTagDocument } from './tags-document.ts';
import { readMutesToApply } from '#server/engagement/index.ts';
import { listUsableTags, mayCreateTags, type TagSettings } from '#server/posts/index.ts';
import type { Reader } from '#server/core/database.ts';
import type { Viewer } from '#server/core/http.ts';
import { getTagDescription } from '#shared/posts/tags.ts';
import {
  type FollowedTag,
  followedTagsInSummary,
  type FollowedTagsSummary,
  suggestedTags,
} from '#shared/discovery/tags.ts';
import {
  listFollowedTagNames,
  listFollowedTags,
  listNamedTags,
  listNewestQuestionsByTag,
  listTagViewerRows,
} from './tags-queries.ts';

/** Followed tags per page of 'My Topics', and newest questions of each. */
const tagsPerPage = 20;
const questionsPerTag = 3;

/** Popular tags read for suggestions; some of them may be muted. */
const popularRead = 30;

/** Returns a page of 'My Topics': followed tags by name, each with its newest questions. */
export async function readFollowedTags(
  db: Reader,
  { viewer, cursor }: { viewer: Viewer; cursor: string | undefined },
): Promise<{ items: FollowedTag[]; nextCursor: string | null }> {
  const afterId = decodeCursor(cursor)?.id ?? null;
  const [rows, mutes] = await Promise.all([
    listFollowedTags(db, { viewerId: viewer.id, afterId, limit: tagsPerPage + 1 }),
    readMutesToApply(db, { viewerId: viewer.id, muted: 'hide' }),
  ]);
  const { items: shown, nextCursor } = paginate(rows, tagsPerPage, ({ id }) => ({ after: 0, id }));
  const cards = await listNewestQuestionsByTag(db, {
    ids: shown.map((row) => row.id),
    limit: questionsPerTag,
    mutes,
  });
  const byTag = Map.groupBy(cards, (card) => card.tag_id);
  return {
    items: shown.map((row) => ({
      ...toTagDocument(row),
      following: row.following,
      muted: row.muted,
      questions: (byTag.get(row.id) ?? []).map(({ card }) => card),
    })),
    nextCursor,
  };
}

type Wanted = { viewer: Viewer; settings: TagSettings };

/** Returns the names of the first followed tags and their number; suggestions if there are none. */
export async function readFollowedTagsSummary(db: Reader, wanted: Wanted): Promise<FollowedTagsSummary> {
  const { viewer } = wanted;
  const rows = await listFollowedTagNames(db, { viewerId: viewer.id, limit: followedTagsInSummary });
  const total = rows[0]?.total ?? 0;
  return {
    tags: rows.map((row) => row.name),
    total,
    suggested: total > 0 ? [] : await suggestTags(db, wanted),
  };
}

/** Returns the most popular tags of the site and the fixed suggestions, without those the viewer has muted. */
async function suggestTags(db: Reader, wanted: Wanted): Promise<FollowedTagsSummary['suggested']> {
  const fixed = await suggestFixedTags(db, wanted);
  const rows = await listTagViewerRows(db, {
    viewerId: wanted.viewer.id,
    query: '',
    sort: 'popular',
    cursor: null,
    limit: popularRead,
  });
  const ofSite = rows.filter(({ name, muted }) => !muted && !fixed.has(tagKey(name)));
  return [...ofSite.slice(0, suggestedTags.length), ...fixed.values()].map(({ name, description }) => ({
    name,
    description: description ?? getTagDescription(name),
  }));
}

/** Returns those of the fixed suggestions that the viewer may follow and has not muted, by the keys of their tags. */
async function suggestFixedTags(db: Reader, { viewer, settings }: Wanted) {
  const rows = await listNamedTags(db, { keys: suggestedTags.map(tagKey), viewerId: viewer.id });
  const byName = new Map(rows.map((row) => [row.named, row]));
  const usable = (await mayCreateTags(db, { viewer, settings }))
    ? new Set(suggestedTags.map(tagKey))
    : await listUsableTags(db, { tags: suggestedTags, settings });
  const suggested = new Map<string, { name: string; description: string | null }>();
  for (const name of suggestedTags) {
    const row = byName.get(tagKey(name));
    if (!usable.has(tagKey(name)) || row?.muted === true) continue;
    if (row === undefined || !row.is_visible) suggested.set(tagKey(name), { name, description: null });
    else suggested.set(row.key, { name: row.is_synonym ? row.name : name, description: row.description });
  }
  return suggested;
}
