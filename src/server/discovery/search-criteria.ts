import { tagKey } from '#shared/core/text.ts';
import type { Reader } from '#server/core/database.ts';
import {
  isOperator,
  type NumberField,
  parseSearch,
  type Range,
  resolveMoment,
  type SearchTerm,
  type StatusFilter,
} from '#shared/discovery/search-query.ts';
import { limitTerms } from '#shared/discovery/search-term-limits.ts';
import { findMemberIds, findTagIds } from './search-queries.ts';

/** A parsed query with every name looked up. A post must meet all of it. */
export type SearchCriteria = {
  /** Words to find, as typed or all of them in any inflection; '' for none. */
  text: string;
  /** Texts to find as typed. */
  phrases: string[];
  excluded: { words: string[]; phrases: string[]; tags: number[]; authors: number[] };
  /** Ids of tags. */
  tags: number[];
  /** Ids of members. The author must be one of each list. */
  authors: number[][];
  statuses: StatusFilter[];
  numbers: (Range<number> & { field: NumberField })[];
  /** From the first time (inclusive) to the second (exclusive). */
  created: Range<Date>[];
  /** Names of tags or members that do not exist. They are also part of `text`. */
  unknownTerms: string[];
  /** Whether the query consists of words only. */
  isPlain: boolean;
};

/** @param query trimmed, with runs of spaces folded. */
export async function resolveCriteria(
  db: Reader,
  { query, viewerId, now }: { query: string; viewerId: number; now: Date },
): Promise<SearchCriteria> {
  const { terms } = limitTerms(parseSearch(query));
  if (!terms.some(isOperator))
    return { ...emptyCriteria(), text: terms.map(textOfWord).join(' '), isPlain: true };
  const criteria = emptyCriteria();
  const words: string[] = [];
  const names = await lookUpNames(db, { terms, viewerId });
  for (const term of terms) {
    const ids = names.get(term);
    if (ids?.length === 0) {
      criteria.unknownTerms.push(term.source);
      if (!('excluded' in term && term.excluded)) words.push(term.source);
    } else if (term.kind === 'word' && !term.excluded) words.push(term.text);
    else addTerm(criteria, term, { ids: ids ?? [], now });
  }
  return { ...criteria, text: words.join(' ') };
}

const textOfWord = (term: SearchTerm) => (term.kind === 'word' ? term.text : term.source);

const emptyCriteria = (): SearchCriteria => ({
  text: '',
  phrases: [],
  excluded: { words: [], phrases: [], tags: [], authors: [] },
  tags: [],
  authors: [],
  statuses: [],
  numbers: [],
  created: [],
  unknownTerms: [],
  isPlain: false,
});

function addTerm(
  criteria: SearchCriteria,
  term: SearchTerm,
  { ids, now }: { ids: readonly number[]; now: Date },
): void {
  switch (term.kind) {
    case 'word':
      criteria.excluded.words.push(term.text);
      return;
    case 'phrase':
      (term.excluded ? criteria.excluded : criteria).phrases.push(term.text);
      return;
    case 'tag':
      (term.excluded ? criteria.excluded : criteria).tags.push(...ids);
      return;
    case 'user':
      if (term.excluded) criteria.excluded.authors.push(...ids);
      else criteria.authors.push([...ids]);
      return;
    case 'is':
      criteria.statuses.push(term.is);
      return;
    case 'number':
      criteria.numbers.push({ field: term.field, from: term.from, to: term.to });
      return;
    case 'created': {
      const from = term.from && resolveMoment(term.from, now);
      const to = term.to && resolveMoment(term.to, now);
      criteria.created.push(
        from !== null && to !== null && from > to ? { from: to, to: from } : { from, to },
      );
    }
  }
}

/** Returns the ids for each term that names a tag or a member; none for a name that does not exist. */
async function lookUpNames(
  db: Reader,
  { terms, viewerId }: { terms: readonly SearchTerm[]; viewerId: number },
): Promise<Map<SearchTerm, number[]>> {
  const found = await Promise.all(
    terms.map(async (term): Promise<[SearchTerm, number[]][]> => {
      if (term.kind === 'tag') return [[term, await findTagIds(db, tagKey(term.tag))]];
      if (term.kind !== 'user') return [];
      if (term.isName !== true && term.user.toLowerCase() === 'me') return [[term, [viewerId]]];
      return [[term, await findMemberIds(db, term)]];
    }),
  );
  return new Map(found.flat());
}
