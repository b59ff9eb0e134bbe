import { sql } from 'kysely';
import type { Reader } from '#server/core/database.ts';
import { createReadBatcher } from '#server/core/read-batcher.ts';
import { existsForRow } from '#server/core/sql.ts';
import { type Cursor, encodeCursor } from '#server/core/cursor.ts';
import { serverLimits } from '#shared/core/limits.ts';
import type { MutedChoice } from '#shared/engagement/mutes.ts';

/** The tags a member muted. */
export type Mutes = { viewerId: number; tagIds: readonly number[] };

/** Rows a feed reads for one page at most, even if most of them are muted. */
export const feedWindow = 400;

/** Reads the muted tags of the members who open a feed at the same time. */
const readMutes = createReadBatcher<number, Mutes>({ readBatch: readMutesOfMembers, maxBatchSize: 100 });

async function readMutesOfMembers(db: Reader, viewerIds: readonly number[]): Promise<Mutes[]> {
  const { rows } = await sql<{ viewer_id: number; tag_id: number }>`
    select viewer_id, tag_id from unnest((select ${[...new Set(viewerIds)]}::bigint[])) as reading (viewer_id)
    cross join lateral (
      select tag_id from tag_mute where member_id = viewer_id limit ${serverLimits.mutedTags}
    ) muted`.execute(db);
  const byViewer = Map.groupBy(rows, (row) => row.viewer_id);
  return viewerIds.map((viewerId) => ({
    viewerId,
    tagIds: (byViewer.get(viewerId) ?? []).map((row) => row.tag_id),
  }));
}

/** Returns the tags to leave out; null if the member muted none, or chose to see all questions. */
export async function readMutesToApply(
  db: Reader,
  { viewerId, muted }: { viewerId: number; muted: MutedChoice },
): Promise<Mutes | null> {
  if (muted === 'show') return null;
  const mutes = await readMutes(db, viewerId);
  return mutes.tagIds.length === 0 ? null : mutes;
}

/**
 * SQL condition: the question `post` has a muted tag. Questions that the member follows or wrote are never left out.
 */
export function hasMutedTag({ viewerId, tagIds }: Mutes) {
  return sql<boolean>`(
    post.author_id is distinct from ${viewerId}
    and ${existsForRow(sql`from question_tag where question_id = post.id and tag_id = any(${[...tagIds]}::bigint[])`)}
    and not ${existsForRow(sql`from question_follow where question_id = post.id and member_id = ${viewerId}`)}
  )`;
}

/**
 * Builds a page from ordered rows without the hidden ones. The page has fewer than `size` items if the window ends
 * first; the cursor then continues after the window.
 * @param rows at most `window` + 1
 */
export function skipMuted<Row extends { hidden: boolean }>(
  rows: readonly Row[],
  { size, window, position }: { size: number; window: number; position: (row: Row) => Cursor },
): { items: Row[]; hidden: number; nextCursor: string | null } {
  const looked = rows.slice(0, window);
  const items: Row[] = [];
  let scanned = 0;
  for (const row of looked) {
    if (!row.hidden && items.length === size) break;
    if (!row.hidden) items.push(row);
    scanned++;
  }
  const last = looked[scanned - 1];
  const more = rows.length > scanned && last !== undefined;
  return { items, hidden: scanned - items.length, nextCursor: more ? encodeCursor(position(last)) : null };
}
