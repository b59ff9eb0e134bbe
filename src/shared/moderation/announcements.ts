import { z } from 'zod';
import { withCode } from '#shared/core/coded-error.ts';
import { addressText, id, time } from '#shared/core/fields.ts';
import { countCodePoints, hasControlCharacters } from '#shared/core/text.ts';

/** Code points of an announcement's text. */
export const maxAnnouncementText = 200;
const maxLink = 500;
/** At most this many are shown on the home page, and on the page of each tag. */
export const maxAnnouncements = 5;
/** At most this many in all, since moderators see them on one page. */
export const maxAllAnnouncements = 200;

/** A web address, or a path on this site. */
const link = z
  .string()
  .trim()
  .max(maxLink)
  .regex(/^(?:https?:\/\/\S+|\/(?![/\\])\S*)?$/, withCode('announcement-link-not-valid'))
  .refine((text) => !hasControlCharacters(text), withCode('characters-not-allowed'));

/** A new announcement: a text with an optional link, or a pinned question. */
export const announcementDraft = z.object({
  /** The question to pin; null for a text. */
  questionId: id.nullable().default(null),
  /** Empty for a pinned question. */
  text: z
    .string()
    .trim()
    .refine(
      (text) => countCodePoints(text) <= maxAnnouncementText,
      withCode('text-too-long', { max: maxAnnouncementText }),
    )
    .refine((text) => !hasControlCharacters(text), withCode('characters-not-allowed'))
    .default(''),
  /** Empty for none. */
  link: link.default(''),
  /** The tag on whose page it is shown; null for the home page. */
  tag: addressText.trim().min(1).nullable().default(null),
  /** When it ends; null for no end. */
  until: time.nullable().default(null),
});
export type AnnouncementDraft = z.infer<typeof announcementDraft>;

export const announcement = z.object({
  id,
  /** The pinned question; null for a text. */
  question: z.object({ id, title: z.string() }).nullable(),
  /** Empty for a pinned question. */
  text: z.string(),
  /** Empty for none. */
  link: z.string(),
  tag: z.string().nullable(),
  until: time.nullable(),
});
export type Announcement = z.infer<typeof announcement>;

/** Those that have not ended, latest first. */
export const announcementsDocument = z.object({ items: z.array(announcement) });
export type AnnouncementsDocument = z.infer<typeof announcementsDocument>;
