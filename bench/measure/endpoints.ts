import { createRandom } from '../fill/random.ts';
import type { Request } from './load-client.ts';
import type { Community } from './community.ts';
import {
  sampleQueries,
  newAnswerRequests,
  newQuestionRequests,
  newReplyRequests,
  pageRequests,
  questionPageRequests,
  type Requests,
  searchPath,
  sampleAnswers,
  viewRequests,
  withViewer,
  voteRequests,
} from './requests.ts';

/** A page or action: its name, and requests for it. */
export type Endpoint = { name: string; requests: Requests };

export async function endpoints(community: Community): Promise<Endpoint[]> {
  const { questions, members } = community.counts;
  const random = createRandom(29);
  const known = await busiest(community);
  const queries = await sampleQueries(community);
  const deep = await deepPages(community, known);
  const drawn = (make: (member: number) => string): Requests =>
    Array.from({ length: 5_000 }, (_, member) => ({ method: 'GET', path: make(member), member }));
  const searches = (kind: string, path: (query: string) => string) =>
    queries.filter((query) => query.kind === kind).map(({ text }, member) => get(path(text), member));
  return [
    ...['recent', 'popular', 'unanswered'].map((feed) => ({
      name: `feed ${feed}`,
      requests: pageRequests(`/api/feeds/${feed}`),
    })),
    ...deep,
    { name: 'question page, any', requests: questionPageRequests(community) },
    {
      name: 'its viewer',
      requests: withViewer(questionPageRequests(community)).filter((_, at) => at % 2 === 1),
    },
    {
      name: 'question page, the largest',
      requests: pageRequests(`/api/questions/${known.question}?sort=newest`),
    },
    {
      name: 'question page, by votes',
      requests: pageRequests(`/api/questions/${known.question}?sort=helpful`),
    },
    {
      name: 'related questions',
      requests: drawn(() => `/api/questions/${1 + random.below(questions)}/related`),
    },
    ...['popular', 'active', 'alphabetical'].map((sort) => ({
      name: `topics, ${sort}`,
      requests: pageRequests(`/api/tags?sort=${sort}`),
    })),
    { name: 'topics, searched', requests: pageRequests('/api/tags?q=mark') },
    { name: 'topic, the largest', requests: pageRequests(`/api/tags/${encodeURIComponent(known.tag)}`) },
    {
      name: 'its questions',
      requests: pageRequests(`/api/tags/${encodeURIComponent(known.tag)}/questions`),
    },
    { name: 'its activity', requests: pageRequests(`/api/tags/${encodeURIComponent(known.tag)}/activity`) },
    { name: 'search, a common word', requests: searches('common', searchPath) },
    { name: 'search, two words', requests: searches('two words', searchPath) },
    { name: 'search, answers', requests: searches('two words', (text) => searchPath(text, 'answers')) },
    {
      name: 'search while typing',
      requests: searches('common', (text) => `/api/search/instant?q=${encodeURIComponent(text.slice(0, 4))}`),
    },
    { name: 'profile, any', requests: drawn(() => `/api/members/${1 + random.below(members)}`) },
    { name: 'profile, the busiest', requests: pageRequests(`/api/members/${known.member}`) },
    ...['questions', 'answers', 'activity', 'reputation'].map((list) => ({
      name: `their ${list}`,
      requests: pageRequests(`/api/members/${known.member}/${list}`),
    })),
    ...['', '/tags', '/questions', '/activity'].map((list) => ({
      name: `following${list.replace('/', ', ')}`,
      requests: pageRequests(`/api/following${list}`),
    })),
    { name: 'notifications', requests: pageRequests('/api/notifications') },
    { name: 'bookmarks', requests: pageRequests('/api/bookmarks') },
    { name: 'session', requests: pageRequests('/api/session') },
    { name: 'vote', requests: voteRequests(sampleAnswers(community, 5_000), random) },
    { name: 'view', requests: viewRequests(community) },
    { name: 'follow', requests: follows(questions) },
    { name: 'answer', requests: newAnswerRequests(community) },
    { name: 'reply', requests: newReplyRequests(community) },
    { name: 'ask', requests: newQuestionRequests() },
  ];
}

const get = (path: string, member: number): Request => ({ method: 'GET', path, member });

function follows(questions: number): Requests {
  const random = createRandom(31);
  return Array.from({ length: 5_000 }, (_, member) => ({
    method: 'PUT',
    path: `/api/questions/${1 + random.below(questions)}/follow`,
    member,
    body: JSON.stringify({ following: true }),
  }));
}

type Busiest = { question: number; tag: string; member: number };

async function busiest({ db }: Community): Promise<Busiest> {
  const { rows } = await db.query<{ question: string; tag: string; member: string }>(
    `select (select id from question order by answer_count desc limit 1) as question,
       (select name from tag order by questions_count desc limit 1) as tag,
       (select id from member order by questions_count desc limit 1) as member`,
  );
  const [row] = rows;
  return { question: Number(row?.question), tag: row?.tag ?? '', member: Number(row?.member) };
}

/** Cursors far into each list: they must be as fast as the first page. */
async function deepPages(community: Community, { question, tag }: Busiest): Promise<Endpoint[]> {
  const lists = {
    'feed recent, deep page': '/api/feeds/recent',
    'feed popular, deep page': '/api/feeds/popular',
    'questions of the largest topic, deep page': `/api/tags/${encodeURIComponent(tag)}/questions`,
    'answers of the largest question, deep page': `/api/questions/${question}/answers`,
  };
  const endpoints: Endpoint[] = [];
  for (const [name, path] of Object.entries(lists)) {
    const cursor = await cursorBelow(community, path);
    if (cursor !== null)
      endpoints.push({ name, requests: pageRequests(`${path}?cursor=${encodeURIComponent(cursor)}`) });
  }
  return endpoints;
}

const pagesDown = 30;

async function cursorBelow(community: Community, path: string): Promise<string | null> {
  let cursor: string | null = null;
  for (let down = 0; down < pagesDown; down++) {
    const list = await community.read(
      cursor === null ? path : `${path}?cursor=${encodeURIComponent(cursor)}`,
    );
    const { nextCursor: next } = list as { nextCursor?: string | null };
    if (next == null) break;
    cursor = next;
  }
  return cursor;
}
