import type { securityEvent } from '#shared/identity/accounts.ts';
import type { z } from 'zod';
import type { draftEnd } from '#shared/posts/drafts.ts';
import { tagKey } from './text.ts';

/**
 * What happened, as the browser is told of it. A topic is what one can look at: every list of questions, every list of
 * answers, what goes on in questions, the topics, a member's profile, a question with everything on it, what
 * operators take care of, and what concerns one member alone. That last one is heard by its member alone, care by
 * operators: the others say nothing that not every member may see.
 */
export type Topic =
  | 'feeds'
  | 'answers'
  | 'activity'
  | 'topics'
  | 'care'
  | `profile:${number}`
  | `question:${number}`
  | `member:${number}`;

/** Votes on a post as they are now. */
type VoteCounts = { id: number; upvotes: number; downvotes: number };

/** What lists show of a question, as it is after an edit. */
type QuestionEdited = {
  kind: 'question-edited';
  questionId: number;
  title: string;
  excerpt: string;
  excerptCut: boolean;
  tags: string[];
  /** When it was asked. */
  createdAt: string;
};

type QuestionDeleted = { kind: 'question-deleted'; questionId: number };

/** An import brought more than can be told one by one. */
type Imported = { kind: 'imported' };

export type FeedEvent =
  | { kind: 'question-posted'; questionId: number; authorId: number; tags: string[] }
  /** Its counts as they are now, and what changed them. */
  | {
      kind: 'question-counted';
      questionId: number;
      by: 'vote' | 'view' | 'answer';
      upvotes: number;
      downvotes: number;
      views: number;
      answerCount: number;
    }
  /** Whether one of its answers is accepted, now. */
  | { kind: 'question-solved'; questionId: number; solved: boolean }
  /** Whether it is said to have been asked before, now. */
  | { kind: 'question-marked'; questionId: number; duplicate: boolean }
  | QuestionEdited
  | QuestionDeleted
  | Imported;

/** For lists of answers, each shown under its question's title. */
export type AnswersEvent =
  | { kind: 'answer-posted'; answerId: number; authorId: number }
  | { kind: 'answer-counted'; answerId: number; upvotes: number; downvotes: number }
  | { kind: 'answer-edited'; answerId: number; excerpt: string; excerptCut: boolean }
  /** The accepted answer of a question, now; null for none. */
  | { kind: 'answer-accepted'; questionId: number; acceptedAnswerId: number | null }
  | { kind: 'answer-deleted'; answerId: number }
  | QuestionEdited
  | QuestionDeleted
  | Imported;

/** A question got an answer or a reply, or it or one of its answers was edited. */
export type ActivityEvent = { kind: 'question-active'; questionId: number; tags: string[] };

/** Counts of a topic as they are now. */
export type TagsEvent =
  | { kind: 'topic-asked'; tag: string; questionsCount: number }
  | { kind: 'topic-followed'; tag: string; followersCount: number }
  | Imported;

export type ProfileEvent =
  /** Name, bio or one of the counts. */
  | { kind: 'profile-changed' }
  /** The name, wherever it stands. */
  | { kind: 'member-renamed' };

export type QuestionEvent =
  | ({ kind: 'voted'; post: 'question' | 'answer' | 'reply' } & VoteCounts)
  | { kind: 'viewed'; views: number }
  /** The answer that the asker says solved it, now; null for none. */
  | { kind: 'accepted'; acceptedAnswerId: number | null }
  | { kind: 'edited' }
  | { kind: 'deleted' }
  | { kind: 'answer-posted'; answerId: number; authorId: number }
  | { kind: 'answer-edited'; answerId: number }
  | { kind: 'answer-deleted'; answerId: number }
  | {
      kind: 'reply-posted';
      replyId: number;
      answerId: number | null;
      parentReplyId: number | null;
      authorId: number;
    }
  | { kind: 'reply-edited'; replyId: number }
  | { kind: 'reply-deleted'; replyId: number };

export type MemberEvent =
  | { kind: 'notified' }
  /** Some were read, or went with the post they told of. */
  | { kind: 'notifications-changed' }
  | { kind: 'follows-changed'; questionId: number; following: boolean }
  | { kind: 'follows-changed'; tag: string; following: boolean }
  /** A draft was written (`ended` null) or has ended; `writer`: which browser wrote it. */
  | {
      kind: 'draft-changed';
      target: string;
      version: number;
      ended: DraftEnd | null;
      clientId: string | null;
    }
  /** A question was kept or let go; or, where it has an `answerId`, that answer. */
  | { kind: 'bookmarked'; questionId: number; bookmarked: boolean }
  | { kind: 'bookmarked'; questionId: number; answerId: number; bookmarked: boolean }
  /** A note, a list, or what stands in which list. */
  | { kind: 'bookmarks-changed' }
  | { kind: 'mutes-changed'; questionId: number; muted: boolean }
  | { kind: 'mutes-changed'; tag: string; muted: boolean }
  /** The member was on a question's page. */
  | { kind: 'visited'; questionId: number }
  /** The member's role or suspension, something they are to see, or how many of their posts are hidden. */
  | { kind: 'standing-changed' }
  /** One session of the member ended or, where `sessionId` is null, all but `except`. */
  | { kind: 'sessions-ended'; sessionId: number | null; except: number | null }
  /** Something that concerns the safety of the account. */
  | { kind: 'account-changed'; what: SecurityEvent };

