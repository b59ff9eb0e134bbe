import { expect, test, type Page } from '@playwright/test';
import { ask, logOut, register, signIn, someone } from './members.ts';
import { answer, secondMember, unique, upvote } from './posts.ts';
import { answers, answersOf, offline, waitingAnswer, writeAnswer } from './waiting.ts';

test.use({ serviceWorkers: 'allow' });

test('who starts without a network reads what they opened before, and what they write is sent later', async ({
  page,
  context,
  browser,
}) => {
  test.slow();
  await register(page.request, someone('Ada Offline'));
  const title = unique('Does it start?');
  const id = await ask(page.request, { title, tags: ['offline'] });
  // The feed comes with the page itself, and nothing else does.
  await page.route('**/api/**', (route) => route.abort('connectionrefused'));
  await page.goto('/');
  await expect(page.getByRole('article', { name: title })).toBeVisible();
  await expect(offline(page)).toHaveText('You are offline. What you see may be old.');
  await page.unroute('**/api/**');
  await page.getByRole('link', { name: title }).click();
  await expect(page.getByLabel('Your answer')).toBeVisible();
  await workerStands(page);
  await expect.poll(() => keptPages(page)).toContain(`["question",${id},"newest"]`);
  await page.close();

  await context.setOffline(true);
  const ben = await secondMember(browser, 'Ben Online');
  await answer(ben.page.request, id, 'Posted meanwhile.');
  const again = await context.newPage();
  await again.goto(`/question/${id}`);
  await expect(again.getByRole('heading', { name: title })).toBeVisible();
  await expect(offline(again)).toHaveText(
    /What you see may be old\. It was loaded (just now|1 minute ago)\./u,
  );
  await again.getByRole('link', { name: 'Parley' }).click();
  await expect(again.getByRole('article', { name: title })).toBeVisible();
  await again.getByRole('link', { name: 'Topics' }).first().click();
  await expect(offline(again)).toContainText('This page comes when you are back online.');
  await again.goBack();
  await again.goBack();
  await writeAnswer(again, 'Written on the train.');
  await expect(waitingAnswer(again)).toContainText('Written on the train.');
  await again.reload();
  await expect(waitingAnswer(again)).toContainText('Written on the train.');

  await context.setOffline(false);
  await expect(answers(again, 'Ada Offline')).toContainText('Written on the train.');
  await expect(answers(again, 'Ben Online')).toContainText('Posted meanwhile.');
  await expect(offline(again)).toHaveCount(0);
  expect(await answersOf(ben.page.request, id)).toEqual(['Written on the train.', 'Posted meanwhile.']);
  await upvote(ben.page.request, id);
  await expect(again.getByRole('button', { name: 'Upvote (1)' })).toBeVisible();
});

test('what a member opened is gone from the browser when they sign out, in every tab, and nobody else sees it', async ({
  page,
  context,
}) => {
  test.slow();
  const ada = await register(page.request, someone('Ada Private'));
  const id = await ask(page.request, { title: unique('For members only?') });
  await page.goto(`/question/${id}`);
  await workerStands(page);
  await expect.poll(() => keptPages(page)).toContain(`["question",${id},"newest"]`);
  const other = await context.newPage();
  await other.goto(`/question/${id}`);
  await expect(other.getByLabel('Your answer')).toBeVisible();

  await logOut(page);
  await expect.poll(() => keptPages(page)).toEqual([]);
  await expect(other).toHaveURL(/\/login/u);
  await other.close();
  await context.setOffline(true);
  await page.goto(`/question/${id}`);
  await expect(page.getByRole('heading', { name: 'Parley cannot be reached' })).toBeVisible();
  await context.setOffline(false);
  await expect(page).toHaveURL(/\/login/u);
  await signIn(page, ada);
  await expect.poll(() => keptPages(page)).toContain(`["question",${id},"newest"]`);

  // Somebody else signs in over it, as after a session that has ended.
  await register(page.request, someone('Ben Next'));
  await page.goto('/');
  await expect.poll(() => keptPages(page)).toContain('["feed","recent","hide"]');
  expect(await keptPages(page)).not.toContain(`["question",${id},"newest"]`);
  await context.setOffline(true);
  await page.goto(`/question/${id}`);
  await expect(offline(page)).toContainText('This page comes when you are back online.');
  await expect(page.getByLabel('Your answer')).toHaveCount(0);
});

/** The worker has fetched the whole build, and answers for this page. */
async function workerStands(page: Page): Promise<void> {
  await page.waitForFunction(() => navigator.serviceWorker.controller?.state === 'activated');
}

/** Under which keys the browser keeps something of what was opened. */
function keptPages(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    // Opening would make an empty one.
    if (!(await indexedDB.databases()).some(({ name }) => name === 'parley')) return [];
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      const opening = indexedDB.open('parley');
      opening.addEventListener('success', () => resolve(opening.result));
      opening.addEventListener('error', () => reject(new Error('The store cannot be opened.')));
    });
    const keys = await new Promise<IDBValidKey[]>((resolve) => {
      const reading = database.transaction('pages').objectStore('pages').getAllKeys();
      reading.addEventListener('success', () => resolve(reading.result));
    });
    database.close();
    return keys.map((key) => (key as [number, string])[1]);
  });
}
