import type { DatedEvent } from '#server/core/event-reads.ts';
import type { LiveEvent } from '#shared/core/events.ts';
import type { WebhookEvent } from '#shared/integrations/webhook-events.ts';

/** An event for web hooks: ids only, because the content is read when it is sent. */
export type WebhookNotice = {
  type: WebhookEvent;
  /** Null for events about a member. */
  questionId: number | null;
  answerId: number | null;
  replyId: number | null;
  memberId: number | null;
  /** The tags of the question; null: its present ones. */
  tags: readonly string[] | null;
  at: Date;
};

/** The kinds of stored events that `toWebhookNotice` reads. */
export const noticedKinds = [
  'question-posted',
  'question-edited',
  'question-deleted',
  'answer-posted',
  'answer-edited',
  'answer-deleted',
  'reply-posted',
  'reply-edited',
  'reply-deleted',
  'accepted',
  'member-joined',
] as const;

type NoticedEvent = Extract<LiveEvent, { kind: (typeof noticedKinds)[number] }>;

/**
 * Converts an event of the stream; null for those that web hooks do not deliver. Each is published to several topics:
 * for questions, the lists count, because the topic of a page of a question has other changes as well; for the rest,
 * the page.
 */
export function toWebhookNotice({ topic, event, createdAt: at }: DatedEvent): WebhookNotice | null {
  if (!isNoticed(event)) return null;
  const [, page] = /^question:(\d+)$/u.exec(topic) ?? [];
  if (page !== undefined) return toThreadNotice(event, Number(page), at);
  if (event.kind === 'member-joined') return toMemberNotice(topic, at);
  return topic === 'feeds' ? toQuestionNotice(event, at) : null;
}

const isNoticed = (event: LiveEvent): event is NoticedEvent =>
  (noticedKinds as readonly string[]).includes(event.kind);

/** Someone joined, whom the topic names. */
function toMemberNotice(topic: string, at: Date): WebhookNotice | null {
  const [, member] = /^profile:(\d+)$/u.exec(topic) ?? [];
  if (member === undefined) return null;
  const ids = { questionId: null, answerId: null, replyId: null, memberId: Number(member) };
  return { ...ids, type: 'member.joined', tags: [], at };
}

/** An event of a question in the lists. */
function toQuestionNotice(event: NoticedEvent, at: Date): WebhookNotice | null {
  if (
    event.kind !== 'question-posted' &&
    event.kind !== 'question-edited' &&
    event.kind !== 'question-deleted'
  )
    return null;
  // Thousands of questions may have the tag.
  if (event.kind === 'question-edited' && event.retagged === true) return null;
  const types = {
    'question-posted': 'question.posted',
    'question-edited': 'question.edited',
    'question-deleted': 'question.removed',
  } as const;
  const isRestored = event.kind === 'question-posted' && event.restored === true;
  const type = isRestored ? 'question.restored' : types[event.kind];
  const { questionId, tags } = event;
  return { type, questionId, answerId: null, replyId: null, memberId: null, tags, at };
}

/** An event on the page of a question. */
function toThreadNotice(event: NoticedEvent, questionId: number, at: Date): WebhookNotice | null {
  if ('imported' in event) return null;
  const about = { questionId, answerId: null, replyId: null, memberId: null, tags: null, at };
  switch (event.kind) {
    case 'answer-posted': {
      const isRestored = 'restored' in event && event.restored;
      return { ...about, type: isRestored ? 'answer.restored' : 'answer.posted', answerId: event.answerId };
    }
    case 'answer-edited':
      return { ...about, type: 'answer.edited', answerId: event.answerId };
    case 'answer-deleted':
      return { ...about, type: 'answer.removed', answerId: event.answerId };
    case 'accepted': {
      const { acceptedAnswerId: answerId } = event;
      return { ...about, type: answerId === null ? 'answer.unaccepted' : 'answer.accepted', answerId };
    }
    case 'reply-posted':
      return { ...about, type: 'reply.posted', replyId: event.replyId, answerId: event.answerId };
    case 'reply-edited':
      return { ...about, type: event.restored ? 'reply.restored' : 'reply.edited', replyId: event.replyId };
    case 'reply-deleted':
      return { ...about, type: 'reply.removed', replyId: event.replyId };
    case 'question-posted':
    case 'question-edited':
    case 'question-deleted':
    case 'member-joined':
      return null;
  }
}
