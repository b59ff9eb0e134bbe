import { paths } from '#web/platform/paths.ts';

/** The page of one list; null: of all bookmarks. */
export function bookmarkListPath(id: number | null): string {
  return id === null ? paths.bookmarks : `${paths.bookmarks}?list=${id}`;
}
