import type { QueryClient } from '@tanstack/react-query';
import type { MemberPostsFilter, MemberReportsFilter } from '#shared/moderation/member-page.ts';
import { api, readJson } from '#web/core/api.ts';
import { pagedQuery } from '#web/core/paged-query.ts';
import { moderationKeys } from './moderation.ts';

const members = api.moderation.members[':id'];
const idParam = (id: number) => ({ id: String(id) });

export const memberPostsQuery = (id: number, show: MemberPostsFilter) =>
  pagedQuery([...moderationKeys.member(id), 'posts', show], (page, options) =>
    readJson(members.posts.$get({ param: idParam(id), query: { show, ...page } }, options)),
  );

export const memberReportsQuery = (id: number, show: MemberReportsFilter) =>
  pagedQuery([...moderationKeys.member(id), 'reports', show], (page, options) =>
    readJson(members.reports.$get({ param: idParam(id), query: { show, ...page } }, options)),
  );

export const memberLogQuery = (id: number) =>
  pagedQuery([...moderationKeys.member(id), 'log'], (page, options) =>
    readJson(members.log.$get({ param: idParam(id), query: page }, options)),
  );

export const memberSignInsQuery = (id: number) =>
  pagedQuery([...moderationKeys.member(id), 'sign-ins'], (page, options) =>
    readJson(members['sign-ins'].$get({ param: idParam(id), query: page }, options)),
  );

/** The other accounts that signed in from the network of a sign-in. */
export const networkAccountsQuery = (signInId: number) =>
  pagedQuery([...moderationKeys.all, 'sign-in', signInId], (page, options) =>
    readJson(
      api.moderation['sign-ins'][':id'].accounts.$get({ param: idParam(signInId), query: page }, options),
    ),
  );

export const memberNotesQuery = (id: number) =>
  pagedQuery([...moderationKeys.member(id), 'notes'], (page, options) =>
    readJson(members.notes.$get({ param: idParam(id), query: page }, options)),
  );

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
