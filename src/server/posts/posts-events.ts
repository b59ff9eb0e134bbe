import type { TopicEvent } from '#server/core/events.ts';

/** The counts of a question as stored in the tables. */
export type QuestionCounts = { upvotes: number; downvotes: number; views: number; answer_count: number };

/**
 * The event for all lists of questions when the counts of a question change. Create it while the question is locked.
 */
export function buildQuestionCountsEvent(
  by: 'vote' | 'view' | 'answer',
  questionId: number,
  counts: QuestionCounts,
): TopicEvent {
  const { upvotes, downvotes, views, answer_count: answerCount } = counts;
  return {
    topic: 'feeds',
    event: { kind: 'question-counted', questionId, by, upvotes, downvotes, views, answerCount },
  };
}

/**
 * The events for the question's page and for lists of questions and answers when another answer, or none (null), is
 * accepted.
 */
export function buildAcceptanceEvents(questionId: number, acceptedAnswerId: number | null): TopicEvent[] {
  const solved = acceptedAnswerId !== null;
  return [
    { topic: `question:${questionId}`, event: { kind: 'accepted', acceptedAnswerId } },
    { topic: 'feeds', event: { kind: 'question-solved', questionId, solved } },
    { topic: 'answers', event: { kind: 'answer-accepted', questionId, acceptedAnswerId } },
  ];
}

/**
 * The events for the question's page and for lists of questions when the question is marked as a duplicate, or not any
 * more (null).
 */
export function buildDuplicateEvents(questionId: number, duplicateOf: number | null): TopicEvent[] {
  return [
    { topic: `question:${questionId}`, event: { kind: 'edited' } },
    {
      topic: 'feeds',
      event: { kind: 'question-duplicate-changed', questionId, duplicate: duplicateOf !== null },
    },
  ];
}

/** The events for the question's page and for lists of questions and answers when its title, text or tags change. */
export function buildQuestionEditedEvents(question: {
  id: number;
  /** As they are shown. */
  tags: string[];
  created_at: Date;
}): TopicEvent[] {
  const { id, tags, created_at: createdAt } = question;
  const event = {
    kind: 'question-edited',
    questionId: id,
    tags,
    createdAt: createdAt.toISOString(),
  } as const;
  return [
    { topic: `question:${id}`, event: { kind: 'edited' } },
    { topic: 'feeds', event },
    { topic: 'answers', event },
  ];
}

/**
 * The event for lists of followed questions.
 * @param tags names of the question's tags
 */
export function buildQuestionActivityEvent(questionId: number, tags: string[]): TopicEvent {
  return { topic: 'activity', event: { kind: 'question-active', questionId, tags } };
}

/** The events for the profiles of members whose name, bio or counts change. Unknown authors are skipped. */
export function buildProfileEvents(memberIds: Iterable<number | null>): TopicEvent[] {
  return [...new Set(memberIds)]
    .filter((id) => id !== null)
    .map((id) => ({ topic: `profile:${id}`, event: { kind: 'profile-changed' } }));
}
