import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { memberActivityQuery, memberReputationQuery } from '#web/discovery/index.ts';
import { api, readJson } from '#web/core/api.ts';
import { pagedQuery } from '#web/core/paged-query.ts';

/** The query keys of profiles and their posts. */
export const profileKeys = {
  one: (id: number) => ['profiles', id],
  questions: (id: number) => ['profiles', id, 'questions'],
  answers: (id: number) => ['profiles', id, 'answers'],
} as const;

export function profileQuery(id: number) {
  return queryOptions({
    queryKey: profileKeys.one(id),
    queryFn: ({ signal }) =>
      readJson(api.members[':id'].$get({ param: { id: String(id) } }, { init: { signal } })),
    staleTime: 0,
  });
}

/** The member's questions, newest first. */
export function profileQuestionsQuery(id: number, after: string | null = null) {
  return pagedQuery(
    profileKeys.questions(id),
    (page, options) =>
      readJson(api.members[':id'].questions.$get({ param: { id: String(id) }, query: page }, options)),
    after,
  );
}

/** The member's answers, newest first. */
export function profileAnswersQuery(id: number, after: string | null = null) {
  return pagedQuery(
    profileKeys.answers(id),
    (page, options) =>
      readJson(api.members[':id'].answers.$get({ param: { id: String(id) }, query: page }, options)),
    after,
  );
}

/** Loads what the page of a member shows first. */
export async function prefetchProfile(
  client: QueryClient,
  id: number,
  { tab, after }: { tab?: 'answers' | undefined; after: string | null },
): Promise<void> {
  await Promise.all([
    client.prefetchQuery({ ...profileQuery(id), retry: false }),
    client.prefetchQuery({ ...memberActivityQuery(id), retry: false }),
    client.prefetchQuery({ ...memberReputationQuery(id), retry: false }),
    tab === 'answers'
      ? client.prefetchInfiniteQuery({ ...profileAnswersQuery(id, after), retry: false })
      : client.prefetchInfiniteQuery({ ...profileQuestionsQuery(id, after), retry: false }),
  ]);
}

/** The id in an address; null if it is invalid. */
export function parseMemberId(text: string): number | null {
  const id = /^[1-9]\d*$/u.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(id) ? id : null;
}
