import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Member } from '#tests/support/member.ts';
import { breadcrumbList, qaPage } from '#tests/support/qa-page.ts';
import { startTestServer } from '#tests/support/server.ts';
import { sql } from 'kysely';
import { renderHead } from './page-head.ts';

const server = await startTestServer();
afterAll(() => server.stop());
const origin = 'https://ask.example.org';
let ann: Member;
let bob: Member;
beforeAll(async () => {
  [ann, bob] = await server.registerAll('Ann', 'Bob <b>"&\'');
});

const site = { siteName: 'Parley', siteDescription: '', accentColor: '' };

/** The head of a page with the responses of the API that it shows. */
async function headOf(path: string, requests: readonly string[], isPublic = true): Promise<string> {
  const bodies = await Promise.all(
    requests.map(
      async (url) => [url, JSON.stringify((await ann.get(url.slice('/api'.length))).body)] as const,
    ),
  );
  return renderHead({ url: new URL(path, origin), origin, site, isPublic, bodies: new Map(bodies) });
}

const questionHead = (id: number, isPublic = true) =>
  headOf(`/question/${id}`, [`/api/questions/${id}?sort=newest`], isPublic);

const unescape = (text: string) =>
  text.replaceAll(/&(lt|gt|quot|#39|amp);/gu, (entity) => characters[entity] ?? entity);
const characters: Record<string, string> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
};

const contentOf = (head: string, name: string) => {
  const [, content] =
    new RegExp(`<meta (?:name|property)="${name}" content="([^"]*)">`, 'u').exec(head) ?? [];
  return content === undefined ? undefined : unescape(content);
};
const linksOf = (head: string, rel: string) =>
  [...head.matchAll(new RegExp(`<link rel="${rel}"[^>]* href="([^"]*)">`, 'gu'))].map(([, href = '']) =>
    unescape(href),
  );
const dataOf = (head: string) =>
  [...head.matchAll(/<script type="application\/ld\+json">(.*?)<\/script>/gsu)].map(
    ([, json = '']) => JSON.parse(json) as Record<string, unknown>,
  );

describe('the head of a question page', () => {
  test('has title, description, canonical address, link preview and feeds', async () => {
    const content = `**Metal** ${'and wood '.repeat(40)}`;
    const id = await ann.ask({ title: 'Why does metal feel colder?', content, tags: ['Physics'] });
    const head = await questionHead(id);
    const address = `${origin}/question/${id}/why-does-metal-feel-colder`;
    expect(head).toContain('<title>Why does metal feel colder? · Parley</title>');
    expect(contentOf(head, 'description')).toMatch(/^Metal and wood and .*…$/u);
    expect(Array.from(contentOf(head, 'description') ?? '').length).toBeLessThanOrEqual(160);
    expect(linksOf(head, 'canonical')).toEqual([address]);
    expect(contentOf(head, 'og:url')).toBe(address);
    expect(contentOf(head, 'og:title')).toBe('Why does metal feel colder?');
    expect(contentOf(head, 'og:image')).toMatch(
      new RegExp(`^${origin}/question/${id}/preview\\.png\\?v=[\\w-]{8}$`, 'u'),
    );
    expect(contentOf(head, 'og:image:width')).toBe('1200');
    expect(contentOf(head, 'og:image:height')).toBe('630');
    expect(contentOf(head, 'og:image:alt')).toMatch(/^Why does metal feel colder\?\. .+ · \d answers?$/u);
    expect(contentOf(head, 'twitter:card')).toBe('summary_large_image');
    expect(contentOf(head, 'robots')).toBeUndefined();
    const page = encodeURIComponent(`${origin}/question/${id}/why-does-metal-feel-colder`);
    expect(linksOf(head, 'alternate')).toEqual([
      `${origin}/oembed?url=${page}`,
      `${origin}/feeds/question/${id}.atom`,
      `${origin}/feeds/question/${id}.rss`,
    ]);
  });

  test('has a QAPage with the accepted and the other answers, and breadcrumbs', async () => {
    const id = await ann.ask({
      title: 'What is 1 < 2?',
      content: 'A *question*\n\n- one\n- two',
      tags: ['C++'],
    });
    const [first, accepted] = [
      await bob.answer(id, 'First **answer**'),
      await bob.answer(id, '<b>Second</b>'),
    ];
    await ann.put(`/questions/${id}/accepted-answer`, { answerId: accepted.id });
    await bob.vote('questions', id, 'up');
    const [page, crumbs] = dataOf(await questionHead(id));
    const { mainEntity } = qaPage.parse(page);
    expect(mainEntity).toMatchObject({
      name: 'What is 1 < 2?',
      text: 'A question\n\none\n\ntwo',
      answerCount: 2,
      upvoteCount: 1,
      author: { name: 'Ann', url: `${origin}/profile/${ann.id}` },
      acceptedAnswer: {
        text: '<b>Second</b>',
        url: `${origin}/question/${id}/what-is-1-2#answer-${accepted.id}`,
      },
      suggestedAnswer: [
        { text: 'First answer', url: `${origin}/question/${id}/what-is-1-2#answer-${first.id}` },
      ],
    });
    const { itemListElement } = breadcrumbList.parse(crumbs);
    expect(itemListElement.map(({ name, item }) => [name, item])).toEqual([
      ['Parley', `${origin}/`],
      ['C++', `${origin}/topics/C%2B%2B`],
      ['What is 1 < 2?', `${origin}/question/${id}/what-is-1-2`],
    ]);
  });

  test('has no QAPage without an answer that has text', async () => {
    const id = await ann.ask();
    expect(dataOf(await questionHead(id)).map((data) => data['@type'])).toEqual(['BreadcrumbList']);
    await bob.answer(id, '![](https://example.org/a.png)');
    expect(dataOf(await questionHead(id)).map((data) => data['@type'])).toEqual(['BreadcrumbList']);
  });

  test('names an author without an account, without an address', async () => {
    const id = await ann.ask();
    await bob.answer(id);
    await sql`update base_question set author_id = null, imported_author_name = 'Gone' where id = ${id}`.execute(
      server.db,
    );
    const [page] = dataOf(await questionHead(id));
    expect(qaPage.parse(page).mainEntity.author).toEqual({ '@type': 'Person', name: 'Gone' });
  });

  test.each([
    '</script><script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    '\u2028\u2029 <!-- --> ]]> $& $` $1',
    '\u202Eright to left \u0000 \uFFFE 👩‍👩‍👧‍👦',
    'كيف أتعلم ‏البرمجة؟ 水は何度で',
  ])('escapes %j', async (hostile) => {
    const title = hostile.replaceAll('\0', '').replaceAll(/\s+/gu, ' ').trim();
    const id = await bob.ask({ title, content: hostile.replaceAll('\0', ''), tags: [] });
    await bob.answer(id, hostile.replaceAll('\0', ''));
    const head = await questionHead(id);
    // Nothing but the elements that it should have, each with quoted attributes.
    expect(
      head.replaceAll(
        /<title>[^<]*<\/title>|<(?:meta|link)(?: [\w:-]+="[^"<>]*")+>|<script type="application\/ld\+json">[^<]*<\/script>/gu,
        '',
      ),
    ).toBe('');
    expect(head).not.toMatch(/[\u2028\u2029]/u);
    for (const data of dataOf(head)) (data['@type'] === 'QAPage' ? qaPage : breadcrumbList).parse(data);
    expect(contentOf(head, 'og:title')).toBe(title.replaceAll('\uFFFE', '\uFFFD'));
  });

  test('has the title only without public reading', async () => {
    const id = await ann.ask({ title: 'For members' });
    expect(await questionHead(id, false)).toBe('<title>For members · Parley</title>');
  });
});

describe('the head of another page', () => {
  test('of a tag and a member describes them', async () => {
    await ann.ask({ tags: ['metal work'] });
    const tag = await headOf('/topics/metal%20work', ['/api/tags/metal%20work']);
    expect(tag).toContain('<title>metal work · Parley</title>');
    expect(contentOf(tag, 'description')).toMatch(/^1 question about metal work\./u);
    expect(linksOf(tag, 'canonical')).toEqual([`${origin}/topics/metal%20work`]);
    expect(linksOf(tag, 'alternate')[0]).toBe(`${origin}/feeds/topics/metal%20work.atom`);
    breadcrumbList.parse(dataOf(tag)[0]);

    const profile = await headOf(`/profile/${bob.id}`, [`/api/members/${bob.id}`]);
    expect(contentOf(profile, 'og:title')).toBe(bob.name);
    expect(profile).not.toContain(bob.email);
    expect(linksOf(profile, 'alternate')[1]).toBe(`${origin}/feeds/profile/${bob.id}.rss`);
  });

  test('of a list is listed once: with its tab, and without later pages', async () => {
    expect(linksOf(await headOf('/?tab=popular&muted=show', []), 'canonical')).toEqual([
      `${origin}/?tab=popular`,
    ]);
    const bodies = new Map([['/api/feeds/recent', '{"items":[],"nextCursor":"WzEsMl0"}']]);
    const first = renderHead({ url: new URL('/?tab=recent', origin), origin, site, isPublic: true, bodies });
    expect(linksOf(first, 'next')).toEqual([`${origin}/?tab=recent&after=WzEsMl0`]);
    const second = await headOf('/?after=WzEsMl0', []);
    expect(contentOf(second, 'robots')).toBe('noindex');
    expect(linksOf(second, 'canonical')).toEqual([`${origin}/?after=WzEsMl0`]);
  });

  test.each(['/search?q=bread', '/settings', '/login', '/question/7', '/no/such/page'])(
    'of %s is not for search engines',
    async (path) => {
      expect(await headOf(path, [])).toBe('<title>Parley</title><meta name="robots" content="noindex">');
    },
  );
});
