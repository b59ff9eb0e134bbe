import { expect, test, type Page } from '@playwright/test';
import { askQuestion, signOut, registerMember, signIn, newMember } from './support/members.ts';
import { postAnswer, secondMember, uniqueText, upvote } from './support/posts.ts';
import { startNetwork } from './support/network.ts';
import {
  answersBy,
  getAnswerTexts,
  offlineBanner,
  queuedAnswer,
  writeAnswer,
} from './support/offline-queue.ts';

test.use({ serviceWorkers: 'allow' });

test('a member who starts offline reads pages opened before, and posts are sent later', async ({
  page,
  context,
  browser,
}) => {
  test.slow();
  await registerMember(page.request, newMember('Ada Offline'));
  const title = uniqueText('Does it start?');
  const id = await askQuestion(page.request, { title, tags: ['offline'] });
  // The feed is inlined in the page; every other request fails.
  await page.route('**/api/**', (route) => route.abort('connectionrefused'));
  await page.goto('/');
  await expect(page.getByRole('article', { name: title })).toBeVisible();
  await expect(offlineBanner(page)).toHaveText('You are offline. What you see may be old.');
  await page.unroute('**/api/**');
  await page.getByRole('link', { name: title }).click();
  await expect(page.getByLabel('Your answer')).toBeVisible();
  await waitForServiceWorker(page);
  await expect.poll(() => listOfflinePages(page)).toContain(`["question",${id},"newest"]`);
  await page.getByRole('link', { name: 'Your Profile' }).click();
  await expect(page.getByRole('heading', { name: 'Ada Offline' })).toBeVisible();
  for (const key of ['["profiles",', '["activity","member",', '["activity","reputation",'])
    await expect.poll(async () => (await listOfflinePages(page)).join()).toContain(key);
  await page.close();

  await context.setOffline(true);
  const ben = await secondMember(browser, 'Ben Online');
  await postAnswer(ben.page.request, id, 'Posted meanwhile.');
  const again = await context.newPage();
  await again.goto(`/question/${id}`);
  await expect(again.getByRole('heading', { name: title })).toBeVisible();
  await expect(offlineBanner(again)).toHaveText(
    /What you see may be old\. Last updated (just now|1 minute ago)\./u,
  );
  await again.getByRole('button', { name: 'More actions' }).click();
  await expect(again.getByRole('menuitem', { name: 'Copy link' })).toBeVisible();
  await again.keyboard.press('Escape');
  await again.getByRole('link', { name: 'Parley' }).click();
  await expect(again.getByRole('article', { name: title })).toBeVisible();
  await again.getByRole('link', { name: 'Topics' }).first().click();
  await expect(offlineBanner(again)).toContainText('This page will load when you are back online.');
  await again.goBack();
  await again.goBack();
  await writeAnswer(again, 'Written on the train.');
  await expect(queuedAnswer(again)).toContainText('Written on the train.');
  await again.reload();
  await expect(queuedAnswer(again)).toContainText('Written on the train.');
  await again.getByRole('link', { name: 'Your Profile' }).click();
  await expect(again.getByRole('heading', { name: 'Ada Offline' })).toBeVisible();
  await again.goBack();

  await context.setOffline(false);
  await expect(answersBy(again, 'Ada Offline')).toContainText('Written on the train.');
  await expect(answersBy(again, 'Ben Online')).toContainText('Posted meanwhile.');
  await expect(offlineBanner(again)).toHaveCount(0);
  expect(await getAnswerTexts(ben.page.request, id)).toEqual(['Written on the train.', 'Posted meanwhile.']);
  await upvote(ben.page.request, id);
  await expect(again.getByRole('button', { name: 'Upvote (1)' })).toBeVisible();
});

test('a page stays readable offline when the server refused it for a while', async ({ page, context }) => {
  test.slow();
  await registerMember(page.request);
  const title = uniqueText('Still there?');
  const id = await askQuestion(page.request, { title });
  await page.goto(`/question/${id}`);
  await waitForServiceWorker(page);
  await expect.poll(() => listOfflinePages(page)).toContain(`["question",${id},"newest"]`);
  await page.goto('/');
  await page.route('**/api/**/questions/*?*', (route) =>
    route.fulfill({ status: 429, headers: { 'retry-after': '60' }, json: { detail: 'Too many requests' } }),
  );
  await page.getByRole('link', { name: title }).click();
  await expect(page.getByText('Too many requests')).toBeVisible();
  await page.unroute('**/api/**/questions/*?*');
  expect(await listOfflinePages(page)).toContain(`["question",${id},"newest"]`);
  await context.setOffline(true);
  await page.goto(`/question/${id}`);
  await expect(page.getByRole('heading', { name: title })).toBeVisible();
});

