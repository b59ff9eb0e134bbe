import type { Reader } from '#server/core/database.ts';
import { createExcerpt } from '#server/posts/index.ts';
import { answerPath, questionPath } from '#shared/posts/question-paths.ts';
import {
  findAnswerContent,
  findMemberContent,
  findQuestionContent,
  findReplyContent,
  type MemberContentRow,
  type QuestionContentRow,
  type ReplyContentRow,
  type AnswerContentRow,
} from './webhooks-content-queries.ts';
import type { DeliveryRow } from './webhooks-delivery-queries.ts';

export type WebhookAuthor = { id: number | null; name: string; url: string | null };

export type WebhookPost = {
  id: number;
  url: string;
  author: WebhookAuthor;
  /** The beginning of the text without Markdown, up to 200 characters. */
  excerpt: string;
  createdAt: string;
  editedAt: string | null;
};

export type WebhookQuestion = WebhookPost & { title: string; tags: string[] };

export type WebhookMember = { id: number; name: string; url: string; createdAt: string };

/** The body of a delivery (docs/webhooks.md). */
export type WebhookPayload = {
  type: string;
  /** When it happened. */
  timestamp: string;
  data: {
    question?: WebhookQuestion | { id: number };
    answer?: WebhookPost | { id: number };
    reply?: (WebhookPost & { answerId: number | null; parentReplyId: number | null }) | { id: number };
    member?: WebhookMember;
    webhook?: { id: number; name: string };
  };
};

type EventRow = Pick<
  DeliveryRow,
  | 'event_type'
  | 'question_id'
  | 'answer_id'
  | 'reply_id'
  | 'member_id'
  | 'occurred_at'
  | 'webhook_id'
  | 'webhook_name'
>;

/**
 * Reads the content of an event as it is now. Null: the post, or its question, is deleted or hidden, so there is
 * nothing to send; events about removed posts have ids only. Also null for a member who is gone.
 */
export async function readWebhookPayload(
  db: Reader,
  row: EventRow,
  site: string,
): Promise<WebhookPayload | null> {
  const { event_type: type, question_id: questionId, answer_id: answerId, reply_id: replyId } = row;
  const head = { type, timestamp: row.occurred_at.toISOString() };
  if (row.member_id !== null) {
    const member = await findMemberContent(db, row.member_id);
    return member === undefined ? null : { ...head, data: { member: toMember(member, site) } };
  }
  if (questionId === null)
    return { ...head, data: { webhook: { id: row.webhook_id, name: row.webhook_name } } };
  const ids = {
    question: { id: questionId },
    ...(answerId !== null && { answer: { id: answerId } }),
    ...(replyId !== null && { reply: { id: replyId } }),
  };
  if (type === 'question.removed') return { ...head, data: { question: ids.question } };
  const question = await findQuestionContent(db, questionId);
  if (question === undefined) return null;
  const shown = { question: toQuestion(question, site) };
  if (type.endsWith('.removed')) return { ...head, data: { ...ids, ...shown } };
  const answer = answerId === null ? null : await findAnswerContent(db, answerId);
  const reply = replyId === null ? null : await findReplyContent(db, replyId);
  if (answer === undefined || reply === undefined) return null;
  return {
    ...head,
    data: {
      ...shown,
      ...(answer !== null && { answer: toAnswer(answer, question, site) }),
      ...(reply !== null && { reply: toReply(reply, question, site) }),
    },
  };
}

/** The members whom a payload names. */
export function listNamedMembers({ data }: WebhookPayload): { id: number; name: string }[] {
  const posts = [data.question, data.answer, data.reply].filter(
    (post): post is WebhookPost => post !== undefined && 'author' in post,
  );
  const authors = posts.flatMap(({ author: { id, name } }) => (id === null ? [] : [{ id, name }]));
  return [...authors, ...(data.member === undefined ? [] : [data.member])];
}

const toMember = (row: MemberContentRow, site: string): WebhookMember => ({
  id: row.id,
  name: row.name,
  url: `${site}/profile/${row.id}`,
  createdAt: row.created_at.toISOString(),
});

function toQuestion(row: QuestionContentRow, site: string): WebhookQuestion {
  const url = `${site}${questionPath(row.id, row.title)}`;
  return { id: row.id, title: row.title, url, tags: row.tags, ...toPost(row, site), excerpt: row.excerpt };
}

function toAnswer(row: AnswerContentRow, question: QuestionContentRow, site: string): WebhookPost {
  const url = `${site}${answerPath({ questionId: question.id, id: row.id }, question.title)}`;
  return { id: row.id, url, ...toPost(row, site), excerpt: createExcerpt(row.content).excerpt };
}

function toReply(row: ReplyContentRow, question: QuestionContentRow, site: string) {
  const url = `${site}${questionPath(question.id, question.title)}#reply-${row.id}`;
  const { excerpt } = createExcerpt(row.content);
  const place = { answerId: row.answer_id, parentReplyId: row.parent_reply_id };
  return { id: row.id, url, ...toPost(row, site), excerpt, ...place };
}

function toPost(row: Omit<AnswerContentRow, 'content'>, site: string) {
  const { author_id: id } = row;
  return {
    author: { id, name: row.author_name, url: id === null ? null : `${site}/profile/${id}` },
    createdAt: row.created_at.toISOString(),
    editedAt: row.edited_at?.toISOString() ?? null,
  };
}
