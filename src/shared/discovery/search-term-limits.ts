import { limits } from '#shared/core/limits.ts';
import type { SearchTerm } from './search-query.ts';

/** The kinds of terms that a search can have a limited number of. */
export type TermKind = 'words' | 'phrases' | 'exclusions' | 'conditions';

export const termLimits: Readonly<Record<TermKind, number>> = {
  words: limits.searchWords,
  phrases: limits.searchPhrases,
  exclusions: limits.searchExclusions,
  conditions: limits.searchConditions,
};

/**
 * Keeps the first terms of each kind up to its limit. A repeated operator counts once. `exceeded` names the kinds with
 * more terms.
 */
export function limitTerms(terms: readonly SearchTerm[]): { terms: SearchTerm[]; exceeded: TermKind[] } {
  const seen = new Set<string>();
  const counts: Record<TermKind, number> = { words: 0, phrases: 0, exclusions: 0, conditions: 0 };
  const accepted = terms.filter((term) => {
    const kind = kindOfTerm(term);
    const key = kind === 'words' ? `${term.start}` : keyOfTerm(term);
    if (seen.has(key)) return false;
    seen.add(key);
    return ++counts[kind] <= termLimits[kind];
  });
  const kinds = Object.keys(counts) as TermKind[];
  return { terms: accepted, exceeded: kinds.filter((kind) => counts[kind] > termLimits[kind]) };
}

function kindOfTerm(term: SearchTerm): TermKind {
  if ('excluded' in term && term.excluded) return 'exclusions';
  if (term.kind === 'word') return 'words';
  return term.kind === 'phrase' ? 'phrases' : 'conditions';
}

/** Returns the same key for equal terms at any position. */
function keyOfTerm({ source: _source, start: _start, end: _end, ...term }: SearchTerm): string {
  return JSON.stringify(term).toLowerCase();
}
