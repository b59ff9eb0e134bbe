import { z } from 'zod';
import { author, basedOn, id, multiline, paged, source, time, votes } from '#shared/core/fields.ts';
import { limits } from '#shared/core/limits.ts';

export const replyDraft = z.object({
  content: multiline({
    max: limits.reply,
    required: 'reply-required',
    tooLong: 'reply-too-long',
  }),
  /** The reply that this one replies to; null or absent for a reply to the answer (or question) itself. */
  parentReplyId: id.nullable().default(null),
});
export type ReplyDraft = z.infer<typeof replyDraft>;

export const replyEdit = replyDraft.pick({ content: true }).extend(basedOn.shape);
export type ReplyEdit = z.infer<typeof replyEdit>;

export const reply = z.object({
  id,
  questionId: id,
  /** Null for a reply to the question itself (docs/product.md 6.3). */
  answerId: id.nullable(),
  parentReplyId: id.nullable(),
  /** 0 for a reply to an answer or question, up to 3. */
  level: z.int().min(0).max(limits.replyLevel),
  /** Empty for a deleted reply that has replies; it is shown as 'Reply deleted'. */
  content: z.string(),
  deleted: z.boolean(),
  ...author.shape,
  createdAt: time,
  updatedAt: time,
  editedAt: time.nullable(),
  ...votes.shape,
  source,
});
export type Reply = z.infer<typeof reply>;

/** Oldest first, so that a parent comes before its children, also across pages. */
export const repliesPage = paged(reply);
export type RepliesPage = z.infer<typeof repliesPage>;
