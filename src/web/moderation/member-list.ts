import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import type { MemberFilter } from '#shared/moderation/member-list.ts';
import { api, readJson } from '#web/core/api.ts';
import { pagedQuery } from '#web/core/paged-query.ts';
import { moderationKeys } from './moderation.ts';

/** The members with an account, 100 at a time. */
export const memberListQuery = ({ q, show }: { q: string; show: MemberFilter }) =>
  infiniteQueryOptions({
    ...pagedQuery([...moderationKeys.all, 'members', q, show], (page, options) =>
      readJson(api.moderation.members.$get({ query: { q, show, ...page } }, options)),
    ),
    placeholderData: keepPreviousData,
  });
