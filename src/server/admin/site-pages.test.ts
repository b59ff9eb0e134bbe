import { afterAll, expect, test } from 'vitest';
import { setSiteSetting } from '#tests/support/site-settings.ts';
import { startTestServer } from '#tests/support/server.ts';

const server = await startTestServer();
afterAll(() => server.stop());
const visitor = server.visitor();
const ann = await server.register('Ann');

test('a page exists for everyone, also without public reading, as soon as it has a text', async () => {
  expect(await visitor.get('/site-pages/rules')).toMatchObject({ status: 404, kind: 'not-found' });
  expect((await visitor.get('/session')).body).toMatchObject({ pages: [], footerLinks: [] });
  await setSiteSetting(server.db, 'rulesPage', 'Be **kind**.');
  await expect.poll(async () => (await ann.get('/site-pages/rules')).status).toBe(200);
  for (const caller of [visitor, ann]) {
    expect((await caller.get('/site-pages/rules')).body).toEqual({ name: 'rules', text: 'Be **kind**.' });
    expect((await caller.get('/session')).body).toMatchObject({ pages: ['rules'] });
    expect((await caller.get('/site-pages/about')).status).toBe(404);
  }
  await setSiteSetting(server.db, 'rulesPage', '');
  await expect.poll(async () => (await ann.get('/site-pages/rules')).status).toBe(404);
});

test('no other settings can be read as pages', async () => {
  for (const name of ['welcomeText', 'siteName', 'toString'])
    expect((await visitor.get(`/site-pages/${name}`)).status).toBe(400);
});

test('footer links are sent with label and address, and the welcome text to visitors only', async () => {
  await setSiteSetting(server.db, 'footerLinks', ['Status | https://status.example.org/?a|b']);
  await setSiteSetting(server.db, 'welcomeText', 'Hello!');
  const footerLinks = [{ label: 'Status', href: 'https://status.example.org/?a|b' }];
  await expect
    .poll(async () => (await visitor.get('/session')).body)
    .toMatchObject({ footerLinks, welcomeText: 'Hello!' });
  expect((await ann.get('/session')).body).toMatchObject({ footerLinks, welcomeText: '' });
});
