import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type APIRequestContext, expect, test } from '@playwright/test';
import { expectAccessible } from './support/accessibility.ts';
import type { Community } from './support/community.ts';
import { expectInView } from './support/in-view.ts';
import { askQuestion } from './support/members.ts';
import { changeSettings, openAdminPage, startCommunityWithOwner } from './support/set-up.ts';

// One after the other: the tests share their community, whose public reading changes.
test.describe.configure({ mode: 'default' });
test.slow();

let community: Community;
let owner: APIRequestContext;
test.beforeAll(async ({ playwright }) => {
  owner = await playwright.request.newContext();
  community = await startCommunityWithOwner({ request: owner });
  for (const [title, tag] of [
    ['Why does my sourdough not rise?', 'sourdough'],
    ['How warm should a sourdough starter be?', 'sourdough'],
    ['Which oven is the quietest?', 'ovens'],
  ] as const)
    await askQuestion(owner, { title, content: 'Please tell me.', tags: [tag] }, community.address);
});
test.afterAll(async () => {
  await owner.dispose();
  await community.remove();
});

async function setPublicReading(on: boolean): Promise<void> {
  await changeSettings(owner, community, { publicReading: on });
  await expect
    .poll(async () => (await (await fetch(`${community.address}/robots.txt`)).text()).includes('Sitemap'))
    .toBe(on);
}

/** Serves one page of another site under a strict policy. */
async function startOtherSite(attributes: string) {
  const { address } = community;
  const policy = `default-src 'none'; script-src ${address}; connect-src ${address}; require-trusted-types-for 'script'`;
  const head = `<title>Feeding sourdough | Docs</title><meta name="description" content="How warm the starter should be">`;
  const site = createServer((_, response) =>
    response
      .writeHead(200, { 'content-type': 'text/html', 'content-security-policy': policy })
      .end(
        `<!doctype html>${head}<h1>Docs</h1><script src="${address}/widget.js?language=de" ${attributes} async></script>`,
      ),
  ).listen(0, '127.0.0.1');
  await once(site, 'listening');
  return { address: `http://localhost:${(site.address() as AddressInfo).port}/`, stop: () => site.close() };
}

test('another site shows the questions related to its page, with a strict policy and no cookie', async ({
  browser,
}) => {
  await setPublicReading(true);
  const site = await startOtherSite('data-related data-theme="dark"');
  const reader = await (await browser.newContext()).newPage();
  const problems: string[] = [];
  reader.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes('favicon')) problems.push(message.text());
  });
  try {
    await reader.goto(site.address);
    await expect(reader.getByRole('heading', { name: 'Verwandte Fragen', level: 2 })).toBeVisible();
    const links = reader.getByRole('listitem').getByRole('link');
    await expect(links).toHaveText([
      'How warm should a sourdough starter be?',
      'Why does my sourdough not rise?',
    ]);
    await expect(reader.getByText('0 Antworten').first()).toBeVisible();
    const colors = await reader.locator('.parley-widget').evaluate((element) => {
      const { color, backgroundColor } = getComputedStyle(element);
      return { color, backgroundColor };
    });
    expect(colors).toEqual({ color: 'rgb(230, 224, 213)', backgroundColor: 'rgb(25, 24, 21)' });
    expect(await reader.context().cookies()).toEqual([]);
    expect(problems).toEqual([]);
    await links.first().press('Enter');
    await expect(
      reader.getByRole('article', { name: 'How warm should a sourdough starter be?' }),
    ).toBeVisible();
  } finally {
    site.stop();
    await reader.context().close();
  }
});

test('an admin chooses a widget, sees it and copies its HTML by keyboard', async ({ page, context }) => {
  await context.addCookies((await owner.storageState()).cookies);
  await setPublicReading(false);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(`${community.address}/admin/settings`);
  await openAdminPage(page, 'Questions on other sites');
  await expect(page.getByText('Public reading is off')).toBeVisible();
  await setPublicReading(true);
  await page.reload();
  const copy = page.getByRole('button', { name: 'Copy HTML' });
  await expect(copy).toBeDisabled();
  await page.getByLabel('Topic', { exact: true }).fill('sourdough');
  const preview = page.getByRole('region', { name: 'Preview' });
  await expect(preview.getByRole('heading', { name: 'Questions about sourdough' })).toBeVisible();
  await expect(preview.getByRole('listitem')).toHaveCount(2);
  await page.getByLabel('Number of questions').selectOption('1');
  await expect(preview.getByRole('listitem')).toHaveCount(1);
  await page.getByLabel('Theme', { exact: true }).selectOption('Light');
  await page.getByLabel('Language', { exact: true }).selectOption('Deutsch');
  await expect(preview.getByText('0 Antworten')).toBeVisible();
  await copy.focus();
  await page.keyboard.press('Enter');
  await expectInView(page.getByText('Copied', { exact: true }));
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  expect(await copied()).toBe(
    `<script src="${community.address}/widget.js?language=de" data-tag="sourdough" data-count="1" data-theme="light" async></script>`,
  );
  await page.getByLabel('Questions', { exact: true }).selectOption('Questions related to the page');
  await page.getByLabel('Title of a page, for the preview').fill('Ovens without noise');
  await expect(preview.getByRole('listitem')).toContainText(['Which oven is the quietest?']);
  await page.getByLabel('Number of questions').selectOption('5');
  await page.getByLabel('Theme', { exact: true }).selectOption('Colors of the page');
  await page.getByLabel('Language', { exact: true }).selectOption('Language of the community');
  await page.setViewportSize({ width: 390, height: 844 });
  await copy.click();
  await expect.poll(copied).toBe(`<script src="${community.address}/widget.js" data-related async></script>`);
  await expectAccessible(page, { look: 'widget' });
});
