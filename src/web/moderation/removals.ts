import { type QueryClient, queryOptions } from '@tanstack/react-query';
import type { Removal, RemovalDraft, RemovalSelection } from '#shared/moderation/removals.ts';
import { api, readJson } from '#web/core/api.ts';
import { pagedQuery } from '#web/core/paged-query.ts';
import { moderationKeys } from './moderation.ts';
import { i18n } from '@lingui/core';
import { plural, t } from '@lingui/core/macro';

const removalKey = (...rest: readonly unknown[]) => [...moderationKeys.all, 'registrations', ...rest];

/** The networks from which accounts registered in the last hours. */
export const registrationNetworksQuery = (hours: number) =>
  queryOptions({
    queryKey: removalKey('networks', hours),
    queryFn: ({ signal }) =>
      readJson(api.moderation.registrations.$get({ query: { hours: String(hours) } }, { init: { signal } })),
    staleTime: 0,
  });

/** The accounts of one network; null: those waiting for approval whose network is no longer stored. */
export const registeredAccountsQuery = (network: string | null, hours: number) =>
  pagedQuery(removalKey('accounts', network, hours), (page, options) =>
    readJson(
      api.moderation.registrations.accounts.$get(
        {
          query: {
            hours: String(hours),
            ...(network !== null && { network }),
            ...page,
          },
        },
        options,
      ),
    ),
  );

/** What a removal would affect. */
export const removalPreviewQuery = (selection: RemovalSelection) =>
  queryOptions({
    queryKey: removalKey('preview', selection),
    queryFn: ({ signal }) =>
      readJson(api.moderation.removals.preview.$post({ json: selection }, { init: { signal } })),
    staleTime: 0,
    gcTime: 0,
  });

/** The latest removals. Refetched every second while one runs. */
export const removalsQuery = queryOptions({
  queryKey: removalKey('removals'),
  queryFn: ({ signal }) => readJson(api.moderation.removals.$get({}, { init: { signal } })),
  staleTime: 0,
  refetchInterval: ({ state }) =>
    state.data?.items.some((each) => each.state === 'removing' || each.state === 'restoring') === true
      ? 1_000
      : false,
});

export async function startRemoval(client: QueryClient, draft: RemovalDraft): Promise<void> {
  await changeAndRefresh(client, () => readJson(api.moderation.removals.$post({ json: draft })));
}

export async function restoreRemoval(client: QueryClient, id: number, reason: string): Promise<void> {
  const target = { param: { id: String(id) }, json: { reason } };
  await changeAndRefresh(client, () => readJson(api.moderation.removals[':id'].restoration.$post(target)));
}

export async function approveAccounts(client: QueryClient, memberIds: number[]): Promise<void> {
  await changeAndRefresh(client, () => readJson(api.moderation.approvals.$post({ json: { memberIds } })));
}

/** Also after a conflict, since another moderator has changed the data. */
async function changeAndRefresh(client: QueryClient, change: () => Promise<unknown>): Promise<void> {
  try {
    await change();
  } finally {
    void client.invalidateQueries({ queryKey: moderationKeys.all });
  }
}

type Activity = { questions: number; answers: number; replies: number; votes: number };

/** '2 questions, 1 answer, 3 replies and 5 votes'. */
export function describeActivity({ questions, answers, replies, votes }: Activity): string {
  const parts = [
    questions > 0 && plural(questions, { one: '# question', other: '# questions' }),
    answers > 0 && plural(answers, { one: '# answer', other: '# answers' }),
    replies > 0 && plural(replies, { one: '# reply', other: '# replies' }),
    votes > 0 && plural(votes, { one: '# vote', other: '# votes' }),
  ].filter((part) => part !== false);
  return parts.length === 0 ? t`no activity` : new Intl.ListFormat(i18n.locale).format(parts);
}

/** The progress of a removal or a restoration. */
export function removalStatusText({ state, posts, votes, postsDone, votesDone }: Removal): string {
  const done = postsDone + votesDone;
  const all = posts + votes;
  switch (state) {
    case 'removing':
      return t`Removing posts and votes: ${done} of ${all}`;
    case 'removed':
      return t`All activity is removed.`;
    case 'restoring':
      return t`Restoring posts and votes: ${done} of ${all}`;
    case 'restored':
      return t`All activity is restored.`;
  }
}
