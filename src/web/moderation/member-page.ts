import { infiniteQueryOptions, type QueryClient } from '@tanstack/react-query';
import type { MemberPostsFilter, MemberReportsFilter } from '#shared/moderation/member-page.ts';
import { api, readJson } from '#web/core/api.ts';
import { moderationKeys } from './moderation.ts';

const members = api.moderation.members[':id'];
const idParam = (id: number) => ({ id: String(id) });
const cursorOf = (cursor: string | null) => (cursor === null ? {} : { cursor });

const paged = {
  initialPageParam: null as string | null,
  getNextPageParam: (page: { nextCursor: string | null }) => page.nextCursor,
  staleTime: 0,
};

export const memberPostsQuery = (id: number, show: MemberPostsFilter) =>
  infiniteQueryOptions({
    queryKey: [...moderationKeys.member(id), 'posts', show],
    queryFn: ({ pageParam, signal }) =>
      readJson(
        members.posts.$get(
          { param: idParam(id), query: { show, ...cursorOf(pageParam) } },
          { init: { signal } },
        ),
      ),
    ...paged,
  });

export const memberReportsQuery = (id: number, show: MemberReportsFilter) =>
  infiniteQueryOptions({
    queryKey: [...moderationKeys.member(id), 'reports', show],
    queryFn: ({ pageParam, signal }) =>
      readJson(
        members.reports.$get(
          { param: idParam(id), query: { show, ...cursorOf(pageParam) } },
          { init: { signal } },
        ),
      ),
    ...paged,
  });

export const memberLogQuery = (id: number) =>
  infiniteQueryOptions({
    queryKey: [...moderationKeys.member(id), 'log'],
    queryFn: ({ pageParam, signal }) =>
      readJson(members.log.$get({ param: idParam(id), query: cursorOf(pageParam) }, { init: { signal } })),
    ...paged,
  });

export const memberSignInsQuery = (id: number) =>
  infiniteQueryOptions({
    queryKey: [...moderationKeys.member(id), 'sign-ins'],
    queryFn: ({ pageParam, signal }) =>
      readJson(
        members['sign-ins'].$get({ param: idParam(id), query: cursorOf(pageParam) }, { init: { signal } }),
      ),
    ...paged,
  });

/** The other accounts that signed in from the network of a sign-in. */
export const networkAccountsQuery = (signInId: number) =>
  infiniteQueryOptions({
    queryKey: [...moderationKeys.all, 'sign-in', signInId],
    queryFn: ({ pageParam, signal }) =>
      readJson(
        api.moderation['sign-ins'][':id'].accounts.$get(
          { param: idParam(signInId), query: cursorOf(pageParam) },
          { init: { signal } },
        ),
      ),
    ...paged,
  });

export const memberNotesQuery = (id: number) =>
  infiniteQueryOptions({
    queryKey: [...moderationKeys.member(id), 'notes'],
    queryFn: ({ pageParam, signal }) =>
      readJson(members.notes.$get({ param: idParam(id), query: cursorOf(pageParam) }, { init: { signal } })),
    ...paged,
  });

export async function addNote(client: QueryClient, memberId: number, text: string): Promise<void> {
  await readJson(members.notes.$post({ param: idParam(memberId), json: { text } }));
  void client.invalidateQueries({ queryKey: moderationKeys.all });
}

export async function editNote(client: QueryClient, id: number, text: string): Promise<void> {
  await readJson(api.moderation.notes[':id'].$put({ param: idParam(id), json: { text } }));
  void client.invalidateQueries({ queryKey: moderationKeys.all });
}

export async function setNoteDeleted(client: QueryClient, id: number, deleted: boolean): Promise<void> {
  await readJson(api.moderation.notes[':id'].deletion.$put({ param: idParam(id), json: { deleted } }));
  void client.invalidateQueries({ queryKey: moderationKeys.all });
}
