import { expect, test } from 'vitest';
import { coalesceEvents, getLaterPosition, type LiveEvent } from './events.ts';

const counted = (questionId: number, upvotes: number): LiveEvent => ({
  kind: 'question-counted',
  questionId,
  by: 'vote',
  upvotes,
  downvotes: 0,
  views: 0,
  answerCount: 0,
});

const voted = (post: 'question' | 'answer' | 'reply', id: number, upvotes: number): LiveEvent => ({
  kind: 'voted',
  post,
  id,
  upvotes,
  downvotes: 0,
});

test('keeps the last of several counts of one post', () => {
  expect(coalesceEvents([counted(1, 1), counted(2, 7), counted(1, 2)])).toEqual([
    counted(2, 7),
    counted(1, 2),
  ]);
  expect(coalesceEvents([voted('answer', 1, 1), voted('reply', 1, 5), voted('answer', 1, 0)])).toEqual([
    voted('reply', 1, 5),
    voted('answer', 1, 0),
  ]);
  expect(
    coalesceEvents([
      { kind: 'viewed', views: 1 },
      { kind: 'viewed', views: 2 },
    ]),
  ).toEqual([{ kind: 'viewed', views: 2 }]);
});

test('keeps which of the counts of a question changed', () => {
  const counted = (by: 'vote' | 'view', views: number): LiveEvent => ({
    kind: 'question-counted',
    questionId: 1,
    by,
    upvotes: 1,
    downvotes: 0,
    views,
    answerCount: 0,
  });
  const [first, vote, last] = [counted('view', 1), counted('vote', 1), counted('view', 2)];
  expect(coalesceEvents([first, vote, last])).toEqual([vote, last]);
});

test('keeps the last of several edits of one post', () => {
  const edited = (answerId: number): LiveEvent => ({ kind: 'answer-edited', answerId });
  expect(coalesceEvents([edited(1), edited(2), edited(1)])).toEqual([edited(2), edited(1)]);
});

test('keeps only the deletion of a deleted post', () => {
  const posted: LiveEvent = { kind: 'answer-posted', answerId: 1, authorId: 3 };
  const deleted: LiveEvent = { kind: 'answer-deleted', answerId: 1 };
  expect(coalesceEvents([posted, voted('answer', 1, 1), voted('reply', 1, 1), deleted])).toEqual([
    voted('reply', 1, 1),
    deleted,
  ]);
});

test('keeps posts with different ids and ends of different sessions, in order', () => {
  const events: LiveEvent[] = [
    { kind: 'reply-posted', replyId: 2, answerId: 1, parentReplyId: null, authorId: 3 },
    { kind: 'reply-posted', replyId: 1, answerId: 1, parentReplyId: null, authorId: 3 },
    { kind: 'sessions-ended', sessionId: 1, except: null },
    { kind: 'sessions-ended', sessionId: 2, except: null },
    { kind: 'notified' },
  ];
  expect(coalesceEvents(events)).toEqual(events);
});

test('distinguishes counts of tags by tag without case, and by kind of count', () => {
  const asked = (tag: string, questionsCount: number): LiveEvent => ({
    kind: 'tag-questions-changed',
    tag,
    questionsCount,
  });
  const followed: LiveEvent = { kind: 'tag-followers-changed', tag: 'rye', followersCount: 1 };
  expect(coalesceEvents([asked('Rye', 1), followed, asked('oats', 1), asked('rye', 2)])).toEqual([
    followed,
    asked('oats', 1),
    asked('rye', 2),
  ]);
});

test('keeps the last follow of each tag or question', () => {
  const topic = (following: boolean): LiveEvent => ({ kind: 'follows-changed', tag: 'rye', following });
  const question: LiveEvent = { kind: 'follows-changed', questionId: 1, following: true };
  expect(coalesceEvents([topic(true), question, topic(false)])).toEqual([question, topic(false)]);
});

test('changes nothing when it is applied again', () => {
  const once = coalesceEvents([counted(1, 1), voted('question', 1, 1), counted(1, 2), { kind: 'edited' }]);
  expect(coalesceEvents(once)).toEqual(once);
});

const position = (timeline: number, place: string) => `${timeline}.1800000000.${place}.700:705:701,702`;

test.each([
  ['by the position in the log', position(1, '0/FFFFFFFF'), position(1, '1/0')],
  ['by the number, not by the text', position(1, '0/9'), position(1, '0/10')],
  ['by the timeline before the position', position(1, '9/0'), position(2, '1/0')],
  ['by validity, if one is malformed', 'nonsense', position(1, '0/1')],
])('chooses the later of two positions: %s', (_, earlier, later) => {
  expect(getLaterPosition(earlier, later)).toBe(later);
  expect(getLaterPosition(later, earlier)).toBe(later);
});
