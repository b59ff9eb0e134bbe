import { infiniteQueryOptions, queryOptions, type QueryClient } from '@tanstack/react-query';
import type { FlagDraft, FlagState, MemberActionDraft, PostActionDraft } from '#shared/care.ts';
import { api, read } from '#web/platform/api.ts';
import { sessionQuery } from '#web/platform/session.ts';
import type { PostRef } from '#web/posts/post.ts';
import { questionKeys } from '#web/posts/question-query.ts';

/** Under which keys the cache holds what operators take care of. */
export const careKeys = {
  all: ['care'],
  queue: ['care', 'queue'],
  log: ['care', 'log'],
  member: (id: number) => ['care', 'member', id],
  hidden: (questionId: number) => ['care', 'hidden', questionId],
  flag: (post: PostRef) => ['care', 'flag', post.kind, post.id],
  notices: ['care', 'notices'],
} as const;

const flags = { question: api.questions, answer: api.answers, reply: api.replies } as const;
const param = (id: number) => ({ param: { id: String(id) } });

/** The member's own flag on a post. */
export const flagQuery = (post: PostRef) =>
  queryOptions({
    queryKey: careKeys.flag(post),
    queryFn: ({ signal }): Promise<FlagState> =>
      read(flags[post.kind][':id'].flag.$get(param(post.id), { init: { signal } })),
    staleTime: 0,
  });

export function setFlag(post: PostRef, draft: FlagDraft): Promise<FlagState> {
  return read(flags[post.kind][':id'].flag.$put({ ...param(post.id), json: draft }));
}

/** Posts with open flags, most flags first. */
export const queueQuery = infiniteQueryOptions({
  queryKey: careKeys.queue,
  queryFn: ({ pageParam, signal }) =>
    read(api.care.queue.$get({ query: cursor(pageParam) }, { init: { signal } })),
  initialPageParam: null as string | null,
  getNextPageParam: (page) => page.nextCursor,
  staleTime: 0,
});

/** What was done and why, the latest first. */
export const logQuery = infiniteQueryOptions({
  queryKey: careKeys.log,
  queryFn: ({ pageParam, signal }) =>
    read(api.care.log.$get({ query: cursor(pageParam) }, { init: { signal } })),
  initialPageParam: null as string | null,
  getNextPageParam: (page) => page.nextCursor,
  staleTime: 0,
});

const cursor = (text: string | null) => (text === null ? {} : { cursor: text });

/** How a member stands; asked again every second while something is being undone. */
export const careMemberQuery = (id: number) =>
  queryOptions({
    queryKey: careKeys.member(id),
    queryFn: ({ signal }) => read(api.care.members[':id'].$get(param(id), { init: { signal } })),
    staleTime: 0,
    refetchInterval: ({ state }) =>
      state.data?.undoing?.state === 'undoing' || state.data?.undoing?.state === 'restoring' ? 1_000 : false,
  });

/** What of a question others do not see. */
export const hiddenQuery = (questionId: number) =>
  queryOptions({
    queryKey: careKeys.hidden(questionId),
    queryFn: ({ signal }) => read(api.questions[':id'].hidden.$get(param(questionId), { init: { signal } })),
    staleTime: 0,
  });

/** What the operators told the member and they have not seen yet. */
export const noticesQuery = queryOptions({
  queryKey: careKeys.notices,
  queryFn: ({ signal }) => read(api.notices.$get({}, { init: { signal } })),
  staleTime: 0,
});

export async function seeNotices(client: QueryClient, upTo: number): Promise<void> {
  await read(api.notices.seen.$put({ json: { upTo } }));
  await client.invalidateQueries({ queryKey: careKeys.notices });
  await client.invalidateQueries({ queryKey: sessionQuery.queryKey });
}

export async function actOnPost(client: QueryClient, draft: PostActionDraft): Promise<void> {
  try {
    await read(api.care['post-actions'].$post({ json: draft }));
  } finally {
    // Also where somebody was faster: then it has changed.
    void client.invalidateQueries({ queryKey: careKeys.all });
    void client.invalidateQueries({ queryKey: questionKeys.all });
  }
}

export async function actOnMember(client: QueryClient, draft: MemberActionDraft): Promise<void> {
  try {
    await read(api.care['member-actions'].$post({ json: draft }));
  } finally {
    void client.invalidateQueries({ queryKey: careKeys.all });
  }
}
