import type { TopicEvent } from '#server/core/events.ts';
import type { LiveEvent } from '#shared/core/events.ts';
import { tagKey } from '#shared/core/text.ts';

/** What may have changed in public. Naming too much is harmless: only what differs is recorded. */
export type ChangeTargets = {
  members: number[];
  tagKeys: string[];
  /** Deleted tags. */
  tags: number[];
  questions: number[];
  answers: number[];
  replies: number[];
  /** Questions with everything below them. */
  threads: number[];
  /** Answers with their replies. */
  answerThreads: number[];
  /** Replies with their siblings, because a placeholder of another one may go too. */
  replyThreads: number[];
  /** Posts of a thread that another member is the author of now. */
  moved: { questionId: number; authorId: number }[];
  /** Everything: an import published too much for single events. */
  all: boolean;
};

/** The kinds of stored events that change something public. Views do not count: they are not part of a mirror. */
export const changeEventKinds = [
  'question-posted',
  'question-edited',
  'question-deleted',
  'question-duplicate-changed',
  'imported',
  'tag-questions-changed',
  'tag-followers-changed',
  'tag-changed',
  'profile-changed',
  'member-renamed',
  'member-joined',
  'voted',
  'accepted',
  'edited',
  'deleted',
  'answer-posted',
  'answer-edited',
  'answer-deleted',
  'reply-posted',
  'reply-edited',
  'reply-deleted',
] as const satisfies LiveEvent['kind'][];

/** Lists what the events may have changed. */
export function findChangeTargets(events: readonly TopicEvent[]): ChangeTargets {
  const targets: ChangeTargets = {
    members: [],
    tagKeys: [],
    tags: [],
    questions: [],
    answers: [],
    replies: [],
    threads: [],
    answerThreads: [],
    replyThreads: [],
    moved: [],
    all: false,
  };
  for (const { topic, event } of events) {
    const [, page, number] = /^(profile|question):(\d+)$/u.exec(topic) ?? [];
    if (page === 'profile') targets.members.push(Number(number));
    else if (page === 'question') addThreadEvent(targets, event, Number(number));
    else addListEvent(targets, event, topic);
  }
  return targets;
}

function addListEvent(targets: ChangeTargets, event: LiveEvent, topic: string): void {
  // The list of answers also gets this event when a hidden question is shown.
  if (event.kind === 'imported') targets.all ||= topic !== 'answers';
  else if (topic === 'tags' && 'tag' in event) {
    targets.tagKeys.push(tagKey(event.tag));
    if ('deletedId' in event) targets.tags.push(event.deletedId);
  } else if (topic === 'feeds' && 'questionId' in event) {
    const isWhole = event.kind === 'question-deleted' || 'restored' in event;
    targets[isWhole ? 'threads' : 'questions'].push(event.questionId);
  }
}

/** An event on the page of a question. */
function addThreadEvent(targets: ChangeTargets, event: LiveEvent, questionId: number): void {
  const isRestored = 'restored' in event;
  if (event.kind === 'voted') {
    const lists = { question: targets.questions, answer: targets.answers, reply: targets.replies };
    lists[event.post].push(event.id);
  } else if (event.kind === 'accepted') targets.questions.push(questionId);
  else if (event.kind === 'deleted') targets.threads.push(questionId);
  else if (event.kind === 'edited') {
    targets.questions.push(questionId);
    if (event.authorId !== undefined) targets.moved.push({ questionId, authorId: event.authorId });
  } else if (isAnswerEvent(event)) {
    const isWhole = isRestored || event.kind === 'answer-deleted';
    targets[isWhole ? 'answerThreads' : 'answers'].push(event.answerId);
  } else if (isReplyEvent(event)) {
    const isWhole = isRestored || event.kind === 'reply-deleted';
    targets[isWhole ? 'replyThreads' : 'replies'].push(event.replyId);
  }
}

type EventWith<Kind extends LiveEvent['kind']> = Extract<LiveEvent, { kind: Kind }>;

const isAnswerEvent = (
  event: LiveEvent,
): event is EventWith<'answer-posted' | 'answer-edited' | 'answer-deleted'> =>
  ['answer-posted', 'answer-edited', 'answer-deleted'].includes(event.kind);

const isReplyEvent = (
  event: LiveEvent,
): event is EventWith<'reply-posted' | 'reply-edited' | 'reply-deleted'> =>
  ['reply-posted', 'reply-edited', 'reply-deleted'].includes(event.kind);
