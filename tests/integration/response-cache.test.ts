import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeEach, expect, test } from 'vitest';
import type { z } from 'zod';
import { startCachingNode, type CachingNode } from '#tests/support/caching-node.ts';
import { setRole } from '#server/admin/roles.ts';
import { createToken } from '#tests/support/api-tokens.ts';
import { expectOk, type Member } from '#tests/support/member.ts';
import { actOnPost } from '#tests/support/moderation.ts';
import { eventually } from '#tests/support/parley.ts';
import { startTestServer } from '#tests/support/server.ts';
import { positionHeader } from '#shared/core/events.ts';
import type { QuestionPageData } from '#shared/posts/questions.ts';
import { questionCardsDocument, questionDocument } from '#shared/posts/questions-document.ts';
import { tagDocument, tagsDocument } from '#shared/discovery/tags.ts';
import type { SearchResults } from '#shared/discovery/search.ts';

/** The server without a cache, which reads the database each time. */
const plain = await startTestServer();
/** Two nodes with a response cache, on the same database. */
const nodes = [await startCachingNode(plain.database), await startCachingNode(plain.database)] as const;
afterAll(async () => {
  await Promise.all(nodes.map((node) => node.stop()));
  await plain.stop();
});
const [here, there] = nodes;
const ann = await plain.register('Ann');
const bob = await plain.register('Bob');
beforeEach(() => plain.resetRateLimits());

/** Waits until both nodes have processed the events of all their writes. */
async function waitForEvents(): Promise<void> {
  for (const { caches } of nodes) {
    const token = caches.responses.writes.createToken();
    await eventually(() => nodes.every((node) => node.caches.responses.writes.hasSeen(token)));
  }
}

const readCount = (node: CachingNode) => node.caches.responses.documentsRead;

const feeds = ['recent', 'popular', 'unanswered'] as const;
const tagSorts = ['popular', 'alphabetical', 'active'] as const;
const sorts = ['newest', 'helpful', 'oldest'] as const;

test('a cached page equals the database after any change, for its writer immediately and on every node', async () => {
  const questions: number[] = [];
  for (const tags of [['bread'], ['rye', 'bread'], []]) questions.push(await ann.ask({ tags }));
  await ann.answer(questions[0]!);
  const members = [ann, bob] as const;
  const whole = { min: 0, max: 5 };
  const change = fc.record({
    what: fc.constantFrom(...Object.keys(changes)),
    by: fc.nat(1),
    node: fc.nat(1),
    pick: fc.integer(whole),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 8, maxLength: 12 }), async (list) => {
      await plain.resetRateLimits();
      for (const { what, by, node, pick } of list) {
        const member = members[by]!;
        await changes[what]!(nodes[node]!.browserOf(member), questions, pick);
        // The writer sees the change on every node, other members see it on the node where it was written.
        const id = questions[pick % questions.length] ?? 0;
        await expectPages(nodes, member, id, pick);
        await expectPages([nodes[node]!], members[1 - by]!, id, pick);
      }
      await waitForEvents();
      for (const member of members) await expectPages(nodes, member, questions.at(-1) ?? 0, list.length);
    }),
    { numRuns: 4, endOnFailure: true },
  );
  // Thousands of requests.
}, 300_000);

