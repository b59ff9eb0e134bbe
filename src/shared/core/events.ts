import type { PostKind, VoteDirection } from './fields.ts';
import type { securityEvent } from '#shared/identity/accounts.ts';
import type { z } from 'zod';
import type { draftEnd } from '#shared/posts/drafts.ts';
import { tagKey } from './text.ts';

/**
 * The events that browsers receive. A topic is something that can be viewed: all lists of questions ('feeds'), all
 * lists of answers, activity on questions, the tags, a profile, a question with everything on it, moderation, or what
 * concerns one member. Only the member receives that last topic, only moderators receive moderation, and only servers
 * receive site settings. All members may see everything in the other topics.
 */
export type Topic =
  | 'feeds'
  | 'answers'
  | 'activity'
  | 'tags'
  | 'moderation'
  | 'site-settings'
  | `profile:${number}`
  | `question:${number}`
  | `member:${number}`;

/** The present votes of a post. */
type VoteCounts = { id: number; upvotes: number; downvotes: number };

/** What lists show of the texts of a post. */
export type QuestionTexts = { title: string; excerpt: string; excerptCut: boolean };
export type AnswerTexts = { excerpt: string; excerptCut: boolean };

/**
 * The texts are added when the event is delivered, from what is visible then, and absent if nothing is. They are no
 * object of their own, because open pages of earlier versions read them here.
 */
type WithTexts<Texts> = Texts | { [Name in keyof Texts]?: undefined };

type QuestionEdited = WithTexts<QuestionTexts> & {
  kind: 'question-edited';
  questionId: number;
  tags: string[];
  /** When the question was posted. */
  createdAt: string;
  /** A tag was merged or renamed: no edit of the question. */
  retagged?: true;
};

/** `tags`: those that it had. */
type QuestionDeleted = { kind: 'question-deleted'; questionId: number; tags: string[] };

/** An import added too much for single events. */
type Imported = { kind: 'imported' };

export type FeedEvent =
  /** `restored`: it was hidden and is shown again. */
  | { kind: 'question-posted'; questionId: number; authorId: number; tags: string[]; restored?: true }
  /** The present counts, and which of them changed. */
  | {
      kind: 'question-counted';
      questionId: number;
      by: 'vote' | 'view' | 'answer';
      upvotes: number;
      downvotes: number;
      views: number;
      answerCount: number;
    }
  /** Whether the question has an accepted answer now. */
  | { kind: 'question-solved'; questionId: number; solved: boolean }
  /** Whether the question is marked as a duplicate now. */
  | { kind: 'question-duplicate-changed'; questionId: number; duplicate: boolean }
  | QuestionEdited
  | QuestionDeleted
  /** An announcement or a pinned question was added or has ended. */
  | { kind: 'announcements-changed' }
  | Imported;

/** For lists of answers, each with its question's title. */
export type AnswersEvent =
  | { kind: 'answer-posted'; answerId: number; authorId: number }
  | { kind: 'answer-counted'; answerId: number; upvotes: number; downvotes: number }
  | (WithTexts<AnswerTexts> & { kind: 'answer-edited'; answerId: number })
  /** The accepted answer of the question now; null for none. */
  | { kind: 'answer-accepted'; questionId: number; acceptedAnswerId: number | null }
  | { kind: 'answer-deleted'; answerId: number }
  | QuestionEdited
  | QuestionDeleted
  | Imported;

/** A question got an answer or a reply, or the question or an answer was edited. */
export type ActivityEvent = { kind: 'question-active'; questionId: number; tags: string[] };

/** The present counts of a tag. */
export type TagsEvent =
  | { kind: 'tag-questions-changed'; tag: string; questionsCount: number }
  | { kind: 'tag-followers-changed'; tag: string; followersCount: number }
  /** Moderators changed what is shown of the tag besides its counts. `deletedId`: of a tag that was deleted. */
  | { kind: 'tag-changed'; tag: string; deletedId?: number }
  | Imported;

export type ProfileEvent =
  /** The name, the bio or a count changed. */
  | { kind: 'profile-changed' }
  /** The name changed. */
  | { kind: 'member-renamed' }
  /** Someone registered, or a moderator approved the account. Published by a trigger. */
  | { kind: 'member-joined' };

export type QuestionEvent =
  | ({ kind: 'voted'; post: PostKind } & VoteCounts)
  | { kind: 'viewed'; views: number }
  /** The accepted answer now; null for none. */
  | { kind: 'accepted'; acceptedAnswerId: number | null; imported?: true }
  /** `authorId`: posts of another account have this author now. */
  | { kind: 'edited'; authorId?: number }
  | { kind: 'deleted' }
  /** `imported`: an import added or changed the post, which is no news for web hooks. */
  | { kind: 'answer-posted'; answerId: number; authorId: number; restored?: true; imported?: true }
  | { kind: 'answer-edited'; answerId: number; imported?: true }
  | { kind: 'answer-deleted'; answerId: number }
  | {
      kind: 'reply-posted';
      replyId: number;
      answerId: number | null;
      parentReplyId: number | null;
      authorId: number;
      imported?: true;
    }
  | { kind: 'reply-edited'; replyId: number; restored?: true; imported?: true }
  | { kind: 'reply-deleted'; replyId: number };

