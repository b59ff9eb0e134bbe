import { sql } from 'kysely';
import { tagIdOf } from '#server/posts/index.ts';
import type { Reader, Tx } from '#server/core/database.ts';
import { maxAnnouncements } from '#shared/moderation/announcements.ts';

export type AnnouncementRow = {
  id: number;
  question_id: number | null;
  title: string | null;
  text: string | null;
  link: string | null;
  tag: string | null;
  until: Date | null;
};

/**
 * Latest first. Omits those that have ended and those of hidden questions.
 * @param place the home page, the tag with this key or a synonym of it, or all
 */
export async function listAnnouncements(
  db: Reader,
  place: 'home' | 'all' | { tag: string },
): Promise<AnnouncementRow[]> {
  const shownAtPlace =
    place === 'all'
      ? sql`true`
      : place === 'home'
        ? sql`tag_id is null`
        : sql`coalesce(tag.synonym_of, tag.id) = ${tagIdOf(place.tag)}`;
  const { rows } = await sql<AnnouncementRow>`
    select announcement.id, question_id, question.title, text, link, shown.name as tag, until
    from announcement
    left join question on question.id = question_id
    left join tag on tag.id = tag_id
    left join tag shown on shown.id = coalesce(tag.synonym_of, tag.id)
    where ${shownAtPlace} and (until is null or until > clock_timestamp()) and (question_id is null or question.id is not null)
    order by announcement.id desc
    -- More than allowed, if a pinned question was hidden meanwhile.
    limit ${place === 'all' ? null : maxAnnouncements}::bigint`.execute(db);
  return rows;
}

/** Waits for other moderators who are posting announcements, so that their number can be limited. */
export async function lockAnnouncements(tx: Tx): Promise<void> {
  await sql`lock table announcement in share row exclusive mode`.execute(tx);
}

export async function deleteEndedAnnouncements(tx: Tx): Promise<void> {
  await sql`delete from announcement where until <= clock_timestamp()`.execute(tx);
}

/** Returns nothing if the question is already pinned there. */
export async function insertAnnouncement(
  tx: Tx,
  row: {
    questionId: number | null;
    text: string | null;
    link: string | null;
    tagId: number | null;
    until: string | null;
  },
): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    insert into announcement (question_id, text, link, tag_id, until)
    values (${row.questionId}, ${row.text}, ${row.link}, ${row.tagId}, ${row.until})
    on conflict do nothing returning id`.execute(tx);
  return rows[0]?.id;
}

export async function deleteAnnouncement(tx: Tx, id: number): Promise<AnnouncementRow | undefined> {
  const { rows } = await sql<AnnouncementRow>`
    delete from announcement where id = ${id}
    returning id, question_id, text, link, until,
      (select title from question where question.id = question_id) as title,
      (select name from tag where tag.id = tag_id) as tag`.execute(tx);
  return rows[0];
}