/** Every change that affects a question's page, a feed or a tag. A refusal changes nothing and is ignored. */
const changes: Record<string, (member: Member, questions: number[], pick: number) => Promise<unknown>> = {
  async ask(member, questions, pick) {
    questions.push(await member.ask({ title: `Question ${pick}?`, tags: pick % 2 === 0 ? ['bread'] : [] }));
  },
  answer: (member, questions, pick) =>
    member.post(`/questions/${at(questions, pick)}/answers`, { content: 'So.' }),
  comment: (member, questions, pick) =>
    member.post(`/questions/${at(questions, pick)}/replies`, { content: 'Hm.' }),
  view: (member, questions, pick) => member.put(`/questions/${at(questions, pick)}/view`),
  vote: (member, questions, pick) =>
    member.put(`/questions/${at(questions, pick)}/vote`, { vote: pick % 3 === 0 ? 'down' : 'up' }),
  unvote: (member, questions, pick) => member.put(`/questions/${at(questions, pick)}/vote`, { vote: null }),
  follow: (member, questions, pick) =>
    member.put(`/questions/${at(questions, pick)}/follow`, { following: pick % 2 === 0 }),
  bookmark: (member, questions, pick) =>
    member.put(`/questions/${at(questions, pick)}/bookmark`, { bookmarked: pick % 2 === 0 }),
  mute: (member, questions, pick) =>
    member.put(`/questions/${at(questions, pick)}/mute`, { muted: pick % 2 === 0 }),
  followTopic: (member, _, pick) => member.put('/tags/bread/follow', { following: pick % 2 === 0 }),
  muteTopic: (member, _, pick) => member.put('/tags/bread/mute', { muted: pick % 2 === 0 }),
  rename: (member, _, pick) =>
    member.put('/settings', { displayName: `${member.name} ${pick}`, bio: '', showEmail: false }),
  edit: (member, questions, pick) =>
    member.put(`/questions/${at(questions, pick)}`, {
      title: `Edited ${pick}`,
      content: 'Anew.',
      tags: pick % 2 === 0 ? ['rye', 'bread'] : [],
    }),
  async remove(member, questions, pick) {
    const { status } = await member.delete(`/questions/${at(questions, pick)}`);
    if (status === 204) questions.splice(pick % questions.length, 1);
    if (questions.length === 0) questions.push(await member.ask());
  },
  voteAnswer: withAnswer((member, { id }, pick) =>
    member.put(`/answers/${id}/vote`, { vote: pick % 2 === 0 ? 'up' : null }),
  ),
  bookmarkAnswer: withAnswer((member, { id }, pick) =>
    member.put(`/answers/${id}/bookmark`, { bookmarked: pick % 2 === 0 }),
  ),
  reply: withAnswer((member, { id }) => member.post(`/answers/${id}/replies`, { content: 'Oh.' })),
  voteReply: withAnswer(async (member, { replies }) => {
    const [reply] = replies.items;
    if (reply !== undefined) await member.put(`/replies/${reply.id}/vote`, { vote: 'up' });
  }),
  removeReply: withAnswer(async (member, { replies }) => {
    const [reply] = replies.items;
    if (reply !== undefined) await member.delete(`/replies/${reply.id}`);
  }),
  editAnswer: withAnswer((member, { id }, pick) =>
    member.put(`/answers/${id}`, { content: `Anew ${pick}.` }),
  ),
  removeAnswer: withAnswer((member, { id }) => member.delete(`/answers/${id}`)),
  accept: withAnswer((member, { id, questionId }, pick) =>
    member.put(`/questions/${questionId}/accepted-answer`, { answerId: pick % 2 === 0 ? id : null }),
  ),
};

type AnyAnswer = QuestionPageData['answers']['items'][number];

function withAnswer(work: (member: Member, answer: AnyAnswer, pick: number) => Promise<unknown>) {
  return async (member: Member, questions: number[], pick: number) => {
    const { answers } = await member.read(at(questions, pick));
    const answer = answers.items[pick % 2] ?? answers.items[0];
    if (answer !== undefined) await work(member, answer, pick);
  };
}

const at = (questions: readonly number[], pick: number) => questions[pick % questions.length] ?? 0;

/** Expects that documents and what a member sees on them, from nodes and again from their caches, are as in the database. */
async function expectPages(
  from: readonly CachingNode[],
  member: Member,
  id: number,
  pick: number,
): Promise<void> {
  const muted = pick % 2 === 0 ? 'hide' : 'show';
  const question = `/questions/${id}?sort=${sorts[pick % sorts.length]}`;
  const feed = `/feeds/${feeds[pick % feeds.length]}`;
  const tags = `/tags?sort=${tagSorts[pick % tagSorts.length]}`;
  const tag = '/tags/bread';
  const documents = [question, feed, tags, tag, `${tag}/questions`];
  const viewerParts = [question, `${feed}?muted=${muted}`, tags, tag, `${tag}/questions`].map(
    (path) => `/viewer${path}`,
  );
  // Searches take longest, so they run only every third time.
  if (pick % 3 === 0) documents.push(`/search?q=anew&in=${pick % 2 === 0 ? 'questions' : 'answers'}`);
  const answersTo = async (caller: Member, paths: readonly string[]) => {
    const answers = await Promise.all(paths.map((path) => caller.get(path)));
    return answers.map(({ status, body }, index) => ({ path: paths[index], status, body }));
  };
  const expected = await answersTo(member, [...documents, ...viewerParts]);
  for (const node of from) {
    const browser = node.browserOf(member);
    expect(await answersTo(browser, [...documents, ...viewerParts])).toEqual(expected);
    // Viewer parts are never cached.
    expect(await answersTo(browser, documents)).toEqual(expected.slice(0, documents.length));
  }
}

