import { queryOptions } from '@tanstack/react-query';
import type { SystemState } from '#shared/admin/system.ts';
import { api, readJson } from '#web/core/api.ts';

export const systemQuery = queryOptions({
  queryKey: ['admin', 'system'],
  queryFn: ({ signal }): Promise<SystemState> => readJson(api.admin.system.$get({}, { init: { signal } })),
  staleTime: 0,
});
