import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, readJson } from '#web/core/api.ts';

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
  return infiniteQueryOptions({
    queryKey: [...profileKeys.questions(id), ...(after === null ? [] : [after])],
    queryFn: ({ pageParam: cursor, signal }) =>
      readJson(
        api.members[':id'].questions.$get(
          { param: { id: String(id) }, query: cursor === null ? {} : { cursor } },
          { init: { signal } },
        ),
      ),
    initialPageParam: after,
    getNextPageParam: (page) => page.nextCursor,
    staleTime: 0,
  });
}

/** The member's answers, newest first. */
export function profileAnswersQuery(id: number, after: string | null = null) {
  return infiniteQueryOptions({
    queryKey: [...profileKeys.answers(id), ...(after === null ? [] : [after])],
    queryFn: ({ pageParam: cursor, signal }) =>
      readJson(
        api.members[':id'].answers.$get(
          { param: { id: String(id) }, query: cursor === null ? {} : { cursor } },
          { init: { signal } },
        ),
      ),
    initialPageParam: after,
    getNextPageParam: (page) => page.nextCursor,
    staleTime: 0,
  });
}

/** The id in an address; null if it is invalid. */
export function parseMemberId(text: string): number | null {
  const id = /^[1-9]\d*$/u.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(id) ? id : null;
}