test('two hundred concurrent requests for a changed page cause one read', async () => {
  const id = await ann.ask();
  const readers = [here.browserOf(ann), here.browserOf(bob)];
  for (const reader of readers) await reader.read(id);
  await readers[0]!.vote('questions', id, 'up');
  const before = readCount(here);
  const pages = await Promise.all(Array.from({ length: 200 }, (_, n) => readers[n % 2]!.read(id)));
  expect(new Set(pages.map((page) => page.question.upvotes))).toEqual(new Set([1]));
  // The event of the vote may invalidate the page once more meanwhile.
  expect(readCount(here) - before).toBeLessThanOrEqual(2);
  await waitForEvents();
  await readers[0]!.read(id);
  const settled = readCount(here);
  for (const reader of readers) await reader.read(id);
  expect(readCount(here)).toBe(settled);
});

test('views, visits and votes of the viewer do not make a document stale', async () => {
  const id = await ann.ask();
  const readers = [];
  for (const name of ['Cy', 'Dee', 'Eve']) readers.push(here.browserOf(await plain.register(name)));
  await waitForEvents();
  for (const reader of readers) for (const feed of feeds) await reader.feed(feed);
  await readers[0]!.read(id);
  const before = readCount(here);
  for (const [views, reader] of readers.entries()) {
    expect(await reader.read(id)).toMatchObject({ visitedAt: null, question: { views } });
    expect((await reader.feed('recent')).items[0]).toMatchObject({ id, views });
    await reader.put(`/questions/${id}/view`);
    await reader.bookmark('questions', id);
    await waitForEvents();
    const { question, visitedAt } = await reader.read(id);
    expect(question).toMatchObject({ views: views + 1, bookmarked: true });
    expect(visitedAt).not.toBeNull();
  }
  expect(readCount(here)).toBe(before);
});

test('a repeated search comes from the cache until a matching post changes', async () => {
  const id = await ann.ask({ title: 'Is a sponge starter any good?' });
  const unlike = await bob.ask();
  await waitForEvents();
  const [anns, bobs] = [here.browserOf(ann), here.browserOf(bob)];
  const ask = async (reader: Member) => {
    const { body } = await reader.get<SearchResults>('/search?q=sponge%20starter');
    return body.questions.map((question) => [question.id, question.views]);
  };
  for (const reader of [anns, bobs]) expect(await ask(reader)).toEqual([[id, 0]]);
  const before = readCount(here);
  await bobs.put(`/questions/${unlike}/view`);
  await waitForEvents();
  for (const reader of [anns, bobs]) expect(await ask(reader)).toEqual([[id, 0]]);
  expect(readCount(here)).toBe(before);
  await bobs.put(`/questions/${id}/view`);
  await waitForEvents();
  expect(await ask(anns)).toEqual([[id, 1]]);
  const other = await bob.ask({ title: 'Does a sponge starter rise twice?' });
  await eventually(async () => (await ask(anns)).length === 2);
  await bobs.vote('questions', other, 'up');
  await waitForEvents();
  expect((await ask(anns))[0]).toEqual([other, 0]);
});

test('a repeated search for questions becomes stale when an answer is edited', async () => {
  const id = await ann.ask({ title: 'Which quoin wedge pinch?' });
  const other = await ann.ask({ title: 'How warm?' });
  const answer = await bob.answer(other, 'Nothing.');
  const [anns, bobs] = [here.browserOf(ann), here.browserOf(bob)];
  await waitForEvents();
  const ask = async (reader: Member) => {
    const { body } = await reader.get<SearchResults>('/search?q=quoin%20wedge%20pinch');
    return body.questions.map((question) => question.id);
  };
  for (const reader of [anns, bobs]) expect(await ask(reader)).toEqual([id]);
  expectOk(await bobs.put(`/answers/${answer.id}`, { content: 'A quoin wedge pinch.' }));
  await waitForEvents();
  expect(await ask(bobs)).toEqual([id, other]);
  expectOk(await bobs.put(`/answers/${answer.id}`, { content: 'Nothing.' }));
  await waitForEvents();
  expect(await ask(bobs)).toEqual([id]);
});

