import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { limits } from '#shared/limits.ts';
import { api, read } from '#web/platform/api.ts';

type Waiting = { resolve: (title: string | null) => void; reject: (error: unknown) => void };

/** What is asked for within so many milliseconds, by all texts of a page, is one request. */
const gather = 20;

let waiting = new Map<number, Waiting[]>();

/** The titles of those of the questions that there are; empty until they are known. */
export function useQuestionTitles(ids: readonly number[]): ReadonlyMap<number, string> {
  const titles = useQueries({
    queries: ids.map((id) => ({
      queryKey: ['question-title', id],
      queryFn: () => titleOf(id),
      staleTime: 10 * 60_000,
    })),
    combine: answersOf,
  });
  return useMemo(() => {
    const known = ids.map((id, at) => [id, titles[at]] as const);
    return new Map(known.filter((pair): pair is readonly [number, string] => typeof pair[1] === 'string'));
  }, [ids, titles]);
}

const answersOf = (results: readonly { data: string | null | undefined }[]) =>
  results.map(({ data }) => data);

/** Null where there is no such question. */
function titleOf(id: number): Promise<string | null> {
  return new Promise((resolve, reject) => {
    if (waiting.size === 0) window.setTimeout(() => void ask(), gather);
    waiting.set(id, [...(waiting.get(id) ?? []), { resolve, reject }]);
  });
}

async function ask(): Promise<void> {
  const asked = [...waiting];
  waiting = new Map();
  for (let from = 0; from < asked.length; from += limits.questionTitles)
    await askFor(asked.slice(from, from + limits.questionTitles));
}

async function askFor(asked: readonly [number, Waiting[]][]): Promise<void> {
  try {
    const ids = asked.map(([id]) => id).join(',');
    const { items } = await read(api['question-titles'].$get({ query: { ids } }));
    const titles = new Map(items.map(({ id, title }) => [id, title]));
    for (const [id, callers] of asked) for (const { resolve } of callers) resolve(titles.get(id) ?? null);
  } catch (error) {
    for (const [, callers] of asked) for (const { reject } of callers) reject(error);
  }
}
