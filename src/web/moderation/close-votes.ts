import { queryOptions } from '@tanstack/react-query';
import type { CloseVoteDraft, CloseVotes } from '#shared/moderation/close-votes.ts';
import { api, readJson } from '#web/core/api.ts';

/** The votes to close a question as a duplicate, or to reopen it. */
export const closeVotesQuery = (questionId: number) =>
  queryOptions({
    queryKey: ['close-votes', questionId],
    queryFn: ({ signal }): Promise<CloseVotes> =>
      readJson(
        api.questions[':id']['close-votes'].$get({ param: { id: String(questionId) } }, { init: { signal } }),
      ),
    staleTime: 0,
  });

export function setCloseVote(questionId: number, draft: CloseVoteDraft): Promise<CloseVotes> {
  return readJson(
    api.questions[':id']['close-votes'].$put({ param: { id: String(questionId) }, json: draft }),
  );
}
