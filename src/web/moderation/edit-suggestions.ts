import { queryOptions } from '@tanstack/react-query';
import type { EditDecision, EditSuggestionList } from '#shared/moderation/edit-suggestions.ts';
import { api, readJson } from '#web/core/api.ts';
import { pagedQuery } from '#web/core/paged-query.ts';

export const suggestionKeys = {
  all: ['edit-suggestions'],
  list: (list: EditSuggestionList) => ['edit-suggestions', 'list', list],
  count: ['edit-suggestions', 'count'],
  texts: (id: number) => ['edit-suggestions', 'texts', id],
} as const;

/** The suggested edits that the member can decide, or their own. */
export const editSuggestionsQuery = (list: EditSuggestionList) =>
  pagedQuery(suggestionKeys.list(list), (page, options) =>
    readJson(api['edit-suggestions'].$get({ query: { list, ...page } }, options)),
  );

/** How many suggested edits the member can decide. */
export const editSuggestionCountQuery = queryOptions({
  queryKey: suggestionKeys.count,
  queryFn: ({ signal }) => readJson(api['edit-suggestions'].count.$get({}, { init: { signal } })),
  staleTime: 0,
});

/** A suggested edit with its texts. */
export const editSuggestionQuery = (id: number) =>
  queryOptions({
    queryKey: suggestionKeys.texts(id),
    queryFn: ({ signal }) =>
      readJson(api['edit-suggestions'][':id'].$get({ param: { id: String(id) } }, { init: { signal } })),
    staleTime: 0,
  });

export function decideSuggestion(id: number, decision: EditDecision): Promise<unknown> {
  return readJson(
    api['edit-suggestions'][':id'].decision.$put({ param: { id: String(id) }, json: decision }),
  );
}

export function withdrawSuggestion(id: number): Promise<unknown> {
  return readJson(api['edit-suggestions'][':id'].$delete({ param: { id: String(id) } }));
}
