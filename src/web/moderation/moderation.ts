import { queryOptions, type QueryClient } from '@tanstack/react-query';
import type {
  ReportDraft,
  ReportState,
  MemberActionDraft,
  PostActionDraft,
  ReviewCause,
  ModerationLogEntry,
} from '#shared/moderation/moderation.ts';
import type { Role } from '#shared/identity/roles.ts';
import { api, readJson } from '#web/core/api.ts';
import { pagedQuery } from '#web/core/paged-query.ts';
import { sessionQuery } from '#web/core/session.ts';
import { hiddenPostsKey, questionKeys } from '#web/posts/index.ts';
import type { PostRef } from '#shared/core/fields.ts';

/** The query keys of moderation. */
export const moderationKeys = {
  all: ['moderation'],
  queue: ['moderation', 'queue'],
  queueOf: (cause: ReviewCause | null) => ['moderation', 'queue', cause],
  counts: ['moderation', 'counts'],
  reasons: ['moderation', 'reasons'],
  log: ['moderation', 'log'],
  member: (id: number) => ['moderation', 'member', id],
  hiddenPosts: (questionId: number) => [...hiddenPostsKey, questionId],
  report: (post: PostRef) => ['moderation', 'report', post.kind, post.id],
  messages: ['moderation', 'messages'],
} as const;

const postCollections = { question: api.questions, answer: api.answers, reply: api.replies } as const;
const toIdParam = (id: number) => ({ param: { id: String(id) } });

/** The member's own report of a post. */
export const reportQuery = (post: PostRef) =>
  queryOptions({
    queryKey: moderationKeys.report(post),
    queryFn: ({ signal }): Promise<ReportState> =>
      readJson(postCollections[post.kind][':id'].report.$get(toIdParam(post.id), { init: { signal } })),
    staleTime: 0,
  });

export function setReport(post: PostRef, draft: ReportDraft): Promise<ReportState> {
  return readJson(postCollections[post.kind][':id'].report.$put({ ...toIdParam(post.id), json: draft }));
}

/** Posts that wait for a moderator, most reports first, then the latest. Null: for any cause. */
export const reviewQueueQuery = (cause: ReviewCause | null) =>
  pagedQuery(moderationKeys.queueOf(cause), (page, options) =>
    readJson(api.moderation.queue.$get({ query: { ...(cause !== null && { cause }), ...page } }, options)),
  );

/** The reasons that moderators can choose from. */
export const moderationReasonsQuery = queryOptions({
  queryKey: moderationKeys.reasons,
  queryFn: ({ signal }) => readJson(api.moderation.reasons.$get({}, { init: { signal } })),
});

/** Claims an entry of the review queue for the moderator, or prolongs the claim. */
export function claimReviewItem(id: number, { takeOver }: { takeOver: boolean }): Promise<unknown> {
  return readJson(api.moderation.queue[':id'].claim.$put({ ...toIdParam(id), json: { takeOver } }));
}

/** Ends the claim, also while the page is being left. */
export function releaseReviewItem(id: number): Promise<unknown> {
  return readJson(api.moderation.queue[':id'].claim.$delete(toIdParam(id), { init: { keepalive: true } }));
}

/** What moderators did before about the post of an entry of the queue, the latest first. */
export const reviewHistoryQuery = (id: number) =>
  queryOptions({
    queryKey: ['moderation', 'history', id],
    queryFn: ({ signal }) =>
      readJson(api.moderation.queue[':id'].history.$get(toIdParam(id), { init: { signal } })),
    staleTime: 0,
  });

/** How much waits in the review queue, for the badge. */
export const reviewCountsQuery = queryOptions({
  queryKey: moderationKeys.counts,
  queryFn: ({ signal }) => readJson(api.moderation.queue.counts.$get({}, { init: { signal } })),
  staleTime: 0,
});

/** The moderation log, latest first. */
export const moderationLogQuery = pagedQuery(moderationKeys.log, (page, options) =>
  readJson(api.moderation.log.$get({ query: page }, options)),
);

