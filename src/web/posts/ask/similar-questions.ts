import { tagKey, truncate } from '#shared/core/text.ts';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { limits } from '#shared/core/limits.ts';
import type { PartialQuestion } from '#shared/discovery/similar.ts';
import { findTagsProblem, parseTags } from '#shared/posts/tags.ts';
import { api, readJson } from '#web/core/api.ts';
import type { AskDraft } from './ask-draft.ts';

/** A pause in typing after which it is worth asking. */
const typingPauseMs = 400;

/** What is asked once stays right for so long. */
const staleTimeMs = 60_000;

/** What is like the draft, once its typing pauses; what was found before stays until then. */
export function useSimilarQuestions(draft: Pick<AskDraft, 'title' | 'content' | 'tags'>) {
  const [typed] = useDebouncedValue(JSON.stringify(toPartialQuestion(draft)), typingPauseMs);
  return useQuery(similarQuestionsQuery(JSON.parse(typed) as PartialQuestion));
}

function similarQuestionsQuery(typed: PartialQuestion) {
  const blank = typed.title === '';
  return queryOptions({
    queryKey: ['similar', typed],
    queryFn: ({ signal }) => readJson(api.questions.similar.$post({ json: typed }, { init: { signal } })),
    enabled: !blank,
    staleTime: staleTimeMs,
    // It helps, and is never worth a message; the next word typed asks again.
    retry: false,
    throwOnError: false,
    ...(blank ? {} : { placeholderData: keepPreviousData }),
  });
}

/** As the server takes it: no longer than what may be posted, and only tags that may be. */
function toPartialQuestion({
  title,
  content,
  tags,
}: Pick<AskDraft, 'title' | 'content' | 'tags'>): PartialQuestion {
  return {
    title: truncate(title.trim(), limits.title),
    content: truncate(content.trim(), limits.details),
    tags: listValidTags(tags),
  };
}

/** Who would see a question with these tags. */
export function useAudience(tags: string) {
  const [named] = useDebouncedValue(listValidTags(tags).join(','), typingPauseMs);
  return useQuery({
    queryKey: ['audience', tagKey(named)],
    queryFn: ({ signal }) => readJson(api.audience.$get({ query: { tags: named } }, { init: { signal } })),
    enabled: named !== '',
    staleTime: staleTimeMs,
    retry: false,
    ...(named === '' ? {} : { placeholderData: keepPreviousData }),
  });
}

function listValidTags(typed: string): string[] {
  return parseTags(typed)
    .filter((tag) => findTagsProblem([tag]) === null)
    .slice(0, limits.tagsPerQuestion);
}
