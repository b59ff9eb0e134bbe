import { t } from '@lingui/core/macro';
import { queryOptions } from '@tanstack/react-query';
import { api, readJson } from '#web/core/api.ts';
import { toast } from '#web/core/toast.ts';

/** What the member may do with posts of others. */
export const abilitiesQuery = queryOptions({
  queryKey: ['abilities'],
  queryFn: ({ signal }) => readJson(api.abilities.$get({}, { init: { signal } })),
  staleTime: 60_000,
});

/** Says what becomes of an edit to a post of another member. */
export function toastSuggested({ status }: { status: string }): void {
  toast(status === 'approved' ? t`Edit saved` : t`Thank you. Your edit waits for approval.`);
}
