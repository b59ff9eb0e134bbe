import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { startCachingNode, type CachingNode } from '#tests/support/caching-node.ts';
import { expectOk, type Member } from '#tests/support/member.ts';
import { eventually } from '#tests/support/parley.ts';
import { startTestServer } from '#tests/support/server.ts';
import { positionHeader } from '#shared/core/events.ts';
import type { FeedPage } from '#shared/engagement/mutes.ts';
import type { QuestionPage } from '#shared/posts/questions.ts';
import type { SearchResults } from '#shared/discovery/search.ts';

/** Asks the database each time. */
const plain = await startTestServer();
/** Two that keep pages, on the same database. */
const nodes = [await startCachingNode(plain.database), await startCachingNode(plain.database)] as const;
afterAll(async () => {
  await Promise.all(nodes.map((node) => node.stop()));
  await plain.stop();
});
const [here, there] = nodes;
const ann = await plain.register('Ann');
const bob = await plain.register('Bob');
beforeEach(() => plain.resetRateLimits());

/** All that both nodes wrote, both have heard of. */
async function allHeard(): Promise<void> {
  for (const { caches } of nodes) {
    const token = caches.responses.writes.createToken();
    await eventually(() => nodes.every((node) => node.caches.responses.writes.hasSeen(token)));
  }
}

const made = (node: CachingNode) => node.caches.responses.pagesRead;

const feeds = ['recent', 'popular', 'unanswered'] as const;
const topicSorts = ['popular', 'alphabetical', 'active'] as const;
const sorts = ['newest', 'helpful', 'oldest'] as const;

test('what is kept is what the database says, to whoever wrote at once on every node, after any changes', async () => {
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
        // Whoever wrote, wherever they look; and everybody where it was written.
        const id = questions[pick % questions.length] ?? 0;
        for (const each of nodes) {
          const [read, kept, asked] = await pages(each, member, id, pick);
          expect([read, kept]).toEqual([asked, asked]);
        }
        const [read, kept, asked] = await pages(nodes[node]!, members[1 - by]!, id, pick);
        expect([read, kept]).toEqual([asked, asked]);
      }
      await allHeard();
      for (const node of nodes)
        for (const member of members) {
          const [read, kept, asked] = await pages(node, member, questions.at(-1) ?? 0, list.length);
          expect([read, kept]).toEqual([asked, asked]);
        }
    }),
    { numRuns: 6, endOnFailure: true },
  );
});

