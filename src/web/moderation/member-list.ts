import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import type { MemberFilter } from '#shared/moderation/member-list.ts';
import { api, readJson } from '#web/core/api.ts';
import { moderationKeys } from './moderation.ts';

/** The members with an account, 100 at a time. */
export const memberListQuery = ({ q, show }: { q: string; show: MemberFilter }) =>
  infiniteQueryOptions({
    queryKey: [...moderationKeys.all, 'members', q, show],
    queryFn: ({ pageParam, signal }) =>
      readJson(
        api.moderation.members.$get(
          { query: { q, show, ...(pageParam !== null && { cursor: pageParam }) } },
          { init: { signal } },
        ),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
