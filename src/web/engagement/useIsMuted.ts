import { tagKey } from '#shared/core/text.ts';
import { useQuery } from '@tanstack/react-query';
import type { MutedChoice } from '#shared/engagement/mutes.ts';
import { followsQuery } from './follows.ts';
import { useMember } from '#web/core/session.ts';
import { mutedTagsQuery } from './mutes.ts';

type TaggedQuestion = { questionId: number; tags: readonly string[]; authorId?: number };

/**
 * Returns a function that says whether to ignore live events of a question because its tags are muted. The server
 * decides what the list contains.
 */
export function useIsMuted(muted: MutedChoice): (question: TaggedQuestion) => boolean {
  const memberId = useMember()?.id;
  const { data: mutes } = useQuery(mutedTagsQuery);
  const tagNames = new Set(muted === 'show' ? [] : mutes?.items.map(({ tag }) => tagKey(tag)));
  const { data: followed } = useQuery({ ...followsQuery, enabled: tagNames.size > 0 });
  return ({ questionId, tags, authorId }) =>
    tags.some((tag) => tagNames.has(tagKey(tag))) &&
    (authorId === undefined || authorId !== memberId) &&
    followed?.questions.includes(questionId) !== true;
}
