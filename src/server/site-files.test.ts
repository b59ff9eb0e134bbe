import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startEmailServer } from '#tests/support/email-server.ts';
import { expectOk, type Member } from '#tests/support/member.ts';
import { setSiteSetting } from '#tests/support/site-settings.ts';
import { eventually } from '#tests/support/parley.ts';
import { loadSentTexts } from '#tests/support/sent-texts.ts';
import { startTestServer } from '#tests/support/server.ts';

await loadSentTexts();
const origin = 'https://ask.example.org';
const directory = await mkdtemp(path.join(os.tmpdir(), 'parley-site-files-'));
const shell =
  '<!doctype html><html lang="en"><head><meta name="theme-color" content="#fbf9f4" /><meta name="application-name" content="Parley" /><title>Parley</title></head><body><div id="root"></div><noscript>No scripts.</noscript></body></html>';
await writeFile(path.join(directory, 'index.html'), shell);
await writeFile(
  path.join(directory, 'manifest.webmanifest'),
  '{"id":"/","name":"Parley","short_name":"Parley","description":"Questions and answers of a community."}',
);
const post = await startEmailServer();
const server = await startTestServer(
  { publicUrl: origin },
  { email: { url: post.url, from: 'ask@example.org' } },
  directory,
);
afterAll(async () => {
  await server.stop();
  await post.stop();
  await rm(directory, { recursive: true });
});

const siteName = 'Bikes & <b>Co</b> $&';
const escapedName = 'Bikes &amp; &lt;b&gt;Co&lt;/b&gt; $&amp;';
const textOf = async (address: string) => (await fetch(server.address + address)).text();
const readSiteName = async () =>
  expectOk(await server.visitor().get<{ siteName: string }>('/session')).siteName;

let ann: Member;
let question: number;
beforeAll(async () => {
  ann = await server.register('Ann');
  question = await ann.ask({ title: 'Which chain?' });
});

async function rename(name: string): Promise<void> {
  await setSiteSetting(server.db, 'siteName', name);
  await eventually(async () => (await readSiteName()) === name);
}

test('the name of the community is in the page before a sign-in, and in the installed app', async () => {
  expect(JSON.parse(await textOf('/manifest.webmanifest'))).toMatchObject({
    name: 'Parley',
    description: 'Questions and answers of a community.',
  });
  await rename(siteName);
  await setSiteSetting(server.db, 'siteDescription', 'All about bicycles.');
  for (const address of ['/', '/login', '/index.html'])
    expect(await textOf(address)).toContain(
      `<meta name="application-name" content="${escapedName}" /><title>${escapedName}</title>`,
    );
  await eventually(async () =>
    (await textOf('/manifest.webmanifest')).includes('"description":"All about bicycles."'),
  );
  expect(JSON.parse(await textOf('/manifest.webmanifest'))).toEqual({
    id: '/',
    name: siteName,
    short_name: siteName,
    description: 'All about bicycles.',
  });
});

test('the page before a sign-in has the language of the site, also for browsers without scripts', async () => {
  await setSiteSetting(server.db, 'language', 'de');
  const isGerman = async () => (await textOf('/index.html')).includes('<html lang="de" dir="ltr">');
  await eventually(isGerman);
  expect(await textOf('/index.html')).toContain(
    '<noscript>Diese Seite braucht JavaScript in deinem Browser.</noscript>',
  );
  await setSiteSetting(server.db, 'language', 'en');
  await eventually(async () => !(await isGerman()));
});

test('a new name is at once in pages for visitors, previews of links and feeds that were sent before', async () => {
  await setSiteSetting(server.db, 'publicReading', true);
  await rename('Before');
  const page = `/question/${question}/which-chain`;
  // The query keeps this test apart from the page that was sent within the last second.
  const first = await fetch(`${server.address}${page}?first`);
  const head = await first.text();
  expect(head).toContain('<title>Which chain? · Before</title>');
  const feed = await fetch(`${server.address}/feeds/recent.atom`);
  expect(await feed.text()).toContain('<title>Newest questions · Before</title>');
  await rename(siteName);
  const etag = first.headers.get('etag') ?? '';
  const again = await fetch(`${server.address}${page}?again`, { headers: { 'if-none-match': etag } });
  const newHead = await again.text();
  expect(newHead).toContain(`<title>Which chain? · ${escapedName}</title>`);
  expect(newHead).toContain(`<meta name="application-name" content="${escapedName}" />`);
  expect(newHead).toContain(`<meta property="og:site_name" content="${escapedName}">`);
  const pictureOf = (text: string) => /preview\.png\?v=[\w-]+/u.exec(text)?.[0];
  expect(pictureOf(newHead)).toBeDefined();
  expect(pictureOf(newHead)).not.toBe(pictureOf(head));
  const known = { 'if-none-match': feed.headers.get('etag') ?? '' };
  const newFeed = await fetch(`${server.address}/feeds/recent.atom`, { headers: known });
  expect(newFeed.status).toBe(200);
  const text = await newFeed.text();
  expect(text).toContain(`<title>Newest questions · ${escapedName}</title>`);
  expect(text).toContain('<generator>Parley</generator>');
  await setSiteSetting(server.db, 'siteDescription', 'All about bicycles.');
  await eventually(async () =>
    (await textOf('/')).includes('<meta name="description" content="All about bicycles.">'),
  );
});

test('emails have the name in sender, subject and text, escaped in HTML', async () => {
  await rename(siteName);
  expect((await server.visitor().post('/password-resets', { email: ann.email })).status).toBe(202);
  // The other one asks to confirm the address.
  const emails = await post.waitForEmails(ann.email, 2);
  const email = emails.find(({ subject }) => subject === `Reset your password on ${siteName}`);
  expect(email?.from).toEqual({ name: siteName, address: 'ask@example.org' });
  expect(email?.html).toContain(`${escapedName}</span>`);
});

test('the accent colour is in the page, allowed by its policy, and in the installed app', async () => {
  expect(await textOf('/index.html')).not.toContain('site-style');
  await setSiteSetting(server.db, 'accentColor', '#FFD500');
  await eventually(async () => (await textOf('/index.html')).includes('site-style'));
  const response = await fetch(`${server.address}/index.html`);
  const html = await response.text();
  const [, style = ''] = /<style id="site-style">([^<]*)<\/style><\/head>/u.exec(html) ?? [];
  expect(style).toContain(":root[data-mantine-color-scheme='dark']{--accent:#ffd500;");
  const policy = response.headers.get('content-security-policy');
  expect(policy).toContain(`'sha256-${createHash('sha256').update(style).digest('base64')}'`);
  expect(html).toContain(
    '<meta name="theme-color" content="#a38800" data-light="#a38800" data-dark="#ffd500">',
  );
  expect(JSON.parse(await textOf('/manifest.webmanifest'))).toMatchObject({
    theme_color: '#a38800',
    user_preferences: { color_scheme: { dark: { theme_color: '#ffd500' } } },
  });
});
