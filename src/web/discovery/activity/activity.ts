import { tagKey } from '#shared/core/text.ts';
import { queryOptions } from '@tanstack/react-query';
import { api, readJson } from '#web/core/api.ts';

/** The query keys of the charts. */
export const activityKeys = {
  all: ['activity'],
  member: (id: number) => ['activity', 'member', id],
  reputation: (id: number) => ['activity', 'reputation', id],
  tag: (tag: string) => ['activity', 'tag', tagKey(tag)],
} as const;

export function memberActivityQuery(id: number) {
  return queryOptions({
    queryKey: activityKeys.member(id),
    queryFn: ({ signal }) =>
      readJson(api.members[':id'].activity.$get({ param: { id: String(id) } }, { init: { signal } })),
  });
}

export function memberReputationQuery(id: number) {
  return queryOptions({
    queryKey: activityKeys.reputation(id),
    queryFn: ({ signal }) =>
      readJson(api.members[':id'].reputation.$get({ param: { id: String(id) } }, { init: { signal } })),
  });
}

export function tagActivityQuery(tag: string) {
  return queryOptions({
    queryKey: activityKeys.tag(tag),
    queryFn: ({ signal }) =>
      readJson(
        api.tags[':tag'].activity.$get({ param: { tag: encodeURIComponent(tag) } }, { init: { signal } }),
      ),
  });
}
