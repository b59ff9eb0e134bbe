import { tagKey } from '#shared/core/text.ts';
import { useQuery } from '@tanstack/react-query';
import type { MutedChoice } from '#shared/engagement/mutes.ts';
import { followsQuery } from './follows.ts';
import { useMember } from '#web/core/session.ts';
import { mutedTagsQuery } from './mutes.ts';

type TaggedQuestion = { questionId: number; tags: readonly string[]; authorId?: number };

/**
 * Whether the news of a question concern a list the question is left out of. What the list holds the server decides;
 * this keeps news of muted topics from being told.
 */
export function useIsMuted(muted: MutedChoice): (question: TaggedQuestion) => boolean {
  const memberId = useMember()?.id;
  const { data: mutes } = useQuery(mutedTagsQuery);
  const topics = new Set(muted === 'show' ? [] : mutes?.items.map(({ tag }) => tagKey(tag)));
  const { data: followed } = useQuery({ ...followsQuery, enabled: topics.size > 0 });
  return ({ questionId, tags, authorId }) =>
    tags.some((tag) => topics.has(tagKey(tag))) &&
    (authorId === undefined || authorId !== memberId) &&
    followed?.questions.includes(questionId) !== true;
}