test('restoring a question leaves the documents of others in the cache', async () => {
  const [hidden, other] = [await ann.ask(), await bob.ask()];
  const answer = await ann.answer(other);
  const moderator = await plain.register('Olga');
  await setRole(plain.db, { email: moderator.email, role: 'moderator' });
  const reader = here.browserOf(bob);
  expectOk(await actOnPost(here.browserOf(moderator), 'hide', 'question', hidden));
  await waitForEvents();
  await reader.read(other);
  const before = readCount(here);
  await reader.read(other);
  expect(readCount(here)).toBe(before);
  expectOk(await actOnPost(here.browserOf(moderator), 'restore', 'question', hidden));
  await waitForEvents();
  expect((await reader.read(other)).answers.items).toMatchObject([{ id: answer.id }]);
  expect(readCount(here)).toBe(before);
  for (const pick of [0, 1, 2, 3]) await expectPages(nodes, bob, hidden, pick);
});

test('members see their own writes on a node that lags behind, and nothing stale when it receives no events', async () => {
  const id = await ann.ask();
  await waitForEvents();
  for (const member of [ann, bob]) await there.browserOf(member).read(id);
  const hearAgain = await there.pauseEvents();
  await here.browserOf(ann).vote('questions', id, 'up');
  expect((await there.browserOf(ann).read(id)).question).toMatchObject({ upvotes: 1, myVote: 'up' });
  expect((await there.browserOf(bob).read(id)).question.upvotes).toBe(0);
  await eventually(() => !there.stream.isUpToDate());
  expect((await there.browserOf(bob).read(id)).question.upvotes).toBe(1);
  hearAgain();
  await eventually(() => there.stream.isUpToDate());
  expect((await there.browserOf(bob).read(id)).question.upvotes).toBe(1);
});

test('a session that ends on one node ends on all', async () => {
  const id = await ann.ask();
  const phone = await ann.signInElsewhere();
  for (const node of nodes) for (let n = 0; n < 2; n++) await node.browserOf(phone).read(id);
  expect((await here.browserOf(ann).delete('/sessions')).status).toBe(204);
  const path = `/questions/${id}`;
  expect((await here.browserOf(phone).get(path)).status).toBe(401);
  await eventually(async () => (await there.browserOf(phone).get(path)).status === 401);
  expect((await here.browserOf(ann).get(path)).status).toBe(200);
});

test('every document has the same bytes for two members, and only the fields of its schema', async () => {
  const id = await ann.ask({ tags: ['yeast', 'bread'] });
  const answer = await bob.answer(id);
  const reply = await ann.replyToAnswer(answer.id);
  for (const member of [bob, ann]) {
    await member.vote('questions', id, 'up');
    await member.put(`/questions/${id}/view`);
    await member.put(`/questions/${id}/follow`, { following: true });
    await member.put('/tags/yeast/follow', { following: true });
  }
  await bob.vote('replies', reply.id, 'up');
  await ann.vote('answers', answer.id, 'up');
  await bob.bookmark('questions', id);
  await bob.bookmark('answers', answer.id);
  await bob.mute(`questions/${id}`);
  await bob.mute('tags/bread');
  await waitForEvents();
  const listed = { cards: questionCardsDocument, tags: tagsDocument };
  const documents: Record<string, z.ZodObject> = {
    ...Object.fromEntries(sorts.map((sort) => [`/questions/${id}?sort=${sort}`, questionDocument])),
    ...Object.fromEntries(feeds.map((feed) => [`/feeds/${feed}`, listed.cards])),
    ...Object.fromEntries(tagSorts.map((sort) => [`/tags?sort=${sort}`, listed.tags])),
    '/tags?q=bre': listed.tags,
    '/tags/bread': tagDocument,
    '/tags/bread/questions': listed.cards,
  };
  for (const [path, schema] of Object.entries(documents))
    for (const { address: server } of nodes) {
      const [anns, bobs] = [
        await bytesAt(`${server}/api${path}`, ann),
        await bytesAt(`${server}/api${path}`, bob),
      ];
      expect(anns.status).toBe(200);
      expect(bobs).toEqual(anns);
      const content: unknown = JSON.parse(anns.bytes.toString());
      // The schema drops fields that it does not have.
      expect(schema.parse(content)).toEqual(content);
    }
  await bob.mute('tags/bread', false);
});

