/**
 * What happened, as the browser is told of it. A topic is what one can look at: the feeds, a question with everything
 * on it, and what concerns one member alone.
 */
export type Topic = 'feeds' | `question:${number}` | `member:${number}`;

/** Votes on a post as they are now. */
type Counted = { id: number; upvotes: number; downvotes: number };

export type FeedEvent =
  | { kind: 'question-posted'; questionId: number; authorId: number }
  /** Its counts as they are now. */
  | {
      kind: 'question-counted';
      questionId: number;
      upvotes: number;
      downvotes: number;
      views: number;
      answerCount: number;
    }
  | { kind: 'question-edited'; questionId: number }
  | { kind: 'question-deleted'; questionId: number };

export type QuestionEvent =
  | ({ kind: 'voted'; post: 'question' | 'answer' | 'reply' } & Counted)
  | { kind: 'viewed'; views: number }
  | { kind: 'edited' }
  | { kind: 'deleted' }
  | { kind: 'answer-posted'; answerId: number; authorId: number }
  | { kind: 'answer-edited'; answerId: number }
  | { kind: 'answer-deleted'; answerId: number }
  | { kind: 'reply-posted'; replyId: number; answerId: number | null; authorId: number }
  | { kind: 'reply-edited'; replyId: number }
  | { kind: 'reply-deleted'; replyId: number };

export type MemberEvent =
  | { kind: 'notified' }
  | { kind: 'notifications-read' }
  | { kind: 'follows-changed' }
  /** One session of the member ended or, where `sessionId` is null, all but `except`. */
  | { kind: 'sessions-ended'; sessionId: number | null; except: number | null };

export type LiveEvent = FeedEvent | QuestionEvent | MemberEvent;

/** What can happen on a topic. */
export type EventOn<T extends Topic> = T extends 'feeds'
  ? FeedEvent
  : T extends `question:${number}`
    ? QuestionEvent
    : MemberEvent;

/** Events of one topic that became visible together, in order, and the position behind them. */
export type EventBatch = { topic: Topic; events: LiveEvent[]; position: string };

/** A position in the stream: opaque to the browser, which sends it back to hear what came after it. */
export type Position = string;

/** The answer to a subscription. `gap`: some events since the position asked for are gone; fetch once. */
export type Subscribed =
  | { ok: true; events: LiveEvent[]; gap: boolean; position: Position }
  | { ok: false; reason: string };

/** The header of API answers that tells up to which position of the stream they are surely right. */
export const positionHeader = 'parley-position';
