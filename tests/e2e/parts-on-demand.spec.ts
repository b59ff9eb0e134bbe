import { expect, test } from '@playwright/test';
import { waitForHydration } from './support/hydration.ts';
import { expectInView } from './support/in-view.ts';
import { listening } from './support/live.ts';
import { askQuestion, registerMember } from './support/members.ts';
import { uniqueText } from './support/posts.ts';

test('a part of the page appears without a reload after all its files failed to load twice', async ({
  page,
}) => {
  await registerMember(page.request);
  const id = await askQuestion(page.request, { title: uniqueText('Is a part missing?') });
  const requests = new Map<string, number>();
  // The list of shortcuts, and what it shares with the other dialogs.
  await page.route(/\/assets\/(ShortcutSheet|dialogs)-[^/]*\.(js|css)$/u, (route) => {
    const name = new URL(route.request().url()).pathname.replace(/^\/assets\/(\w+)-.*\./u, '$1.');
    const earlier = requests.get(name) ?? 0;
    requests.set(name, earlier + 1);
    if (earlier === 0) return route.abort();
    return earlier === 1 ? route.fulfill({ status: 503 }) : route.continue();
  });
  await page.goto(`/question/${id}`);
  await waitForHydration(page);
  const html = page.locator('html');
  await html.evaluate((element) => element.setAttribute('data-not-reloaded', ''));
  await page.keyboard.press('?');

  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expect(sheet).toBeVisible({ timeout: 30_000 });
  // Its own styles and those of dialogs.
  await expect(sheet.locator('kbd').first()).toHaveCSS('border-block-end-width', '1px');
  await expect(sheet).toBeInViewport({ ratio: 1 });
  expect([...requests.keys()].toSorted()).toEqual([
    'ShortcutSheet.css',
    'ShortcutSheet.js',
    'dialogs.css',
    'dialogs.js',
  ]);
  // The last two of each take it from the browser's cache, which such tests switch off.
  expect(new Set(requests.values())).toEqual(new Set([4]));
  await page.keyboard.press('Escape');
  await expect(sheet).toBeHidden();
  await expect(html).toHaveAttribute('data-not-reloaded');
});

test('a style sheet that never arrives does not keep other parts from appearing', async ({ page }) => {
  await registerMember(page.request);
  let requests = 0;
  // The first request stores it in the cache, which tests switch off, and the second uses it.
  await page.route(/\/assets\/ShortcutSheet-[^/]*\.css$/u, (route) =>
    ++requests === 2 ? undefined : route.continue(),
  );
  await page.goto('/');
  await waitForHydration(page);
  await page.keyboard.press('?');
  await expect.poll(() => requests).toBe(2);
  await page.keyboard.press('Control+k');
  await expectInView(page.getByRole('dialog', { name: 'Command palette' }));
});

test('style sheets behind one that never arrives are added one after the other', async ({ page }) => {
  await registerMember(page.request);
  const requests = { ShortcutSheet: 0, CommandPalette: 0 };
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  // The first request of each stores it in the cache, which tests switch off.
  await page.route(/\/assets\/ShortcutSheet-[^/]*\.css$/u, (route) =>
    ++requests.ShortcutSheet === 2 ? undefined : route.continue(),
  );
  await page.route(/\/assets\/CommandPalette-[^/]*\.css$/u, async (route) => {
    if (++requests.CommandPalette === 2) await released;
    await route.continue();
  });
  const fetched = async (name: string) =>
    (await page.waitForResponse((response) => response.url().includes(`/assets/${name}-`))).finished();
  const style = (name: string) => page.locator(`link[rel="stylesheet"][href*="/assets/${name}-"]`);
  await page.goto('/');
  await waitForHydration(page);
  await page.clock.install();
  await page.keyboard.press('?');
  await expect.poll(() => requests.ShortcutSheet).toBe(2);
  const second = fetched('CommandPalette');
  await page.keyboard.press('Control+k');
  await second;
  const third = fetched('TagCard');
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Topics' }).focus();
  await page.clock.fastForward(50);
  await third;
  await page.clock.fastForward(3000);
  await expect(style('CommandPalette')).toHaveCount(1);
  await expect(style('TagCard')).toHaveCount(0);
  release();
  await expect(style('TagCard')).toHaveCount(1);
});

test('the command palette opens while the list of shortcuts is still loading', async ({ page }) => {
  await registerMember(page.request);
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  let isRequested = false;
  await page.route(/\/assets\/ShortcutSheet-[^/]*\.js$/u, async (route) => {
    isRequested = true;
    await released;
    await route.continue();
  });
  await page.goto('/');
  await waitForHydration(page);
  await page.keyboard.press('?');
  await expect.poll(() => isRequested).toBe(true);
  await page.keyboard.press('Control+k');
  await expectInView(page.getByRole('dialog', { name: 'Command palette' }));
  release();
});

test('a link whose code cannot be loaded in advance causes no error and opens when it can be loaded', async ({
  page,
}) => {
  await registerMember(page.request);
  const errors: string[] = [];
  page.on('pageerror', ({ message }) => errors.push(message));
  await listening(page, () => page.goto('/'));
  await page.route(/\/assets\/[^/]*\.js$/u, (route) => route.abort('internetdisconnected'));
  const failed = page.waitForEvent('requestfailed', (request) =>
    /\/TagsPage-[^/]*\.js$/u.test(request.url()),
  );
  const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Topics' });
  await link.hover();
  await failed;
  await page.unroute(/\/assets\/[^/]*\.js$/u);
  await link.click();
  await expect(page.getByRole('heading', { name: 'Discover Topics' })).toBeVisible();
  expect(errors).toEqual([]);
});
