import type { TopicEvent } from '#server/core/events.ts';

/** The counts of a question as the tables have them. */
export type QuestionCounts = { upvotes: number; downvotes: number; views: number; answer_count: number };

/** What every list of questions is told when the counts of one change. Make it with the question locked. */
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

/** What a question's page and the lists of questions and answers are told when another answer, or none (null), is accepted. */
export function buildAcceptanceEvents(questionId: number, acceptedAnswerId: number | null): TopicEvent[] {
  const solved = acceptedAnswerId !== null;
  return [
    { topic: `question:${questionId}`, event: { kind: 'accepted', acceptedAnswerId } },
    { topic: 'feeds', event: { kind: 'question-solved', questionId, solved } },
    { topic: 'answers', event: { kind: 'answer-accepted', questionId, acceptedAnswerId } },
  ];
}

/** What a question's page and the lists of questions are told when it is said to repeat another one, or none (null). */
export function buildDuplicateEvents(questionId: number, duplicateOf: number | null): TopicEvent[] {
  return [
    { topic: `question:${questionId}`, event: { kind: 'edited' } },
    { topic: 'feeds', event: { kind: 'question-marked', questionId, duplicate: duplicateOf !== null } },
  ];
}

/** What lists of what is followed are told. @param tags names of the question's tags. */
export function buildQuestionActivityEvent(questionId: number, tags: string[]): TopicEvent {
  return { topic: 'activity', event: { kind: 'question-active', questionId, tags } };
}

/** What the profiles of members are told whose name, bio or counts change. Unknown authors have none. */
export function buildProfileEvents(memberIds: Iterable<number | null>): TopicEvent[] {
  return [...new Set(memberIds)]
    .filter((id) => id !== null)
    .map((id) => ({ topic: `profile:${id}`, event: { kind: 'profile-changed' } }));
}
