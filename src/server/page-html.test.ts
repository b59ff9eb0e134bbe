import { createHash } from 'node:crypto';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '#tests/support/parley.ts';
import { setSiteSetting } from '#tests/support/site-settings.ts';
import { createPageRenderer } from './core/page-renderer.ts';
import { projectRoot } from './core/paths.ts';
import type { Member } from '#tests/support/member.ts';
import { startTestServer } from '#tests/support/server.ts';
import { questionPath } from '#shared/posts/question-paths.ts';

// npm test -- --only build makes it.
const server = await startTestServer({}, undefined, path.join(projectRoot, 'dist/web'));
afterAll(() => server.stop());
let ann: Member;
beforeAll(async () => {
  ann = await server.register('Ann Rendered');
});

async function open(address: string, headers: Record<string, string> = {}) {
  const cookie = [...ann.cookies].map((pair) => pair.join('=')).join('; ');
  const response = await fetch(server.address + address, {
    headers: { cookie, 'sec-fetch-dest': 'document', 'accept-language': 'en', ...headers },
  });
  const html = await response.text();
  return { html, policy: response.headers.get('content-security-policy') ?? '', text: textOf(html) };
}

/** The texts of the page without its scripts and styles. */
const textOf = (html: string) =>
  html
    .replaceAll(/<(script|style)\b.*?<\/\1>/gsu, '')
    .replaceAll(/<[^>]*>/gu, ' ')
    .replaceAll(/\s+/gu, ' ');

test('a question arrives with its texts, answers, replies and the votes of the member', async () => {
  const ben = await server.register('Ben Rendered');
  const title = 'Why does metal feel colder?';
  const id = await ben.ask({
    title,
    content: 'A **spoon** and [a link](https://example.org/x).',
    tags: ['heat'],
  });
  const { id: answerId } = await ann.answer(id, 'It conducts *heat* better.');
  await ben.replyToAnswer(answerId, { content: 'So it is not colder?' });
  await ann.put(`/questions/${id}/vote`, { vote: 'up' });
  const { html, text } = await open(questionPath(id, title));
  for (const part of [title, 'Ben Rendered', '1 Answer', 'So it is not colder?', 'heat'])
    expect(text).toContain(part);
  expect(html).toContain('<strong>spoon</strong>');
  expect(html).toContain('It conducts <em>heat</em> better.');
  const [upvote] = /<button[^>]*title="Upvote"[^>]*>/u.exec(html) ?? [];
  expect(upvote).toContain('aria-pressed="true"');
});

test('the home page arrives with its questions and links, in the language of the browser', async () => {
  const id = await ann.ask({ title: 'Which links work without scripts?' });
  const english = await open('/');
  expect(english.html).toContain(`href="${questionPath(id, 'Which links work without scripts?')}"`);
  expect(english.text).toContain('Questions for you');
  const [german, arabic] = await Promise.all([
    open('/', { 'accept-language': 'de' }),
    open('/', { 'accept-language': 'ar' }),
  ]);
  expect(german.html).toContain('<html lang="de" dir="ltr"');
  expect(german.text).toContain('Fragen für dich');
  expect(arabic.html).toContain('<html lang="ar" dir="rtl"');
  expect(arabic.text).not.toContain('Questions for you');
});

test('a profile and search results arrive with their content', async () => {
  const title = 'Why does a gyroscope not fall over?';
  const id = await ann.ask({ title });
  await ann.answer(id, 'Because of its spin.');
  const profile = await open(`/profile/${ann.id}?tab=answers`);
  for (const part of ['Ann Rendered', 'Because of its spin.']) expect(profile.text).toContain(part);
  const found = await open('/search?q=gyroscope');
  expect(found.text).toContain('1 result');
  expect(found.html).toContain(`href="${questionPath(id, title)}"`);
});

test('pages that are requested at the same time contain what their own member may see, in their language', async () => {
  const members = await Promise.all(['Cy', 'Di', 'Ed'].map((name) => server.register(`${name} Parallel`)));
  const title = 'Who reads this at the same time?';
  const id = await ann.ask({ title });
  const pages = await Promise.all(
    Array.from({ length: 12 }, async (_, turn) => {
      const member = members[turn % 3] ?? ann;
      const cookie = [...member.cookies].map((pair) => pair.join('=')).join('; ');
      const language = turn % 2 === 0 ? 'en' : 'fr';
      const { html } = await open(turn < 6 ? '/' : questionPath(id, title), {
        cookie,
        'accept-language': language,
      });
      return { turn, html };
    }),
  );
  for (const { turn, html } of pages) {
    const others = members.map(({ name }) => name).filter((_, index) => index !== turn % 3);
    expect(html).toContain(`<html lang="${turn % 2 === 0 ? 'en' : 'fr'}"`);
    expect(others.filter((name) => html.includes(name))).toEqual([]);
  }
});

