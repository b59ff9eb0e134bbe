import { type Database, type Reader, transaction, type Tx } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import { publishAll } from '#server/core/events.ts';
import type { DocumentRequest } from '#server/core/response-cache.ts';
import { lockQuestionIfExists, lockTagByName } from '#server/posts/index.ts';
import {
  type Announcement,
  type AnnouncementDraft,
  type AnnouncementsDocument,
  maxAllAnnouncements,
  maxAnnouncements,
} from '#shared/moderation/announcements.ts';
import type { Topic } from '#shared/core/events.ts';
import { tagKey } from '#shared/core/text.ts';
import {
  type AnnouncementRow,
  deleteAnnouncement,
  deleteEndedAnnouncements,
  insertAnnouncement,
  listAnnouncements,
  lockAnnouncements,
} from './announcements-queries.ts';
import { insertLogEntry, type LoggedState } from './moderation-log-queries.ts';
import type { Moderator } from './moderator.ts';

const topics: readonly Topic[] = ['feeds', 'tags'];

/**
 * The document of the announcements and pinned questions of the home page or of a tag (docs/decisions/069). That of an
 * unknown tag is empty.
 */
export function announcementsDocument(tag: string | undefined): DocumentRequest {
  const place = tag === undefined ? 'home' : { tag: tagKey(tag) };
  return {
    key: `/api/announcements${tag === undefined ? '' : `?tag=${encodeURIComponent(tagKey(tag))}`}`,
    topics,
    async read(db) {
      const items = (await listAnnouncements(db, place)).map(toAnnouncement);
      const questions = new Set(items.map(({ question }) => question?.id));
      return {
        json: JSON.stringify({ items } satisfies AnnouncementsDocument),
        topics,
        isStaleBy: ({ event }) =>
          event.kind === 'announcements-changed' ||
          event.kind === 'tag-changed' ||
          // A restored question can be pinned.
          event.kind === 'question-posted' ||
          ((event.kind === 'question-edited' || event.kind === 'question-deleted') &&
            questions.has(event.questionId)),
      };
    },
  };
}

/** Returns those of all places. */
export async function readAllAnnouncements(db: Reader): Promise<AnnouncementsDocument> {
  return { items: (await listAnnouncements(db, 'all')).map(toAnnouncement) };
}

function toAnnouncement(row: AnnouncementRow): Announcement {
  const { id, question_id: questionId, title, tag } = row;
  return {
    id,
    question: questionId === null || title === null ? null : { id: questionId, title },
    text: row.text ?? '',
    link: row.link ?? '',
    tag,
    until: row.until?.toISOString() ?? null,
  };
}

/**
 * Posts an announcement or pins a question, on the home page or on the page of a tag. The moderation log lists it.
 * @returns its id
 * @throws ProblemError 'invalid' without a text or with a text and a question, for an unknown tag and for an end in the
 *   past; 'not-found' for an unknown question; 'already-handled' if the question is pinned there; 'not-allowed' if
 *   there are too many.
 */
export async function postAnnouncement(
  db: Database,
  { moderator, draft }: { moderator: Moderator; draft: AnnouncementDraft },
): Promise<number> {
  const { questionId, text, link, until } = draft;
  if (questionId === null && text === '') throw new ProblemError('announcement-text-required');
  if (questionId !== null && (text !== '' || link !== ''))
    throw new ProblemError('pinned-question-with-text');
  if (until !== null && new Date(until) <= new Date()) throw new ProblemError('announcement-end-past');
  return transaction(db, async (tx) => {
    // Before the table, as transactions that delete a question do.
    if (questionId !== null && (await lockQuestionIfExists(tx, questionId)) === undefined)
      throw new ProblemError('question-not-found');
    const tag = draft.tag === null ? null : await requireTag(tx, draft.tag);
    await lockAnnouncements(tx);
    await deleteEndedAnnouncements(tx);
    const tagName = tag?.name ?? null;
    const all = await listAnnouncements(tx, 'all');
    const shown = all.filter((each) => each.tag === tagName);
    if (questionId !== null && shown.some((each) => each.question_id === questionId))
      throw new ProblemError('question-pinned-already');
    if (shown.length >= maxAnnouncements)
      throw new ProblemError('too-many-announcements', { params: { max: maxAnnouncements } });
    if (all.length >= maxAllAnnouncements)
      throw new ProblemError('too-many-announcements-in-all', { params: { max: maxAllAnnouncements } });
    const id = await insertAnnouncement(tx, {
      questionId,
      text: text || null,
      link: link || null,
      tagId: tag?.id ?? null,
      until,
    });
    if (id === undefined) throw new ProblemError('question-pinned-already');
    await recordChange(tx, {
      moderator,
      action: questionId === null ? 'announce' : 'pin',
      questionId,
      text: text || null,
      state: 'after',
      values: { link, topic: tagName ?? '', until: until ?? '' },
    });
    return id;
  });
}

async function requireTag(tx: Tx, name: string) {
  const tag = await lockTagByName(tx, { tag: name, create: false });
  if (tag === undefined) throw new ProblemError('announcement-tag-unknown');
  return tag;
}

/**
 * Ends an announcement, or unpins a question.
 * @throws ProblemError 'already-handled' if it has ended.
 */
export async function endAnnouncement(
  db: Database,
  { moderator, id }: { moderator: Moderator; id: number },
): Promise<void> {
  await transaction(db, async (tx) => {
    const row = await deleteAnnouncement(tx, id);
    if (row === undefined) throw new ProblemError('announcement-ended-already');
    await recordChange(tx, {
      moderator,
      action: row.question_id === null ? 'end_announcement' : 'unpin',
      questionId: row.question_id,
      text: row.text,
      state: 'before',
      values: { link: row.link ?? '', topic: row.tag ?? '', until: row.until?.toISOString() ?? '' },
    });
  });
}

async function recordChange(
  tx: Tx,
  change: {
    moderator: Moderator;
    action: 'announce' | 'end_announcement' | 'pin' | 'unpin';
    questionId: number | null;
    text: string | null;
    state: 'before' | 'after';
    values: Readonly<Record<string, string>>;
  },
): Promise<void> {
  const { moderator, action, questionId, text, state } = change;
  const values: LoggedState = Object.fromEntries(Object.entries(change.values).filter(([, value]) => value));
  await insertLogEntry(tx, {
    moderatorId: moderator.id,
    action,
    reason: '',
    post: questionId === null ? null : { kind: 'question', id: questionId, questionId },
    memberId: null,
    ...(text === null ? {} : { subject: text }),
    before: state === 'before' ? values : {},
    after: state === 'after' ? values : {},
  });
  await publishAll(tx, [
    { topic: 'feeds', event: { kind: 'announcements-changed' } },
    { topic: 'moderation', event: { kind: 'moderation-changed' } },
  ]);
}