export type MemberEvent =
  | { kind: 'notified' }
  /** Notifications were read, or deleted with their post. */
  | { kind: 'notifications-changed' }
  | { kind: 'follows-changed'; questionId: number; following: boolean }
  | { kind: 'follows-changed'; tag: string; following: boolean }
  /** A draft was saved (`ended` is null) or has ended. `clientId`: the browser that saved it. */
  | {
      kind: 'draft-changed';
      target: string;
      version: number;
      ended: DraftEnd | null;
      clientId: string | null;
    }
  /** A question was bookmarked or the bookmark removed; with `answerId`, that answer. */
  | { kind: 'bookmarked'; questionId: number; bookmarked: boolean }
  | { kind: 'bookmarked'; questionId: number; answerId: number; bookmarked: boolean }
  /** A note, a list or the bookmarks of a list changed. */
  | { kind: 'bookmarks-changed' }
  | { kind: 'mutes-changed'; questionId: number; muted: boolean }
  | { kind: 'mutes-changed'; tag: string; muted: boolean }
  /** The member's vote on a post now; null for none. */
  | { kind: 'vote-changed'; questionId: number; post: PostKind; id: number; vote: VoteDirection | null }
  /** The member viewed the question. */
  | { kind: 'visited'; questionId: number }
  /** The member's role, suspension or application changed: sessions are read again, live connections start again. */
  | { kind: 'member-status-changed' }
  /** The member's moderator messages, hidden or held posts, or whether emails are off changed. */
  | { kind: 'member-changed' }
  /**
   * One session of the member ended; if `sessionId` is null, all except `except`, which has another token if
   * `hasNewToken`.
   */
  | { kind: 'sessions-ended'; sessionId: number | null; except: number | null; hasNewToken?: true }
  /** A security event of the account. */
  | { kind: 'account-changed'; what: SecurityEvent };

/** The review queue or the moderation log changed and must be read again. */
export type ModerationEvent = { kind: 'moderation-changed' };

/** A setting of `parley settings` changed. All nodes read the settings again. */
export type SiteSettingsEvent = { kind: 'site-settings-changed' };

export type LiveEvent =
  | ModerationEvent
  | SiteSettingsEvent
  | FeedEvent
  | AnswersEvent
  | ActivityEvent
  | TagsEvent
  | ProfileEvent
  | QuestionEvent
  | MemberEvent;

/** The events of a topic. */
export type EventOn<T extends Topic> = T extends 'feeds'
  ? FeedEvent
  : T extends 'answers'
    ? AnswersEvent
    : T extends 'activity'
      ? ActivityEvent
      : T extends 'tags'
        ? TagsEvent
        : T extends 'moderation'
          ? ModerationEvent
          : T extends 'site-settings'
            ? SiteSettingsEvent
            : T extends `profile:${number}`
              ? ProfileEvent
              : T extends `question:${number}`
                ? QuestionEvent
                : MemberEvent;

/** Events of one topic that became visible together, in order, with the position after them. */
export type EventBatch = { topic: Topic; events: LiveEvent[]; position: string };

/** A position in the event stream. Browsers treat it as opaque and send it back to get later events. */
export type Position = string;

/** Number of other members who are writing an answer to the question of the topic. */
export type TypingPresence = { topic: Topic; count: number };

/**
 * The result of a subscription. `gap`: events after the requested position are no longer stored, so the data must be
 * read again.
 */
export type SubscribeResult =
  | { ok: true; events: LiveEvent[]; gap: boolean; position: Position }
  | { ok: false; reason: string };

/** A stopping node asks the browser to reconnect at a random time within this number of milliseconds. */
export type ReconnectRequest = { withinMs: number };

/** The header of API responses with the position of the event stream that the response includes at least. */
export const positionHeader = 'parley-position';

/** The header of API requests with the newest position that the page has received. The response must not be older. */
export const minPositionHeader = 'parley-min-position';

/**
 * Removes events of one topic that a later one supersedes: earlier counts of the same post, repeated edits, and all
 * events of a post that is deleted in the end. Keeps the order.
 */
export function coalesceEvents(events: readonly LiveEvent[]): LiveEvent[] {
  const seen = new Set<string>();
  const result: LiveEvent[] = [];
  for (const event of events.toReversed()) {
    const subject = getSubject(event);
    const key = `${event.kind} ${'by' in event ? event.by : ''} ${subject}`;
    if (seen.has(key) || seen.has(`deleted ${subject}`)) continue;
    seen.add(key);
    if (event.kind === 'deleted' || event.kind.endsWith('-deleted')) seen.add(`deleted ${subject}`);
    result.push(event);
  }
  return result.toReversed();
}

/** Returns what an event is about: a later event of the same kind and subject supersedes it. */
function getSubject(event: LiveEvent): string {
  if ('post' in event) return `${event.post} ${event.id}`;
  if (event.kind === 'sessions-ended')
    return `session ${event.sessionId} ${event.except} ${event.hasNewToken}`;
  if ('target' in event) return `draft ${event.target}`;
  if ('replyId' in event) return `reply ${event.replyId}`;
  if ('answerId' in event) return `answer ${event.answerId}`;
  if ('questionId' in event) return `question ${event.questionId}`;
  return 'tag' in event ? `topic ${tagKey(event.tag)}` : '';
}

/**
 * Returns the later of two positions by the position in the database's log (positions start with timeline, seconds and
 * log position). A higher timeline is later, because the database has switched to it.
 */
export function getLaterPosition(one: Position, other: Position): Position {
  const [a, b] = [parsePosition(one), parsePosition(other)];
  if (a === null || b === null) return a === null ? other : one;
  if (a.timeline !== b.timeline) return a.timeline > b.timeline ? one : other;
  return a.lsn >= b.lsn ? one : other;
}

function parsePosition(position: Position): { timeline: number; lsn: bigint } | null {
  const parts = /^(\d{1,10})\.\d{1,11}\.([\dA-F]{1,8})\/([\dA-F]{1,8})\./.exec(position);
  if (parts === null) return null;
  const [, timeline, high, low] = parts;
  return { timeline: Number(timeline), lsn: (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`) };
}

export type DraftEnd = z.infer<typeof draftEnd>;

export type SecurityEvent = z.infer<typeof securityEvent>;
