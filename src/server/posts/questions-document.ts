import { toFirstAnswersPage } from './answers.ts';
import type { Reader } from '#server/core/database.ts';
import type { Viewer } from '#server/core/http.ts';
import type { TopicEvent } from '#server/core/events.ts';
import type { ViewerChange, PageQuery } from '#server/core/response-cache.ts';
import { listAuthorTopics, isAuthorRename } from './posts.ts';
import { toThreadPages } from './replies.ts';
import type { Answer, AnswerSort } from '#shared/posts/answers.ts';
import type { LiveEvent } from '#shared/core/events.ts';
import type { QuestionPageData } from '#shared/posts/questions.ts';
import type { Reply } from '#shared/posts/replies.ts';
import {
  type ViewerRow,
  readViewerRow,
  readQuestionDocumentRows,
  listParticipants,
} from './questions-document-queries.ts';
import { questionNotFound } from './questions.ts';
import { toQuestion } from './questions-queries.ts';

export const questionDocumentKey = (id: number, sort: AnswerSort) => `question ${id} ${sort}`;

/**
 * The initial content of a question's page.
 * @throws ProblemError 'not-found', when it is read
 */
export function questionDocument(wanted: { id: number; viewer: Viewer; sort: AnswerSort }): PageQuery {
  const { id, viewer, sort } = wanted;
  const topic = `question:${id}` as const;
  return {
    key: questionDocumentKey(id, sort),
    topics: [topic],
    viewerKeys: ['myVote', 'following', 'bookmarked', 'muted', 'visitedAt'],
    counter: { key: 'views', valueAfter: ({ event }) => (event.kind === 'viewed' ? event.views : undefined) },
    async read(db) {
      const page = await readQuestionDocument(db, wanted);
      const posts = listPosts(page);
      return {
        parts: {
          json: JSON.stringify(withoutViewerState(page)),
          ids: posts.map((post) => ('replies' in post ? -post.id : post.id)),
          topics: [topic, ...listAuthorTopics([page.question, ...posts])],
          isStaleBy: (change) => isAuthorRename(change) ?? true,
        },
        values: toViewerValues(page, posts),
      };
    },
    readViewerValues: (db, ids) => readViewerValues(db, { id, viewerId: viewer.id, ids }),
    readParticipants: (db, ids) => listParticipants(db, { id, ...postIds(ids), limit: maxViewerRows }),
    viewerTopics: {
      topics: [`member:${viewer.id}`],
      isStaleBy: ({ event }) => isViewerChange(event, id),
    },
  };
}

async function readQuestionDocument(
  db: Reader,
  { id, viewer, sort }: { id: number; viewer: Viewer; sort: AnswerSort },
): Promise<QuestionPageData> {
  const rows = await readQuestionDocumentRows(db, { id, viewerId: viewer.id, sort });
  if (rows === undefined) throw questionNotFound();
  const { questionReplies, replies } = toThreadPages(rows);
  // Values of the viewer and the view count come last, as response-cache-page.ts requires.
  return {
    replies: questionReplies,
    answers: toFirstAnswersPage(rows.answers, sort, replies),
    sort,
    question: toQuestion(rows.question),
    visitedAt: rows.visitedAt?.toISOString() ?? null,
  };
}

/** The comments, the answers and their replies, in the order of the page. */
function listPosts({ replies, answers }: QuestionPageData): (Reply | Answer)[] {
  return [...replies.items, ...answers.items.flatMap((answer) => [answer, ...answer.replies.items])];
}

/** The page without any values of the viewer, with its fields in the same order. */
function withoutViewerState(page: QuestionPageData): QuestionPageData {
  const unvoted = (reply: Reply): Reply => ({ ...reply, myVote: null });
  const answers = page.answers.items.map((answer): Answer => {
    const replies = { ...answer.replies, items: answer.replies.items.map(unvoted) };
    return { ...answer, myVote: null, bookmarked: false, replies };
  });
  return {
    ...page,
    question: { ...page.question, myVote: null, following: false, bookmarked: false, muted: false },
    replies: { ...page.replies, items: page.replies.items.map(unvoted) },
    answers: { ...page.answers, items: answers },
    visitedAt: null,
  };
}

/** The viewer's own values on a page as JSON, in the order of the page. */
function toViewerValues(
  { question, visitedAt }: QuestionPageData,
  posts: readonly (Reply | Answer)[],
): string[] {
  const { myVote, following, bookmarked, muted } = question;
  const own = posts.flatMap((post) =>
    'bookmarked' in post ? [post.myVote, post.bookmarked] : [post.myVote],
  );
  return [...own, myVote, following, bookmarked, muted, visitedAt].map((value) => JSON.stringify(value));
}

/** The same by post ids. Negative ids are answers, positive ids are replies. */
async function readViewerValues(
  db: Reader,
  { id, viewerId, ids }: { id: number; viewerId: number; ids: readonly number[] },
): Promise<string[]> {
  const row: ViewerRow = await readViewerRow(db, { id, viewerId, ...postIds(ids) });
  const bookmarked = new Set(row.bookmarkedAnswers);
  const own = ids.flatMap((id) =>
    id < 0 ? [row.answerVotes?.[-id] ?? null, bookmarked.has(-id)] : [row.replyVotes?.[id] ?? null],
  );
  const { vote, following, bookmarked: isBookmarked, muted, visitedAt } = row;
  return [...own, vote, following, isBookmarked, muted, visitedAt].map((value) => JSON.stringify(value));
}

/**
 * The maximum number of rows (votes, follows and so on) for which the participants of a page are cached. Above it, each
 * viewer's values are read from the database.
 */
const maxViewerRows = 20_000;

const postIds = (ids: readonly number[]) => {
  return { answerIds: ids.filter((id) => id < 0).map((id) => -id), replyIds: ids.filter((id) => id > 0) };
};

/** Whether an event about a member changes the member's own values on a question's page, without votes. */
function isViewerChange(event: LiveEvent, id: number): boolean {
  if (event.kind === 'bookmarks-changed') return true;
  return viewerEventKinds.has(event.kind) && 'questionId' in event && event.questionId === id;
}

/**
 * The member and the question page whose values an event changes. Votes are not included, because they change the page
 * for everyone.
 */
export function getViewerChange({ topic, event }: TopicEvent): ViewerChange | undefined {
  if (!topic.startsWith('member:')) return undefined;
  const memberId = Number(topic.slice('member:'.length));
  if (event.kind === 'bookmarks-changed') return { memberId, topic: null };
  if (!viewerEventKinds.has(event.kind) || !('questionId' in event)) return undefined;
  return { memberId, topic: `question:${event.questionId}` };
}

const viewerEventKinds: ReadonlySet<LiveEvent['kind']> = new Set([
  'follows-changed',
  'mutes-changed',
  'bookmarked',
  'visited',
]);
