import { queryOptions, type QueryClient } from '@tanstack/react-query';
import type { Announcement, AnnouncementDraft } from '#shared/moderation/announcements.ts';
import { api, readJson } from '#web/core/api.ts';
import { announcementsKey } from '#web/discovery/index.ts';

/** Those of all pages. */
export const allAnnouncementsQuery = queryOptions({
  queryKey: [...announcementsKey, { all: true }],
  queryFn: ({ signal }) => readJson(api.moderation.announcements.$get({}, { init: { signal } })),
  staleTime: 0,
});

/** Posts an announcement or pins a question. */
export async function postAnnouncement(client: QueryClient, draft: AnnouncementDraft): Promise<void> {
  await readJson(api.moderation.announcements.$post({ json: draft }));
  void client.invalidateQueries({ queryKey: announcementsKey });
}

/** Ends an announcement or unpins a question. */
export async function endAnnouncement(client: QueryClient, id: number): Promise<void> {
  await readJson(api.moderation.announcements[':id'].$delete({ param: { id: String(id) } }));
  void client.invalidateQueries({ queryKey: announcementsKey });
}

/** The same announcement again, to undo its end. */
export const toDraft = ({ question, text, link, tag, until }: Announcement): AnnouncementDraft => ({
  questionId: question?.id ?? null,
  text,
  link,
  tag,
  until,
});

/**
 * The end of a day in the time zone of the browser.
 * @param day as in a date field, such as 2026-11-24; empty for no end
 */
export const endOfDay = (day: string): string | null =>
  day === '' ? null : new Date(`${day}T23:59:59.999`).toISOString();