/** A member's moderation status. Refetched every second while activity is being removed or restored. */
export const moderatedMemberQuery = (id: number) =>
  queryOptions({
    queryKey: moderationKeys.member(id),
    queryFn: ({ signal }) =>
      readJson(api.moderation.members[':id'].$get(toIdParam(id), { init: { signal } })),
    staleTime: 0,
    refetchInterval: ({ state }) =>
      state.data?.activityRemoval?.state === 'removing' || state.data?.activityRemoval?.state === 'restoring'
        ? 1_000
        : state.data?.merge?.finished === false
          ? 5_000
          : false,
  });

/** The hidden posts of a question. */
export const hiddenPostsQuery = (questionId: number) =>
  pagedQuery(moderationKeys.hiddenPosts(questionId), (page, options) =>
    readJson(api.questions[':id'].hidden.$get({ ...toIdParam(questionId), query: page }, options)),
  );

/** The member's unread messages from the moderators. */
export const moderatorMessagesQuery = queryOptions({
  queryKey: moderationKeys.messages,
  queryFn: ({ signal }) => readJson(api['moderator-messages'].$get({}, { init: { signal } })),
  staleTime: 0,
});

/** The member's own posts that moderators removed, the latest first. */
export const removedPostsQuery = pagedQuery(['moderation', 'removed-posts'], (page, options) =>
  readJson(api['removed-posts'].$get({ query: page }, options)),
);

/** Deletes the member's own held post. */
export async function withdrawHeldPost(client: QueryClient, id: number): Promise<void> {
  await readJson(api['held-posts'][':id'].$delete(toIdParam(id)));
  void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
  void client.invalidateQueries({ queryKey: hiddenPostsKey });
}

/** Objects to the removal of the member's own post. */
export async function objectToRemoval(client: QueryClient, id: number, text: string): Promise<void> {
  try {
    await readJson(api['hidden-posts'][':id'].objection.$put({ ...toIdParam(id), json: { text } }));
  } finally {
    void client.invalidateQueries({ queryKey: moderationKeys.all });
  }
}

export async function markMessagesSeen(client: QueryClient, upTo: number): Promise<void> {
  await readJson(api['moderator-messages'].seen.$put({ json: { upTo } }));
  void client.invalidateQueries({ queryKey: moderationKeys.messages });
  void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
}

export async function moderatePost(client: QueryClient, draft: PostActionDraft): Promise<void> {
  try {
    await readJson(api.moderation['post-actions'].$post({ json: draft }));
  } finally {
    // Also after a conflict, since another moderator has changed the data.
    void client.invalidateQueries({ queryKey: moderationKeys.all });
    void client.invalidateQueries({ queryKey: questionKeys.all });
  }
}

/** Restores the values that a site setting or sign-in providers had before the logged change. For admins. */
export async function undoAdminChange(
  client: QueryClient,
  { id: entryId, action }: Pick<ModerationLogEntry, 'id' | 'action'>,
): Promise<void> {
  const { settings, 'sign-in-providers': providers } = api.admin;
  try {
    await readJson((action === 'setting' ? settings : providers).undo.$post({ json: { entryId } }));
  } finally {
    void client.invalidateQueries({ queryKey: moderationKeys.log });
    void client.invalidateQueries({ queryKey: ['admin'] });
    void client.invalidateQueries({ queryKey: ['sign-in'] });
    void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
  }
}

/** For admins. The member may be the viewer, whose session then shows the new role. */
export async function setMemberRole(
  client: QueryClient,
  id: number,
  draft: { role: Role; password?: string },
): Promise<void> {
  try {
    await readJson(api.admin.members[':id'].role.$put({ ...toIdParam(id), json: draft }));
    // The fetch may take long, and the form shows the role of the member.
    client.setQueryData(
      moderatedMemberQuery(id).queryKey,
      (member) => member && { ...member, role: draft.role },
    );
  } finally {
    void client.invalidateQueries({ queryKey: moderationKeys.all });
    void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
  }
}

export async function moderateMember(client: QueryClient, draft: MemberActionDraft): Promise<void> {
  try {
    await readJson(api.moderation['member-actions'].$post({ json: draft }));
  } finally {
    void client.invalidateQueries({ queryKey: moderationKeys.all });
  }
}
