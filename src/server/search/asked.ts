import type { Reader } from '#server/platform/database.ts';
import {
  type Is,
  isOperator,
  type NumberField,
  parseSearch,
  type Range,
  type SearchTerm,
  timeOf,
} from '#shared/search-query.ts';
import { limitTerms } from '#shared/search-terms.ts';
import { tagKey } from '#shared/tags.ts';
import { memberIds, tagIds } from './names.ts';

/** What a query asks for, every name looked up. All of it has to hold at once. */
export type Asked = {
  /** Words to be found, as typed or all of them in any inflection; '' for none. */
  text: string;
  /** Texts to be found as typed. */
  phrases: string[];
  without: { words: string[]; phrases: string[]; tags: number[]; authors: number[] };
  /** Ids of tags. */
  tags: number[];
  /** Ids of members; of each list one is the author. */
  authors: number[][];
  is: Is[];
  numbers: (Range<number> & { field: NumberField })[];
  /** From the first time on, until before the second. */
  created: Range<Date>[];
  /** What names a tag or a member there is not; it is part of `text`. */
  unknown: string[];
  /** There are only words. */
  plain: boolean;
};

/** @param query without spaces around, inner runs folded. */
export async function understand(
  db: Reader,
  { query, viewerId, now }: { query: string; viewerId: number; now: Date },
): Promise<Asked> {
  const { terms } = limitTerms(parseSearch(query));
  if (!terms.some(isOperator)) return { ...nothing(), text: terms.map(textOfWord).join(' '), plain: true };
  const asked = nothing();
  const words: string[] = [];
  const names = await lookUp(db, { terms, viewerId });
  for (const term of terms) {
    const ids = names.get(term);
    if (ids?.length === 0) {
      asked.unknown.push(term.source);
      if (!('excluded' in term && term.excluded)) words.push(term.source);
    } else if (term.kind === 'word' && !term.excluded) words.push(term.text);
    else add(asked, term, { ids: ids ?? [], now });
  }
  return { ...asked, text: words.join(' ') };
}

const textOfWord = (term: SearchTerm) => (term.kind === 'word' ? term.text : term.source);

const nothing = (): Asked => ({
  text: '',
  phrases: [],
  without: { words: [], phrases: [], tags: [], authors: [] },
  tags: [],
  authors: [],
  is: [],
  numbers: [],
  created: [],
  unknown: [],
  plain: false,
});

function add(asked: Asked, term: SearchTerm, { ids, now }: { ids: readonly number[]; now: Date }): void {
  switch (term.kind) {
    case 'word':
      asked.without.words.push(term.text);
      return;
    case 'phrase':
      (term.excluded ? asked.without : asked).phrases.push(term.text);
      return;
    case 'tag':
      (term.excluded ? asked.without : asked).tags.push(...ids);
      return;
    case 'user':
      if (term.excluded) asked.without.authors.push(...ids);
      else asked.authors.push([...ids]);
      return;
    case 'is':
      asked.is.push(term.is);
      return;
    case 'number':
      asked.numbers.push({ field: term.field, from: term.from, to: term.to });
      return;
    case 'created': {
      const from = term.from && timeOf(term.from, now);
      const to = term.to && timeOf(term.to, now);
      asked.created.push(from !== null && to !== null && from > to ? { from: to, to: from } : { from, to });
    }
  }
}

/** The ids behind each term that names a tag or a member; none for a name that does not exist. */
async function lookUp(
  db: Reader,
  { terms, viewerId }: { terms: readonly SearchTerm[]; viewerId: number },
): Promise<Map<SearchTerm, number[]>> {
  const found = await Promise.all(
    terms.map(async (term): Promise<[SearchTerm, number[]][]> => {
      if (term.kind === 'tag') return [[term, await tagIds(db, tagKey(term.tag))]];
      if (term.kind !== 'user') return [];
      const isMe = term.user.toLowerCase() === 'me';
      return [[term, isMe ? [viewerId] : await memberIds(db, term.user)]];
    }),
  );
  return new Map(found.flat());
}
