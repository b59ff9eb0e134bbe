import { infiniteQueryOptions, queryOptions, type QueryClient } from '@tanstack/react-query';
import type {
  ReportDraft,
  ReportState,
  MemberActionDraft,
  PostActionDraft,
} from '#shared/moderation/moderation.ts';
import { api, readJson } from '#web/core/api.ts';
import { sessionQuery } from '#web/core/session.ts';
import type { PostRef } from '#web/posts/post-ref.ts';
import { questionKeys } from '#web/posts/questions/question-cache.ts';

/** Under which keys the cache holds what operators take care of. */
export const moderationKeys = {
  all: ['care'],
  queue: ['care', 'queue'],
  log: ['care', 'log'],
  member: (id: number) => ['care', 'member', id],
  hiddenPosts: (questionId: number) => ['care', 'hidden', questionId],
  report: (post: PostRef) => ['care', 'flag', post.kind, post.id],
  messages: ['care', 'notices'],
} as const;

const postCollections = { question: api.questions, answer: api.answers, reply: api.replies } as const;
const toIdParam = (id: number) => ({ param: { id: String(id) } });

/** The member's own flag on a post. */
export const reportQuery = (post: PostRef) =>
  queryOptions({
    queryKey: moderationKeys.report(post),
    queryFn: ({ signal }): Promise<ReportState> =>
      readJson(postCollections[post.kind][':id'].flag.$get(toIdParam(post.id), { init: { signal } })),
    staleTime: 0,
  });

export function setReport(post: PostRef, draft: ReportDraft): Promise<ReportState> {
  return readJson(postCollections[post.kind][':id'].flag.$put({ ...toIdParam(post.id), json: draft }));
}

/** Posts with open flags, most flags first. */
export const reviewQueueQuery = infiniteQueryOptions({
  queryKey: moderationKeys.queue,
  queryFn: ({ pageParam, signal }) =>
    readJson(api.care.queue.$get({ query: toCursorQuery(pageParam) }, { init: { signal } })),
  initialPageParam: null as string | null,
  getNextPageParam: (page) => page.nextCursor,
  staleTime: 0,
});

/** What was done and why, the latest first. */
export const moderationLogQuery = infiniteQueryOptions({
  queryKey: moderationKeys.log,
  queryFn: ({ pageParam, signal }) =>
    readJson(api.care.log.$get({ query: toCursorQuery(pageParam) }, { init: { signal } })),
  initialPageParam: null as string | null,
  getNextPageParam: (page) => page.nextCursor,
  staleTime: 0,
});

const toCursorQuery = (text: string | null) => (text === null ? {} : { cursor: text });

/** How a member stands; asked again every second while something is being undone. */
export const moderatedMemberQuery = (id: number) =>
  queryOptions({
    queryKey: moderationKeys.member(id),
    queryFn: ({ signal }) => readJson(api.care.members[':id'].$get(toIdParam(id), { init: { signal } })),
    staleTime: 0,
    refetchInterval: ({ state }) =>
      state.data?.activityRemoval?.state === 'undoing' || state.data?.activityRemoval?.state === 'restoring'
        ? 1_000
        : false,
  });

/** What of a question others do not see. */
export const hiddenPostsQuery = (questionId: number) =>
  queryOptions({
    queryKey: moderationKeys.hiddenPosts(questionId),
    queryFn: ({ signal }) =>
      readJson(api.questions[':id'].hidden.$get(toIdParam(questionId), { init: { signal } })),
    staleTime: 0,
  });

/** What the operators told the member and they have not seen yet. */
export const moderatorMessagesQuery = queryOptions({
  queryKey: moderationKeys.messages,
  queryFn: ({ signal }) => readJson(api.notices.$get({}, { init: { signal } })),
  staleTime: 0,
});

export async function markMessagesSeen(client: QueryClient, upTo: number): Promise<void> {
  await readJson(api.notices.seen.$put({ json: { upTo } }));
  await client.invalidateQueries({ queryKey: moderationKeys.messages });
  await client.invalidateQueries({ queryKey: sessionQuery.queryKey });
}

export async function moderatePost(client: QueryClient, draft: PostActionDraft): Promise<void> {
  try {
    await readJson(api.care['post-actions'].$post({ json: draft }));
  } finally {
    // Also where somebody was faster: then it has changed.
    void client.invalidateQueries({ queryKey: moderationKeys.all });
    void client.invalidateQueries({ queryKey: questionKeys.all });
  }
}

export async function moderateMember(client: QueryClient, draft: MemberActionDraft): Promise<void> {
  try {
    await readJson(api.care['member-actions'].$post({ json: draft }));
  } finally {
    void client.invalidateQueries({ queryKey: moderationKeys.all });
  }
}
