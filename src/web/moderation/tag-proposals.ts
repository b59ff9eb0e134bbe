import type { QueryClient } from '@tanstack/react-query';
import type { TagProposalDecision } from '#shared/moderation/moderation.ts';
import { api, readJson } from '#web/core/api.ts';
import { tagQueryKeys } from '#web/posts/index.ts';
import { moderationKeys } from './moderation.ts';

/** Decides about a proposed tag. Reads the queue again, also after a refusal: someone else may have been faster. */
export async function decideTagProposal(
  client: QueryClient,
  id: number,
  decision: TagProposalDecision,
): Promise<void> {
  try {
    await readJson(
      api.moderation['tag-proposals'][':id'].decision.$put({ param: { id: String(id) }, json: decision }),
    );
  } finally {
    void client.invalidateQueries({ queryKey: moderationKeys.all });
    void client.invalidateQueries({ queryKey: tagQueryKeys.all });
  }
}