test('inline scripts and styles are exactly those that the content security policy allows', async () => {
  const { html, policy } = await open('/');
  const contents = [...html.matchAll(/<(?:script|style)(?: id="[\w-]+")?>(.*?)<\/(?:script|style)>/gsu)];
  expect(contents).toHaveLength(3);
  for (const [, content = ''] of contents)
    expect(policy).toContain(`'sha256-${createHash('sha256').update(content).digest('base64')}'`);
  expect(policy).not.toContain('unsafe');
  // The policy forbids them.
  expect(html).not.toMatch(/<[^>]* (?:style|onclick)="/u);
});

test('texts of members stay texts in the rendered page', async () => {
  const title = '</script><script>alert(1)</script><img src=x onerror=alert(2)>';
  const id = await ann.ask({
    title,
    content: '<script>alert(3)</script> <b onclick="alert(4)">bold</b> style="color:red"',
  });
  const { html } = await open(questionPath(id, title));
  const rendered = html.slice(html.indexOf('id="root"'));
  expect(rendered).not.toMatch(/<script>|<img|<b /u);
});

test('formulas arrive as MathML while the setting is on, and as typed at once when it is off', async () => {
  const title = 'Which formula is famous?';
  const id = await ann.ask({
    title,
    content: 'It is $E = mc^2$, not `$x$`:\n$$\n\\frac{a}{b}\n$$\nIt has a mistake: $\\frac{a$ or $\\foo$.',
  });
  const read = async () => {
    const { html } = await open(questionPath(id, title));
    const rendered = html.slice(html.indexOf('id="root"'), html.indexOf('data-response'));
    return { html, rendered };
  };
  expect((await read()).rendered).not.toContain('<math');
  await showFormulas(true);
  const { html, rendered } = await read();
  expect(rendered).toContain('<p dir="auto">It is <span dir="ltr"');
  expect(rendered).toMatch(/<msup><mi>c<\/mi><mn[^>]*>2<\/mn><\/msup>/u);
  expect(rendered).toContain('<code>$x$</code>');
  expect(rendered).toMatch(
    /<\/p>\s*<section[^>]*><math display="block"><mfrac><mi>a<\/mi><mi>b<\/mi><\/mfrac><\/math><\/section>\s*<p dir="auto">It has/u,
  );
  expect(rendered).toMatch(/<code title="This formula cannot be shown: [^"]*foo[^"]*">\$\\foo\$<\/code>/u);
  expect(html).not.toMatch(/<m[^>]* (?:style|data-style)=/u);
  await showFormulas(false);
  expect((await read()).rendered).toContain('It is $E = mc^2$, not');
});

async function showFormulas(isOn: boolean) {
  await setSiteSetting(server.db, 'formulas', isOn);
  const session = async () => (await ann.get<{ formulas: boolean }>('/session')).body;
  await eventually(async () => (await session()).formulas === isOn);
}

test('relative times count from the time of each rendering, also in parts that are loaded on demand', async () => {
  const id = await ann.ask({ title: 'When was this asked?' });
  const { html: first } = await open(questionPath(id, 'When was this asked?'));
  const responses = [...first.matchAll(/data-response="([^"]+)"[^>]*>(.*?)<\/script>/gsu)];
  const render = createPageRenderer(path.join(projectRoot, 'dist/render/render-page.js'));
  for (const days of [2, 5]) {
    const html = await render?.({
      origin: server.address,
      path: questionPath(id, 'When was this asked?'),
      language: 'en',
      time: Date.now() + days * 86_400_000 + 60_000,
      responses: new Map(responses.map(([, url = '', body = '']) => [url.replaceAll('&amp;', '&'), body])),
    });
    expect(html).toContain(`${days} days ago`);
  }
});

test('the browser renders a page whose texts would take the server long', async () => {
  const title = 'How long may answers be?';
  const id = await ann.ask({ title });
  for (let count = 0; count < 15; count++) await ann.answer(id, 'A *word* and another. '.repeat(1_300));
  const { html } = await open(questionPath(id, title));
  expect(html).toContain('<div id="root"></div>');
  expect(html).toContain(`data-response="/api/questions/${id}?sort=newest"`);
});

test('the accent colour of the site is in the page, and its policy allows it', async () => {
  await setSiteSetting(server.db, 'accentColor', '#a01010');
  await eventually(async () => (await open('/')).html.includes('--accent:#a01010'));
  const { html, policy } = await open('/');
  const [, style = ''] = /<style id="site-style">([^<]*)<\/style>/u.exec(html) ?? [];
  expect(policy).toContain(createHash('sha256').update(style).digest('base64'));
});

test('pages of links in emails and of the set-up arrive with the name of the community', async () => {
  const siteName = 'Bikes & <b>Co</b>';
  await setSiteSetting(server.db, 'siteName', siteName);
  await eventually(async () => (await open('/login', { cookie: '' })).text.includes('Bikes'));
  for (const address of [
    '/setup',
    '/reset-password',
    '/change-email',
    '/revert-email',
    '/unsubscribe/token',
    '/confirm-email/token',
  ])
    for (const headers of [{}, { cookie: '' }]) {
      const [, brand] =
        /<header[^>]*>.*?<span>(.*?)<\/span>/u.exec((await open(address, headers)).html) ?? [];
      expect([address, brand]).toEqual([address, 'Bikes &amp; &lt;b&gt;Co&lt;/b&gt;']);
    }
});