test('responds 304 without a body to the ETag of a document, until it changes', async () => {
  const id = await ann.ask();
  await waitForEvents();
  const path = `/questions/${id}?sort=newest`;
  const reader = here.browserOf(bob);
  for (let n = 0; n < 2; n++) {
    const tag = (await reader.get(path)).headers.get('etag') ?? '';
    expect((await reader.send('GET', path, { headers: { 'if-none-match': `W/${tag}` } })).status).toBe(304);
    await here.browserOf(ann).vote('questions', id, n === 0 ? 'up' : 'down');
    await waitForEvents();
    expect((await reader.send('GET', path, { headers: { 'if-none-match': tag } })).status).toBe(200);
  }
});

test('a cached response has the headers and bytes of an uncached one, compressed or not', async () => {
  const content = 'Where is the flour? 🌾 '.repeat(90);
  const id = await ann.ask({ content });
  // Short responses are never compressed.
  for (let n = 0; n < 5; n++) await bob.ask({ content });
  await bob.vote('questions', id, 'up');
  await waitForEvents();
  for (const member of [ann, bob])
    for (const path of [`/questions/${id}?sort=newest`, '/feeds/recent'])
      for (const encoding of ['identity', 'gzip;q=0', 'gzip, br']) {
        here.caches.clear();
        const ask = () => bytesAt(`${here.address}/api${path}`, here.browserOf(member), encoding);
        const [fresh, fromCache] = [await ask(), await ask()];
        expect(fromCache).toEqual(fresh);
        expect(fromCache.headers['content-encoding']).toBe(encoding === 'gzip, br' ? 'gzip' : undefined);
        const text = encoding === 'gzip, br' ? gunzipSync(fromCache.bytes) : fromCache.bytes;
        expect(JSON.parse(text.toString())).toEqual((await member.get(path)).body);
      }
});

test('a cached response is not sent to an API token that may not read it, also beside a cookie', async () => {
  const id = await ann.ask();
  const path = `/questions/${id}?sort=newest`;
  const { token } = await createToken(ann, ['lists']);
  await waitForEvents();
  const browser = here.browserOf(ann);
  const send = (authorization: string) => browser.send('GET', path, { headers: { authorization } });
  // Cached for the session.
  for (let n = 0; n < 2; n++) expectOk(await browser.get(path));
  expect(await send(`Bearer ${token}`)).toMatchObject({ status: 403, code: 'api-token-scope-missing' });
  expect(await send('Bearer parley_revoked')).toMatchObject({ status: 401 });
  expect(await send('Basic cHJveHk6cHJveHk=')).toMatchObject({ status: 200 });
});

/** Raw response bytes, which `fetch` would decompress, without headers that always differ. */
async function bytesAt(url: string, { cookies }: Member, encoding = 'identity') {
  const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
  const expected = request(url, { headers: { cookie, 'accept-encoding': encoding } }).end();
  const [answer] = (await once(expected, 'response')) as [IncomingMessage];
  // Cached responses are not logged and have no request id.
  const { date, [positionHeader]: position, 'x-request-id': _, ...headers } = answer.headers;
  expect([date, position]).toEqual([expect.any(String), expect.stringMatching(/^\d+\./)]);
  return { status: answer.statusCode, headers, bytes: Buffer.concat(await answer.toArray()) };
}

test('the cache stays within its memory limit', async () => {
  const maxBytes = 60_000;
  const small = await startCachingNode(plain.database, maxBytes);
  try {
    const reader = small.browserOf(ann);
    for (let n = 0; n < 20; n++) {
      const id = await ann.ask({ content: 'Flour. '.repeat(280) });
      await reader.read(id);
      expect(small.caches.responses.bytes).toBeLessThanOrEqual(maxBytes);
    }
    expect(small.caches.responses.bytes).toBeGreaterThan(maxBytes / 4);
    expect((await reader.feed('recent')).items).toHaveLength(20);
  } finally {
    await small.stop();
  }
});
