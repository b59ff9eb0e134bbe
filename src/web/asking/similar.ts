import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { limits } from '#shared/limits.ts';
import type { TypedQuestion } from '#shared/similar.ts';
import { parseTags, tagKey, tagsProblem } from '#shared/tags.ts';
import { truncate } from '#shared/text.ts';
import { api, read } from '#web/platform/api.ts';
import type { AskDraft } from './ask.ts';

/** A pause in typing after which it is worth asking. */
const pauseMs = 400;

/** What is asked once stays right for so long. */
const freshMs = 60_000;

/** What is like the draft, once its typing pauses; what was found before stays until then. */
export function useSimilar(draft: Pick<AskDraft, 'title' | 'content' | 'tags'>) {
  const [typed] = useDebouncedValue(JSON.stringify(typedQuestion(draft)), pauseMs);
  return useQuery(similarQuery(JSON.parse(typed) as TypedQuestion));
}

function similarQuery(typed: TypedQuestion) {
  const blank = typed.title === '';
  return queryOptions({
    queryKey: ['similar', typed],
    queryFn: ({ signal }) => read(api.questions.similar.$post({ json: typed }, { init: { signal } })),
    enabled: !blank,
    staleTime: freshMs,
    // It helps, and is never worth a message; the next word typed asks again.
    retry: false,
    throwOnError: false,
    ...(blank ? {} : { placeholderData: keepPreviousData }),
  });
}

/** As the server takes it: no longer than what may be posted, and only tags that may be. */
function typedQuestion({
  title,
  content,
  tags,
}: Pick<AskDraft, 'title' | 'content' | 'tags'>): TypedQuestion {
  return {
    title: truncate(title.trim(), limits.title),
    content: truncate(content.trim(), limits.details),
    tags: usableTags(tags),
  };
}

/** Who would see a question with these tags. */
export function useAudience(tags: string) {
  const [named] = useDebouncedValue(usableTags(tags).join(','), pauseMs);
  return useQuery({
    queryKey: ['audience', tagKey(named)],
    queryFn: ({ signal }) => read(api.audience.$get({ query: { tags: named } }, { init: { signal } })),
    enabled: named !== '',
    staleTime: freshMs,
    retry: false,
    ...(named === '' ? {} : { placeholderData: keepPreviousData }),
  });
}

function usableTags(typed: string): string[] {
  return parseTags(typed)
    .filter((tag) => tagsProblem([tag]) === null)
    .slice(0, limits.tagsPerQuestion);
}
