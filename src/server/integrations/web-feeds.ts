import type { Reader } from '#server/core/database.ts';
import { findTagByKey } from '#server/discovery/index.ts';
import { renderPostHtml } from '#server/core/post-html.ts';
import { createExcerpt } from '#server/posts/index.ts';
import { escapeMarkup } from '#server/core/markup.ts';
import { tagKey } from '#shared/core/text.ts';
import { answerPath, questionPath } from '#shared/posts/question-paths.ts';
import type { FeedSubject } from './web-feed-paths.ts';
import {
  type FeedEntryRow,
  findFeedMember,
  listNewestPostsBy,
  listNewestQuestions,
  listNewestQuestionsWithTag,
  listQuestionWithAnswers,
  listUnansweredQuestions,
} from './web-feeds-queries.ts';
import type { FeedEntry, WebFeed } from './web-feeds-xml.ts';

/** The number of entries of a feed. */
const maxEntries = 30;

/** The texts of a feed together, in UTF-16 units. Further entries have the beginning of their text only. */
const maxTextLength = 200_000;

/**
 * Reads a feed (docs/product.md 20.5). Null if it lists the posts of something that does not exist.
 * @param site its name, and its origin for links in the texts
 */
export async function readWebFeed(
  db: Reader,
  subject: FeedSubject,
  { siteName, origin }: { siteName: string; origin: string },
): Promise<WebFeed | null> {
  const source = await readSource(db, subject);
  if (source === null) return null;
  const { title, path } = source.about;
  return { subject, title: `${title} · ${siteName}`, path, entries: toEntries(source.rows, origin) };
}

type Source = { about: Pick<WebFeed, 'title' | 'path'>; rows: readonly FeedEntryRow[] };

async function readSource(db: Reader, subject: FeedSubject): Promise<Source | null> {
  if (subject.kind === 'recent')
    return {
      about: { title: 'Newest questions', path: '/' },
      rows: await listNewestQuestions(db, maxEntries),
    };
  if (subject.kind === 'unanswered')
    return {
      about: { title: 'Unanswered questions', path: '/?tab=unanswered' },
      rows: await listUnansweredQuestions(db, maxEntries),
    };
  if (subject.kind === 'tag') return readTagSource(db, subject.tag);
  if (subject.kind === 'member') return readMemberSource(db, subject.id);
  const rows = await listQuestionWithAnswers(db, { id: subject.id, limit: maxEntries - 1 });
  const [{ title } = { title: undefined }] = rows;
  if (title === undefined) return null;
  return { about: { title, path: questionPath(subject.id, title) }, rows };
}

async function readTagSource(db: Reader, name: string): Promise<Source | null> {
  const tag = await findTagByKey(db, tagKey(name));
  if (tag === undefined) return null;
  return {
    about: {
      title: `Questions about ${tag.name}`,
      path: `/topics/${encodeURIComponent(tag.name)}`,
    },
    rows: await listNewestQuestionsWithTag(db, { tagId: tag.id, limit: maxEntries }),
  };
}

async function readMemberSource(db: Reader, id: number): Promise<Source | null> {
  const member = await findFeedMember(db, id);
  if (member === undefined) return null;
  return {
    about: { title: `Posts by ${member.name}`, path: `/profile/${member.id}` },
    rows: await listNewestPostsBy(db, { memberId: member.id, limit: maxEntries }),
  };
}

function toEntries(rows: readonly FeedEntryRow[], origin: string): FeedEntry[] {
  let length = 0;
  return rows.map((row) => {
    length += row.content.length;
    const isQuestion = row.kind === 'question';
    const stablePath = questionPath(row.question_id);
    return {
      path: isQuestion
        ? questionPath(row.id, row.title)
        : answerPath({ questionId: row.question_id, id: row.id }, row.title),
      stablePath: isQuestion ? stablePath : `${stablePath}#answer-${row.id}`,
      title: isQuestion ? row.title : `Answer to "${row.title}"`,
      html: length > maxTextLength ? toShortHtml(row.content) : toHtml(row, origin),
      author: { name: row.author_name, path: row.author_id === null ? null : `/profile/${row.author_id}` },
      tags: row.tags,
      createdAt: row.created_at,
      updatedAt: row.edited_at ?? row.created_at,
    };
  });
}

const toHtml = ({ content, imported }: FeedEntryRow, origin: string) =>
  renderPostHtml({ markdown: content, imported }, origin);

function toShortHtml(content: string): string {
  return `<p>${escapeMarkup(createExcerpt(content).excerpt)}…</p>`;
}