test("signing out deletes the member's pages from the browser, in every tab, and no other member sees them", async ({
  page,
  context,
}) => {
  test.slow();
  const ada = await registerMember(page.request, newMember('Ada Private'));
  const id = await askQuestion(page.request, { title: uniqueText('For members only?') });
  await page.goto(`/question/${id}`);
  await waitForServiceWorker(page);
  await expect.poll(() => listOfflinePages(page)).toContain(`["question",${id},"newest"]`);
  const other = await context.newPage();
  await other.goto(`/question/${id}`);
  await expect(other.getByLabel('Your answer')).toBeVisible();

  await signOut(page);
  await expect.poll(() => listOfflinePages(page)).toEqual([]);
  await expect(other).toHaveURL(/\/login/u);
  await other.close();
  await context.setOffline(true);
  await page.goto(`/question/${id}`);
  await expect(page.getByRole('heading', { name: 'Parley cannot be reached' })).toBeVisible();
  await context.setOffline(false);
  await expect(page).toHaveURL(/\/login/u);
  await signIn(page, ada);
  await expect.poll(() => listOfflinePages(page)).toContain(`["question",${id},"newest"]`);

  // Another member signs in without a sign-out, as after an expired session.
  await registerMember(page.request, newMember('Ben Next'));
  await page.goto('/');
  await expect.poll(() => listOfflinePages(page)).toContain('["feed","recent","hide"]');
  expect(await listOfflinePages(page)).not.toContain(`["question",${id},"newest"]`);
  await context.setOffline(true);
  await page.goto(`/question/${id}`);
  await expect(offlineBanner(page)).toContainText('This page will load when you are back online.');
  await expect(page.getByLabel('Your answer')).toHaveCount(0);
});

test('the page after Logout appears only once the stored pages are deleted', async ({ page }) => {
  await registerMember(page.request);
  await page.goto('/');
  await expect.poll(() => listOfflinePages(page)).toContain('["feed","recent","hide"]');
  await page.evaluate(async () => {
    const log: string[] = [];
    Object.assign(window, { log });
    const clear = Reflect.get(IDBObjectStore.prototype, 'clear');
    IDBObjectStore.prototype.clear = function () {
      this.transaction.addEventListener('complete', () => log.push('deleted'));
      return clear.call(this);
    };
    for (const name of ['pushState', 'replaceState'] as const) {
      const change = Reflect.get(history, name) as History['pushState'];
      history[name] = (...state) => {
        if (String(state[2]).includes('/login')) log.push('signed out');
        change.apply(history, state);
      };
    }
    // As if another tab were writing: the deletion waits for these reads.
    const database = await new Promise<IDBDatabase>((resolve) => {
      const opening = indexedDB.open('parley');
      opening.addEventListener('success', () => resolve(opening.result));
    });
    const pages = database.transaction('pages', 'readwrite').objectStore('pages');
    let isHolding = true;
    let left = 100;
    function read() {
      if (isHolding || left-- > 0) pages.count().addEventListener('success', read);
    }
    read();
    Object.assign(window, { release: () => (isHolding = false) });
  });
  const ended = page.waitForResponse((response) => response.request().method() === 'DELETE');
  await page.getByRole('button', { name: 'Account menu' }).click();
  await page.getByRole('menuitem', { name: 'Logout' }).click();
  await ended;
  await page.evaluate(() => (window as unknown as { release: () => void }).release());
  const readLog = () => page.evaluate(() => (window as unknown as { log: string[] }).log);
  await expect.poll(readLog).toContain('signed out');
  expect((await readLog())[0]).toBe('deleted');
});

test('after a sign-out with a clock that was wrong, pages are stored again', async ({ page }) => {
  const member = await registerMember(page.request);
  const id = await askQuestion(page.request, { title: uniqueText('Which day is it?') });
  await page.clock.setFixedTime(Date.now() + 24 * 60 * 60 * 1_000);
  await page.goto('/');
  await expect.poll(() => listOfflinePages(page)).toContain('["feed","recent","hide"]');
  await signOut(page);
  await expect.poll(() => listOfflinePages(page)).toEqual([]);
  await page.clock.setFixedTime(Date.now());
  await signIn(page, member);
  await expect(page).toHaveURL('/');
  await page.goto(`/question/${id}`);
  await expect.poll(() => listOfflinePages(page)).toContain(`["question",${id},"newest"]`);
});

test('a start on a network that does not respond uses the stored page', async ({
  page,
  context,
  baseURL,
}) => {
  test.slow();
  const network = await startNetwork(baseURL ?? '');
  try {
    await registerMember(page.request);
    await page.goto(network.address);
    await waitForServiceWorker(page);
    await page.close();
    network.lose();
    const again = await context.newPage();
    const response = await again.goto(network.address, { waitUntil: 'commit' });
    expect(response?.fromServiceWorker()).toBe(true);
  } finally {
    await network.close();
  }
});

/** Waits until the service worker has cached the whole build and controls this page. */
async function waitForServiceWorker(page: Page): Promise<void> {
  await page.waitForFunction(() => navigator.serviceWorker.controller?.state === 'activated');
}

/** The keys of the pages in the offline cache. */
function listOfflinePages(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    // Opening the database would create it.
    if (!(await indexedDB.databases()).some(({ name }) => name === 'parley')) return [];
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      const opening = indexedDB.open('parley');
      opening.addEventListener('success', () => resolve(opening.result));
      opening.addEventListener('error', () => reject(new Error('The offline cache cannot be opened.')));
    });
    const keys = await new Promise<IDBValidKey[]>((resolve) => {
      const reading = database.transaction('pages').objectStore('pages').getAllKeys();
      reading.addEventListener('success', () => resolve(reading.result));
    });
    database.close();
    return keys.map((key) => (key as [number, string])[1]);
  });
}
