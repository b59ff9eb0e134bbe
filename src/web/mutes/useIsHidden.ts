import { useQuery } from '@tanstack/react-query';
import type { MutedChoice } from '#shared/mutes.ts';
import { tagKey } from '#shared/tags.ts';
import { followedMarksQuery } from '#web/follows/follows.ts';
import { useMember } from '#web/platform/session.ts';
import { mutedTopicsQuery } from './mutes.ts';

type Told = { questionId: number; tags: readonly string[]; authorId?: number };

/**
 * Whether the news of a question concern a list the question is left out of. What the list holds the server decides;
 * this keeps news of muted topics from being told.
 */
export function useIsHidden(muted: MutedChoice): (question: Told) => boolean {
  const memberId = useMember()?.id;
  const { data: mutes } = useQuery(mutedTopicsQuery);
  const topics = new Set(muted === 'show' ? [] : mutes?.items.map(({ tag }) => tagKey(tag)));
  const { data: followed } = useQuery({ ...followedMarksQuery, enabled: topics.size > 0 });
  return ({ questionId, tags, authorId }) =>
    tags.some((tag) => topics.has(tagKey(tag))) &&
    (authorId === undefined || authorId !== memberId) &&
    followed?.questions.includes(questionId) !== true;
}