/** Everything that changes what a question's page, a feed or a topic shows. A refusal changes nothing, and is none here. */
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
  keep: (member, questions, pick) =>
    member.put(`/questions/${at(questions, pick)}/bookmark`, { bookmarked: pick % 2 === 0 }),
  mute: (member, questions, pick) =>
    member.put(`/questions/${at(questions, pick)}/mute`, { muted: pick % 2 === 0 }),
  followTopic: (member, _, pick) => member.put('/topics/bread/follow', { following: pick % 2 === 0 }),
  muteTopic: (member, _, pick) => member.put('/topics/bread/mute', { muted: pick % 2 === 0 }),
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
  keepAnswer: withAnswer((member, { id }, pick) =>
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

type AnyAnswer = QuestionPage['answers']['items'][number];

function withAnswer(work: (member: Member, answer: AnyAnswer, pick: number) => Promise<unknown>) {
  return async (member: Member, questions: number[], pick: number) => {
    const { answers } = await member.read(at(questions, pick));
    const answer = answers.items[pick % 2] ?? answers.items[0];
    if (answer !== undefined) await work(member, answer, pick);
  };
}

const at = (questions: readonly number[], pick: number) => questions[pick % questions.length] ?? 0;

/** Pages as a node gives them, again as it kept them if it did, and as they are in the database. */
async function pages(node: CachingNode, member: Member, id: number, pick: number) {
  const muted = pick % 2 === 0 ? 'hide' : 'show';
  const paths = [
    `/questions/${id}?sort=${sorts[pick % sorts.length]}`,
    `/feeds/${feeds[pick % feeds.length]}?muted=${muted}`,
    `/topics?sort=${topicSorts[pick % topicSorts.length]}`,
    '/topics/bread',
    '/topics/bread/questions',
    // The most work of all: not each time.
    ...(pick % 3 === 0 ? [`/search?q=anew&in=${pick % 2 === 0 ? 'questions' : 'answers'}`] : []),
  ];
  const answersTo = async (caller: Member) => {
    const answers = await Promise.all(paths.map((path) => caller.get(path)));
    return answers.map(({ status, body }, index) => ({ path: paths[index], status, body }));
  };
  const browser = node.browserOf(member);
  return [await answersTo(browser), await answersTo(browser), await answersTo(member)] as const;
}

test('two hundred who ask for a page that has changed have it read once', async () => {
  const id = await ann.ask();
  const readers = [here.browserOf(ann), here.browserOf(bob)];
  for (const reader of readers) await reader.read(id);
  await readers[0]!.vote('questions', id, 'up');
  const before = made(here);
  const pages = await Promise.all(Array.from({ length: 200 }, (_, n) => readers[n % 2]!.read(id)));
  expect(new Set(pages.map((page) => page.question.upvotes))).toEqual(new Set([1]));
  // The stream may tell of the vote once more meanwhile.
  expect(made(here) - before).toBeLessThanOrEqual(2);
  await allHeard();
  await readers[0]!.read(id);
  const settled = made(here);
  for (const reader of readers) await reader.read(id);
  expect(made(here)).toBe(settled);
});

test('who did nothing on a page gets it from memory, whoever opens it meanwhile', async () => {
  const id = await ann.ask();
  await bob.vote('questions', id, 'up');
  const readers = [];
  for (const name of ['Cy', 'Dee', 'Eve', 'Fay']) readers.push(here.browserOf(await plain.register(name)));
  const [cy, dee, eve, fay] = readers as [Member, Member, Member, Member];
  await allHeard();
  // The first has it made, the second has it learned who has anything of their own on it.
  for (const reader of [cy, dee]) await reader.read(id);
  const { pagesRead, viewerReads } = here.caches.responses;
  for (const [views, reader] of [eve, fay, cy].entries()) {
    expect(await reader.read(id)).toMatchObject({ visitedAt: null, question: { views, upvotes: 1 } });
    await reader.put(`/questions/${id}/view`);
    await allHeard();
    expect((await dee.read(id)).question).toMatchObject({ views: views + 1, myVote: null });
  }
  expect(here.caches.responses).toMatchObject({ pagesRead, viewerReads });
  // Whoever has something there is asked for.
  expect((await cy.read(id)).visitedAt).not.toBeNull();
  expect((await here.browserOf(bob).read(id)).question.myVote).toBe('up');
  expect(here.caches.responses.viewerReads).toBe(viewerReads + 2);
});

test('a search that comes again is answered from memory, until a post may be among what it finds', async () => {
  const id = await ann.ask({ title: 'Is a sponge starter any good?' });
  const unlike = await bob.ask();
  await allHeard();
  const [anns, bobs] = [here.browserOf(ann), here.browserOf(bob)];
  const ask = async (reader: Member) => {
    const { body } = await reader.get<SearchResults>('/search?q=sponge%20starter');
    return body.questions.map((question) => [question.id, question.views]);
  };
  for (const reader of [anns, bobs]) expect(await ask(reader)).toEqual([[id, 0]]);
  const before = made(here);
  await bobs.put(`/questions/${unlike}/view`);
  await allHeard();
  for (const reader of [anns, bobs]) expect(await ask(reader)).toEqual([[id, 0]]);
  expect(made(here)).toBe(before);
  await bobs.put(`/questions/${id}/view`);
  await allHeard();
  expect(await ask(anns)).toEqual([[id, 1]]);
  const other = await bob.ask({ title: 'Does a sponge starter rise twice?' });
  await eventually(async () => (await ask(anns)).length === 2);
  await bobs.vote('questions', other, 'up');
  await allHeard();
  expect((await ask(anns))[0]).toEqual([other, 0]);
});

test('members see what they wrote on a node that has not heard of it, and nobody sees anything old once it hears nothing', async () => {
  const id = await ann.ask();
  await allHeard();
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

test('a session that is ended on one node has ended on all', async () => {
  const id = await ann.ask();
  const phone = await ann.signInElsewhere();
  for (const node of nodes) for (let n = 0; n < 2; n++) await node.browserOf(phone).read(id);
  expect((await here.browserOf(ann).delete('/sessions')).status).toBe(204);
  const path = `/questions/${id}`;
  expect((await here.browserOf(phone).get(path)).status).toBe(401);
  await eventually(async () => (await there.browserOf(phone).get(path)).status === 401);
  expect((await here.browserOf(ann).get(path)).status).toBe(200);
});

test('a member never gets what is another one’s own, whatever tag they send', async () => {
  const id = await ann.ask();
  await bob.vote('questions', id, 'up');
  await allHeard();
  const path = `/questions/${id}`;
  const [anns, bobs] = [here.browserOf(ann), here.browserOf(bob)];
  for (let n = 0; n < 2; n++) {
    const first = await bobs.get<QuestionPage>(path);
    const tag = first.headers.get('etag') ?? '';
    expect(first.body.question.myVote).toBe('up');
    expect(await anns.send('GET', path, { headers: { 'if-none-match': tag } })).toMatchObject({
      status: 200,
      body: { question: { myVote: null } },
    });
    expect((await bobs.send('GET', path, { headers: { 'if-none-match': `W/${tag}` } })).status).toBe(304);
  }
  await bobs.put(`/questions/${id}/view`);
  expect((await bobs.read(id)).visitedAt).not.toBe((await anns.read(id)).visitedAt);
});

test('an answer that is kept has the headers and bytes of one that was made, compressed or not', async () => {
  const content = 'Where is the flour? 🌾 '.repeat(90);
  const id = await ann.ask({ content });
  // What is short is never compressed.
  for (let n = 0; n < 5; n++) await bob.ask({ content });
  await bob.vote('questions', id, 'up');
  // Feeds without what is muted are made for their member.
  for (const member of [ann, bob]) await member.mute('topics/bread', false);
  await allHeard();
  for (const member of [ann, bob])
    for (const path of [`/questions/${id}`, '/feeds/recent'])
      for (const encoding of ['identity', 'gzip;q=0', 'gzip, br']) {
        here.caches.clear();
        const ask = () => bytesAt(`${here.address}/api${path}`, here.browserOf(member), encoding);
        const [fresh, kept] = [await ask(), await ask()];
        expect(kept).toEqual(fresh);
        expect(kept.headers['content-encoding']).toBe(encoding === 'gzip, br' ? 'gzip' : undefined);
        const text = encoding === 'gzip, br' ? gunzipSync(kept.bytes) : kept.bytes;
        expect(JSON.parse(text.toString())).toEqual((await member.get(path)).body);
      }
});

/** An answer as it comes, which `fetch` would unpack, without what differs from moment to moment. */
async function bytesAt(url: string, { cookies }: Member, encoding: string) {
  const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
  const asked = request(url, { headers: { cookie, 'accept-encoding': encoding } }).end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  // What is answered from memory is not logged: it needs no number.
  const { date, [positionHeader]: position, 'x-request-id': _, ...headers } = answer.headers;
  expect([date, position]).toEqual([expect.any(String), expect.stringMatching(/^\d+\./)]);
  return { status: answer.statusCode, headers, bytes: Buffer.concat(await answer.toArray()) };
}

test('what is kept takes no more memory than it may', async () => {
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
    expect(expectOk(await reader.get<FeedPage>('/feeds/recent')).items).toHaveLength(20);
  } finally {
    await small.stop();
  }
});
