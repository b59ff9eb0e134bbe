import { createRandom, type Random, scatter, zipf } from '../fill/random.ts';
import type { Request } from './load-client.ts';
import type { Community } from './community.ts';

/** A sequence of requests; consecutive ones come from different members. */
export type Requests = readonly Request[];

export const pageRequests = (path: string): Requests =>
  members((member) => ({ method: 'GET', path, member }));

/** The documents of questions drawn from all, or from `among` of them. */
export function questionPageRequests({ counts }: Community, among = counts.questions): Requests {
  const random = createRandom(7);
  const step = counts.questions / among;
  return many(20_000, (member) => ({
    method: 'GET',
    path: `/api/questions/${1 + Math.floor(random.below(among) * step)}?sort=newest`,
    member,
  }));
}

/** Each document followed by what its viewer sees on it: complete pages, as the web app reads them. */
export const withViewer = (documents: Requests): Requests =>
  documents.flatMap((each) => [each, { ...each, path: each.path.replace('/api/', '/api/viewer/') }]);

/** The documents of questions with a realistic popularity, by Zipf's law: all are read, few of them often. */
export function popularPageRequests({ counts }: Community): Requests {
  const random = createRandom(8);
  const [rank, place] = [zipf(random, counts.questions, 0.99), scatter(counts.questions)];
  return many(50_000, (member) => ({
    method: 'GET',
    path: `/api/questions/${1 + place(rank())}?sort=newest`,
    member,
  }));
}

/**
 * Each request changes a vote: from none to up, and in the next pass the other way. Answers are drawn from `answerIds`.
 */
export function voteRequests(answerIds: readonly number[], random: Random): Requests {
  const once = many(5_000, (member) => ({
    method: 'PUT' as const,
    path: `/api/answers/${random.of(answerIds)}/vote`,
    member,
  }));
  return (['up', 'down'] as const).flatMap((vote) =>
    once.map((each) => ({ ...each, body: JSON.stringify({ vote }) })),
  );
}

/** Views of questions drawn from all. */
export function viewRequests({ counts }: Community): Requests {
  const random = createRandom(9);
  return many(20_000, (member) => ({
    method: 'PUT',
    path: `/api/questions/${1 + random.below(counts.questions)}/view`,
    member,
  }));
}

const words =
  'I have done this for years and would begin with the customers: ask ten of them what they pay for today, and build only what they name twice.';

/** Answers to questions drawn from `among`, all with different texts. */
export function newAnswerRequests({ counts }: Community, among = counts.questions): Requests {
  const random = createRandom(11);
  return many(50_000, (member) => ({
    method: 'POST',
    path: `/api/questions/${1 + random.below(among)}/answers`,
    member,
    body: JSON.stringify({ content: `${words} (${member})` }),
  }));
}

export function newReplyRequests({ counts }: Community): Requests {
  const random = createRandom(13);
  return many(20_000, (member) => ({
    method: 'POST',
    path: `/api/answers/${1 + random.below(counts.answers)}/replies`,
    member,
    body: JSON.stringify({
      content: `Thanks, that is what I was looking for. (${member})`,
      parentReplyId: null,
    }),
  }));
}

export function newQuestionRequests(): Requests {
  return many(20_000, (member) => ({
    method: 'POST',
    path: '/api/questions',
    member,
    body: JSON.stringify({
      title: `How do I find the first customers of company number ${member}?`,
      content: words,
      tags: ['getting-started'],
    }),
  }));
}

/** `count` different answers, evenly from the oldest to the newest. */
export function sampleAnswers({ counts }: Community, count: number): number[] {
  const step = Math.max(1, Math.floor(counts.answers / count));
  return Array.from({ length: Math.min(count, counts.answers) }, (_, index) => 1 + index * step);
}

const members = (make: (member: number) => Request) => many(1_000, make);

function many(count: number, make: (member: number) => Request): Request[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** Search queries: 200 drawn from real titles, 50 of each kind. */
export type Query = { kind: 'common' | 'rare' | 'two words' | 'inside a word'; text: string };

export async function sampleQueries({ db, counts }: Community): Promise<Query[]> {
  const random = createRandom(17);
  const ids = Array.from({ length: 5_000 }, () => 1 + random.below(counts.questions));
  const { rows } = await db.query<{ title: string }>('select title from question where id = any ($1)', [ids]);
  const titles = rows.map(({ title }) => title.toLowerCase().match(/[a-z]{3,}/gu) ?? []);
  const used = new Map<string, number>();
  for (const word of titles.flatMap((title) => [...new Set(title)]))
    used.set(word, (used.get(word) ?? 0) + 1);
  const byUse = [...used].toSorted(([, one], [, other]) => other - one).map(([word]) => word);
  const longer = byUse.filter((word) => word.length > 3);
  const once = byUse.filter((word) => used.get(word) === 1);
  const pairs = titles.filter((title) => title.length > 3);
  const each = (kind: Query['kind'], draw: (index: number) => string) =>
    Array.from({ length: 50 }, (_, index) => ({ kind, text: draw(index) }));
  return [
    ...each('common', (index) => longer[index] ?? ''),
    ...each('rare', () => random.of(once)),
    ...each('two words', () => twoOf(random, random.of(pairs))),
    ...each('inside a word', () => random.of(longer.filter((word) => word.length > 6)).slice(1, -1)),
  ];
}

/** Searches for two adjacent words of a title, each used once. */
export async function newSearchRequests({ db, counts }: Community): Promise<Requests> {
  const random = createRandom(23);
  const ids = Array.from({ length: 10_000 }, () => 1 + random.below(counts.questions));
  const { rows } = await db.query<{ title: string }>('select title from question where id = any ($1)', [ids]);
  const titles = rows.map(({ title }) => title.toLowerCase().match(/[a-z]{3,}/gu) ?? []);
  const texts = titles.filter((title) => title.length > 3).map((title) => twoOf(random, title));
  return [...new Set(texts)].map((text, member) => ({ method: 'GET', path: searchPath(text), member }));
}

function twoOf(random: Random, title: readonly string[]): string {
  const at = random.below(title.length - 1);
  return `${title[at]} ${title[at + 1]}`;
}

/** Repeated searches, each time by another member because of the rate limit of searches. */
export function searchRequests(queries: readonly Query[]): Requests {
  return many(5_000, (member) => ({
    method: 'GET',
    path: searchPath(queries[member % queries.length]?.text ?? ''),
    member,
  }));
}

export const searchPath = (query: string, kind: 'questions' | 'answers' = 'questions') =>
  `/api/search?q=${encodeURIComponent(query)}&in=${kind}`;
