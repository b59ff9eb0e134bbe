import { sql } from 'kysely';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setRole } from '#server/admin/roles.ts';
import { setSiteSetting } from '#tests/support/site-settings.ts';
import { questionPath } from '#shared/posts/question-paths.ts';
import { atomFeed, parseXml, rssFeed, sitemap, sitemapIndex } from '#tests/support/feed-rules.ts';
import { expectOk, type Member } from '#tests/support/member.ts';
import { actOnPost } from '#tests/support/moderation.ts';
import { eventually } from '#tests/support/parley.ts';
import { startTestServer } from '#tests/support/server.ts';

const origin = 'https://ask.example.org';
const server = await startTestServer({ publicUrl: origin });
afterAll(() => server.stop());
let ann: Member;
let bob: Member;

const get = async (path: string, headers: Record<string, string> = {}) => {
  const response = await fetch(server.address + path, { headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
};

async function setPublicReading(on: boolean): Promise<void> {
  await setSiteSetting(server.db, 'publicReading', on);
  await eventually(async () => (await get('/robots.txt')).text.includes('Sitemap') === on);
}

/** Without the files that the server has stored: a second server has none. */
async function getFresh(path: string): Promise<string> {
  const other = await server.startSecondNode({ publicUrl: origin });
  const response = await fetch(other.address + path);
  const text = await response.text();
  await other.stop();
  expect(response.status).toBe(200);
  return text;
}

beforeAll(async () => {
  [ann, bob] = await server.registerAll('Ann', 'Bob <b>');
  await setPublicReading(true);
});

describe('a feed', () => {
  test('lists questions with their texts as HTML, newest first, valid as Atom and RSS', async () => {
    const title = 'Is 1 < 2 & "so"? \u202E';
    const content =
      'See [this](https://example.org/a?b=1&c=2), [that](javascript:alert(1)) and [@Bob](/profile/7).\n' +
      'New line <script>alert(1)</script> ![A picture](https://example.org/p.png)\n\n```js\nif (a < b) {}\n```\n\n- [x] done ]]>';
    const id = await ann.ask({ title, content, tags: ['Feeds', 'a & b'] });
    const later = await bob.ask({ title: '水は何度で沸騰しますか？', tags: ['feeds'] });
    const { feed } = atomFeed.parse(parseXml(await getFresh('/feeds/topics/feeds.atom')));
    expect(feed.title).toBe('Questions about Feeds · Parley');
    expect(feed.entry.map((entry) => entry.id)).toEqual([
      `${origin}/question/${later}`,
      `${origin}/question/${id}`,
    ]);
    const [, entry] = feed.entry;
    expect(entry).toMatchObject({
      title,
      link: [{ '@href': `${origin}/question/${id}/is-1-2-so` }],
      author: { name: 'Ann', uri: `${origin}/profile/${ann.id}` },
      category: [{ '@term': 'Feeds' }, { '@term': 'a & b' }],
    });
    expect(entry?.content['#text']).toBe(
      '<p>See <a href="https://example.org/a?b=1&#x26;c=2" rel="nofollow ugc noopener">this</a>, ' +
        '[that](javascript:alert(1)) and ' +
        `<a href="${origin}/profile/7" rel="nofollow ugc noopener">@Bob</a>.<br>New line &#x3C;script>alert(1)&#x3C;/script> ` +
        '<a href="https://example.org/p.png" rel="nofollow ugc noopener">A picture</a></p>' +
        '<pre><code>if (a &#x3C; b) {}\n</code></pre><ul><li>☑ done ]]></li></ul>',
    );
    const { rss } = rssFeed.parse(parseXml(await getFresh('/feeds/topics/FEEDS.rss')));
    expect(rss.channel.item.map(({ link }) => link)).toEqual(
      feed.entry.map((each) => each.link[0]?.['@href']),
    );
    expect(rss.channel.item[1]?.description).toBe(entry?.content['#text']);
  });

  test('shows a picture inside emphasis inside a link as text of this link', async () => {
    const content = '[*![A map](https://example.org/map.png)*](https://example.org)';
    const id = await ann.ask({ title: 'Where is it?', content });
    const { feed } = atomFeed.parse(parseXml(await getFresh(`/feeds/question/${id}.atom`)));
    expect(feed.entry[0]?.content['#text']).toBe(
      '<p><a href="https://example.org/" rel="nofollow ugc noopener"><em>A map</em></a></p>',
    );
  });

  test.each([
    '</description>]]><x>',
    '\uFFFE\u{1FFFF} &#0; &amp;amp;',
    '['.repeat(3000),
    `${'> '.repeat(500)}deep`,
    '*a_ '.repeat(4000),
    '<!--<!DOCTYPE x [<!ENTITY y "z">]>-->&y;',
  ])('stays well-formed with the text %j', async (hostile) => {
    const id = await bob.ask({ title: 'Hostile' });
    await ann.answer(id, `x${hostile}`);
    const { feed } = atomFeed.parse(parseXml(await getFresh(`/feeds/question/${id}.atom`)));
    expect(feed.entry).toHaveLength(2);
  });

  test('of a question has its answers, of a member the questions and answers', async () => {
    const id = await bob.ask({ title: 'What now?' });
    const answer = await ann.answer(id, 'Now **this**');
    const answerId = `${origin}/question/${id}#answer-${answer.id}`;
    const { feed } = atomFeed.parse(parseXml(await getFresh(`/feeds/question/${id}.atom`)));
    expect(feed.entry.map((entry) => [entry.id, entry.title])).toEqual([
      [answerId, 'Answer to "What now?"'],
      [`${origin}/question/${id}`, 'What now?'],
    ]);
    expect(feed.entry[0]?.link[0]?.['@href']).toBe(`${origin}/question/${id}/what-now#answer-${answer.id}`);
    const own = atomFeed.parse(parseXml(await getFresh(`/feeds/profile/${ann.id}.atom`))).feed.entry;
    expect(own[0]?.id).toBe(answerId);
    expect(own.every(({ author }) => author.name === 'Ann')).toBe(true);
    const unanswered = atomFeed.parse(parseXml(await getFresh('/feeds/unanswered.atom'))).feed.entry;
    expect(unanswered.map((entry) => entry.id)).not.toContain(`${origin}/question/${id}`);
    expect((await get('/feeds/recent.rss')).text).not.toContain(ann.email);
  });

  test('can be revalidated by ETag and by time, and stored by shared caches', async () => {
    await ann.ask();
    const { headers, text } = await get('/feeds/recent.atom');
    expect(headers.get('content-type')).toBe('application/atom+xml; charset=utf-8');
    expect(headers.get('cache-control')).toBe('public, max-age=0, s-maxage=25');
    expect(headers.get('set-cookie')).toBeNull();
    const [etag, modified] = [headers.get('etag') ?? '', headers.get('last-modified') ?? ''];
    expect(await get('/feeds/recent.atom', { 'if-none-match': `"x", W/${etag}` })).toMatchObject({
      status: 304,
      text: '',
    });
    expect((await get('/feeds/recent.atom', { 'if-modified-since': modified })).status).toBe(304);
    const earlier = { 'if-modified-since': new Date(Date.parse(modified) - 1_000).toUTCString() };
    expect(await get('/feeds/recent.atom', earlier)).toMatchObject({ status: 200, text });
    expect((await get('/feeds/recent.atom', { 'accept-encoding': 'identity' })).text).toBe(text);
    expect((await get('/feeds/recent.rss', { 'if-none-match': etag })).status).toBe(200);
  });

  test('of something that does not exist is not found, and of a deleted question gone', async () => {
    const deleted = await ann.ask();
    await ann.remove('questions', deleted);
    const statuses = {
      [`/feeds/question/${deleted}.atom`]: 410,
      '/feeds/question/987654321.rss': 404,
      '/feeds/profile/987654321.atom': 404,
      '/feeds/topics/no-such-topic.atom': 404,
      '/feeds/topics/%00.atom': 404,
      '/feeds/topics/%E0%A4%A.atom': 404,
      '/feeds/recent.json': 404,
      '/feeds/recent': 404,
      '/feeds/question/0.atom': 404,
      '/feeds/question/99999999999999999999.atom': 404,
    };
    const found: Record<string, number> = {};
    for (const path of Object.keys(statuses)) found[path] = (await get(path)).status;
    expect(found).toEqual(statuses);
  });
});

describe('the sitemaps', () => {
  const addresses = async (name: string) =>
    sitemap.parse(parseXml(await getFresh(`/sitemaps/${name}.xml`))).urlset.url.map(({ loc }) => loc);

  test('list visible questions, topics and authors with their canonical addresses', async () => {
    const title = 'Was ist größer & schöner? 水';
    const [shown, hidden, deleted] = [
      await ann.ask({ title, tags: ['größer & mehr'] }),
      await ann.ask({ title: 'Hidden title', tags: ['hidden topic'] }),
      await ann.ask(),
    ];
    await ann.remove('questions', deleted);
    const moderator = await server.register('Maud');
    await setRole(server.db, { email: moderator.email, role: 'moderator' });
    expectOk(await actOnPost(moderator, 'hide', 'question', hidden));
    const index = sitemapIndex.parse(parseXml(await getFresh('/sitemap.xml')));
    expect(index.sitemapindex.sitemap.map(({ loc }) => loc)).toEqual([
      `${origin}/sitemaps/questions-1.xml`,
      `${origin}/sitemaps/topics-1.xml`,
      `${origin}/sitemaps/members-1.xml`,
    ]);
    const questions = await addresses('questions-1');
    expect(questions).toContain(origin + questionPath(shown, title));
    expect(questions.join()).not.toMatch(new RegExp(`/question/(${hidden}|${deleted})\\b`, 'u'));
    const topics = await addresses('topics-1');
    expect(topics).toContain(`${origin}/topics/${encodeURIComponent('größer & mehr')}`);
    expect(topics).not.toContain(`${origin}/topics/hidden%20topic`);
    const members = await addresses('members-1');
    expect(members).toContain(`${origin}/profile/${ann.id}`);
    expect(members).not.toContain(`${origin}/profile/${moderator.id}`);
  });

  test('state when a question changed last', async () => {
    const id = await ann.ask({ title: 'When?' });
    const lastmod = async () =>
      sitemap
        .parse(parseXml(await getFresh('/sitemaps/questions-1.xml')))
        .urlset.url.find(({ loc }) => loc === `${origin}/question/${id}/when`)?.lastmod ?? '';
    const before = await lastmod();
    const { id: answerId } = await bob.answer(id);
    const answered = await lastmod();
    expect(answered > before).toBe(true);
    expectOk(await bob.put(`/answers/${answerId}`, { content: 'Now, I mean.', basedOn: null }));
    expect((await lastmod()) > answered).toBe(true);
  });

  test('have at most 50,000 addresses each, by ranges of ids', async () => {
    await sql`alter table base_question alter column id restart with 50000`.execute(server.db);
    const [last, first] = [await ann.ask({ title: 'Last' }), await ann.ask({ title: 'First' })];
    expect([last, first]).toEqual([50_000, 50_001]);
    expect((await addresses('questions-1')).at(-1)).toBe(`${origin}/question/50000/last`);
    expect(await addresses('questions-2')).toEqual([`${origin}/question/50001/first`]);
    expect(await getFresh('/sitemap.xml')).toContain(`${origin}/sitemaps/questions-2.xml`);
    for (const path of ['questions-3', 'questions-999999', 'questions-0', 'answers-1', 'topics-1.xml.gz'])
      expect((await get(`/sitemaps/${path}.xml`)).status).toBe(404);
  });
});

describe('a preview picture', () => {
  const preview = async (id: number | string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${server.address}/question/${id}/preview.png`, { headers });
    return { response, bytes: Buffer.from(await response.arrayBuffer()) };
  };

  test('shows a question, changes with it, and is sent once', async () => {
    const id = await ann.ask({ title: 'Why does metal feel colder?' });
    const first = await preview(id);
    expect(first.response.status).toBe(200);
    expect(first.response.headers.get('content-type')).toBe('image/png');
    // Other sites show it with a link.
    expect(first.response.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    expect(first.response.headers.get('cache-control')).toBe('public, max-age=0, s-maxage=300');
    expect(await sharp(first.bytes).metadata()).toMatchObject({ format: 'png', width: 1200, height: 630 });
    const etag = first.response.headers.get('etag') ?? '';
    expect((await preview(id, { 'if-none-match': etag })).response.status).toBe(304);
    await bob.answer(id);
    const second = await preview(id, { 'if-none-match': etag });
    expect(second.response.status).toBe(200);
    expect(second.bytes.equals(first.bytes)).toBe(false);
  });

  test('does not exist for questions that do not exist, are hidden or are deleted', async () => {
    const moderator = await server.register('Grace Hopper');
    await setRole(server.db, { email: moderator.email, role: 'moderator' });
    const [hidden, deleted] = [await ann.ask({ title: 'Hidden' }), await ann.ask({ title: 'Deleted' })];
    expect((await preview(hidden)).response.status).toBe(200);
    expectOk(await actOnPost(moderator, 'hide', 'question', hidden));
    expectOk(await ann.delete(`/questions/${deleted}`));
    const statuses = { [hidden]: 404, [deleted]: 410, 987654321: 404, 0: 404, '99999999999999999999': 404 };
    for (const [id, status] of Object.entries(statuses)) {
      const { response } = await preview(id);
      expect([id, response.status, response.headers.get('cache-control')]).toEqual([id, status, 'no-store']);
    }
  });
});

test('the feed of a merged account has the posts of the account that it became', async () => {
  const gone = await server.register('Merged');
  await sql`insert into account_merge (member_id, into_id, moderator_id, posts, votes, finished_at)
    values (${gone.id}, ${ann.id}, ${ann.id}, 0, 0, now())`.execute(server.db);
  const read = async (id: number) => (await fetch(`${server.address}/feeds/profile/${id}.atom`)).text();
  expect(await read(gone.id)).toContain(`<title>Posts by Ann`);
  expect(await read(gone.id)).toContain(`/profile/${ann.id}`);
});

test('robots.txt names the sitemaps', async () => {
  expect((await get('/robots.txt')).text).toMatch(
    /^User-agent: \*\nDisallow: \/search\n[^]*\n\nSitemap: https:\/\/ask\.example\.org\/sitemap\.xml\n$/u,
  );
});

test('without public reading there is nothing, whatever exists', async () => {
  const id = await ann.ask();
  await setPublicReading(false);
  const paths = [
    '/feeds/recent.atom',
    `/feeds/question/${id}.rss`,
    `/feeds/question/987654321.rss`,
    `/feeds/profile/${ann.id}.atom`,
    '/sitemap.xml',
    '/sitemaps/questions-1.xml',
    `/question/${id}/preview.png`,
  ];
  const responses = await Promise.all(paths.map((path) => get(path)));
  for (const { status, text } of responses) {
    expect(status).toBe(404);
    expect(text).toBe(responses[0]?.text);
  }
  expect((await get('/robots.txt')).text).toBe('User-agent: *\nDisallow: /\n');
});
