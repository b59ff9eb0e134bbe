import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { questionTitleQuery } from './question-titles.ts';

/** The titles of the existing questions among the ids; empty until they are loaded. */
export function useQuestionTitles(ids: readonly number[]): ReadonlyMap<number, string> {
  const titles = useQueries({
    queries: ids.map(questionTitleQuery),
    combine: getTitles,
  });
  return useMemo(() => {
    const pairs = ids.map((id, at) => [id, titles[at]] as const);
    return new Map(pairs.filter((pair): pair is readonly [number, string] => typeof pair[1] === 'string'));
  }, [ids, titles]);
}

const getTitles = (results: readonly { data: string | null | undefined }[]) =>
  results.map(({ data }) => data);
