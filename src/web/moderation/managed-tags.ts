import { queryOptions, type QueryClient } from '@tanstack/react-query';
import type { ManagedTag, TagChangeDraft, TagTextsDraft } from '#shared/moderation/managed-tags.ts';
import { api, readJson } from '#web/core/api.ts';
import { tagQueryKeys } from '#web/posts/index.ts';
import { moderationKeys } from './moderation.ts';

/** The address of a tag in the API. */
const toParam = (tag: string) => ({ param: { tag: encodeURIComponent(tag) } });
const toSynonymParam = (tag: string, synonym: string) => ({
  param: { tag: encodeURIComponent(tag), synonym: encodeURIComponent(synonym) },
});

/** A tag as moderators change it. Refetched every second while it is merged or renamed. */
export const managedTagQuery = (tag: string) =>
  queryOptions({
    queryKey: [...moderationKeys.all, 'tag', tag],
    queryFn: ({ signal }) => readJson(api.moderation.tags[':tag'].$get(toParam(tag), { init: { signal } })),
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data != null && state.data.change !== null ? 1_000 : false),
  });

/** @param address the name in the address of the page: an earlier name after the tag was renamed */
export async function setTagTexts(
  client: QueryClient,
  { address, tag, texts }: { address: string; tag: string; texts: TagTextsDraft },
): Promise<ManagedTag> {
  try {
    const request = readJson(api.moderation.tags[':tag'].$put({ ...toParam(tag), json: texts }));
    return await save(client, address, request);
  } catch (error) {
    // Another moderator has changed or renamed it.
    void client.invalidateQueries({ queryKey: managedTagQuery(address).queryKey });
    throw error;
  }
}

export function addSynonym(client: QueryClient, tag: string, synonym: string): Promise<ManagedTag> {
  return save(
    client,
    tag,
    readJson(api.moderation.tags[':tag'].synonyms[':synonym'].$put(toSynonymParam(tag, synonym))),
  );
}

/** @param keepName whether the name becomes a topic of its own again, instead of being removed everywhere */
export function removeSynonym(
  client: QueryClient,
  { tag, synonym, keepName }: { tag: string; synonym: string; keepName: boolean },
): Promise<ManagedTag> {
  const query = { keepName: keepName ? ('true' as const) : ('false' as const) };
  const wanted = { ...toSynonymParam(tag, synonym), query };
  return save(client, tag, readJson(api.moderation.tags[':tag'].synonyms[':synonym'].$delete(wanted)));
}

/** Merges or renames a tag. Returns the tag that its name leads to now. */
export function changeTag(client: QueryClient, draft: TagChangeDraft): Promise<ManagedTag> {
  return save(client, draft.tag, readJson(api.moderation['tag-changes'].$post({ json: draft })));
}

async function save(client: QueryClient, tag: string, request: Promise<ManagedTag>): Promise<ManagedTag> {
  const saved = await request;
  client.setQueryData(managedTagQuery(tag).queryKey, saved);
  void client.invalidateQueries({ queryKey: tagQueryKeys.all });
  void client.invalidateQueries({ queryKey: moderationKeys.log });
  return saved;
}