/** The queue of flagged posts, or the log, is another one; which is to be asked for. */
export type ModerationEvent = { kind: 'care-changed' };

export type LiveEvent =
  | ModerationEvent
  | FeedEvent
  | AnswersEvent
  | ActivityEvent
  | TagsEvent
  | ProfileEvent
  | QuestionEvent
  | MemberEvent;

/** What can happen on a topic. */
export type EventOn<T extends Topic> = T extends 'feeds'
  ? FeedEvent
  : T extends 'answers'
    ? AnswersEvent
    : T extends 'activity'
      ? ActivityEvent
      : T extends 'topics'
        ? TagsEvent
        : T extends 'care'
          ? ModerationEvent
          : T extends `profile:${number}`
            ? ProfileEvent
            : T extends `question:${number}`
              ? QuestionEvent
              : MemberEvent;

/** Events of one topic that became visible together, in order, and the position behind them. */
export type EventBatch = { topic: Topic; events: LiveEvent[]; position: string };

/** A position in the stream: opaque to the browser, which sends it back to hear what came after it. */
export type Position = string;

/** How many other members are writing an answer to the question of a topic right now. */
export type TypingPresence = { topic: Topic; count: number };

/** The answer to a subscription. `gap`: some events since the position asked for are gone; fetch once. */
export type SubscribeResult =
  | { ok: true; events: LiveEvent[]; gap: boolean; position: Position }
  | { ok: false; reason: string };

/** A node that is about to stop asks the browser to connect anew at some moment within so many milliseconds. */
export type ReconnectRequest = { withinMs: number };

/** The header of API answers that tells up to which position of the stream they are surely right. */
export const positionHeader = 'parley-position';

/** The header of API requests that names the newest position the page was told of: no answer may be older. */
export const minPositionHeader = 'parley-seen';

/**
 * The same events of one topic without those that a later one of them makes pointless: earlier counts of the same post,
 * repeated edits, and whatever happened to a post that is gone by the end. Order kept.
 */
export function coalesceEvents(events: readonly LiveEvent[]): LiveEvent[] {
  const seen = new Set<string>();
  const result: LiveEvent[] = [];
  for (const event of events.toReversed()) {
    const subject = getSubject(event);
    const key = `${event.kind} ${subject}`;
    if (seen.has(key) || seen.has(`gone ${subject}`)) continue;
    seen.add(key);
    if (event.kind === 'deleted' || event.kind.endsWith('-deleted')) seen.add(`gone ${subject}`);
    result.push(event);
  }
  return result.toReversed();
}

/** What an event tells of: a later event of the same kind about the same says all that the earlier one said. */
function getSubject(event: LiveEvent): string {
  if (event.kind === 'voted') return `${event.post} ${event.id}`;
  if (event.kind === 'sessions-ended') return `session ${event.sessionId} ${event.except}`;
  if ('target' in event) return `draft ${event.target}`;
  if ('replyId' in event) return `reply ${event.replyId}`;
  if ('answerId' in event) return `answer ${event.answerId}`;
  if ('questionId' in event) return `question ${event.questionId}`;
  return 'tag' in event ? `topic ${tagKey(event.tag)}` : '';
}

/**
 * The later of two positions in the stream of events, by how far the database's log had come (positions begin with
 * timeline, seconds and place in the log). Of different timelines the higher one: the database has moved on to it.
 */
export function getLaterPosition(one: Position, other: Position): Position {
  const [a, b] = [parsePosition(one), parsePosition(other)];
  if (a === null || b === null) return a === null ? other : one;
  if (a.timeline !== b.timeline) return a.timeline > b.timeline ? one : other;
  return a.place >= b.place ? one : other;
}

function parsePosition(position: Position): { timeline: number; place: bigint } | null {
  const parts = /^(\d{1,10})\.\d{1,11}\.([\dA-F]{1,8})\/([\dA-F]{1,8})\./.exec(position);
  if (parts === null) return null;
  const [, timeline, high, low] = parts;
  return { timeline: Number(timeline), place: (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`) };
}

export type DraftEnd = z.infer<typeof draftEnd>;

export type SecurityEvent = z.infer<typeof securityEvent>;
