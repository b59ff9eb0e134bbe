import { expect, type Page } from '@playwright/test';
import { waitForHydration } from './support/hydration.ts';
import { holdRequests } from './support/held-requests.ts';
import { askQuestion, registerMember } from './support/members.ts';
import { postAnswer, uniqueText, uniqueWord } from './support/posts.ts';
import { test } from './support/shared-page.ts';
import { visit } from './support/visit.ts';

const scrollPosition = (page: Page) => page.evaluate(() => Math.round(window.scrollY));

/** A question whose page is several screens long. */
async function askLongQuestion(page: Page) {
  const title = uniqueText('How long is this page?');
  const id = await askQuestion(page.request, { title, tags: ['distances'] });
  for (let number = 0; number < 6; number++)
    await postAnswer(page.request, id, `${'A line of the answer.\n\n'.repeat(12)}Answer ${number}.`);
  return { id, title };
}

test('Back and a reload return to where the page was left, a new page begins at the top', async ({
  page,
}) => {
  await registerMember(page.request);
  const { id } = await askLongQuestion(page);
  await page.goto(`/question/${id}`, { waitUntil: 'networkidle' });
  // From now on the fonts are in the cache, so that lines break at the same words.
  await page.reload();
  await expect(page.getByRole('heading', { name: '6 Answers' })).toBeVisible();
  await page.evaluate(() => window.scrollTo(0, 900));

  await page
    .getByRole('main')
    .getByRole('link', { name: 'distances' })
    .first()
    .evaluate((link) => {
      if (link instanceof HTMLElement) link.click();
    });
  await expect(page.getByRole('heading', { name: 'distances', level: 1 })).toBeVisible();
  await expect.poll(() => scrollPosition(page)).toBe(0);

  await page.goBack();
  await expect(page.getByRole('heading', { name: '6 Answers' })).toBeVisible();
  await expect.poll(() => scrollPosition(page)).toBe(900);

  await page.reload();
  await expect(page.getByRole('heading', { name: '6 Answers' })).toBeVisible();
  await expect.poll(() => scrollPosition(page)).toBe(900);

  // This page is rendered in the browser.
  await page.goto('/settings');
  await expect(page.getByRole('heading', { name: 'Settings', level: 1 })).toBeVisible();
  await page.setViewportSize({ width: 1280, height: 400 });
  await page.evaluate(() => window.scrollTo(0, 300));
  expect(await scrollPosition(page)).toBe(300);
  await page.reload();
  await expect.poll(() => scrollPosition(page)).toBe(300);
});

test('Back returns to where a list was left, also after a reload of the page that was opened from it', async ({
  page,
}) => {
  await registerMember(page.request);
  const word = uniqueWord('list');
  for (let number = 0; number < 8; number++)
    await askQuestion(page.request, { title: `Is this number ${number} of ${word}?` });
  await page.goto('/');
  const links = page.getByRole('main').getByRole('article').getByRole('link', { name: word });
  await expect(links).toHaveCount(8);
  await page.evaluate(() => window.scrollTo(0, 500));
  expect(await scrollPosition(page)).toBe(500);
  // A click of Playwright could scroll. The skeletons of the list are shorter.
  await links.last().evaluate((link) => {
    if (link instanceof HTMLElement) link.click();
  });
  await expect(page.getByRole('heading', { name: '0 Answers' })).toBeVisible();

  await page.reload();
  await waitForHydration(page);
  await page.goBack();
  await expect(links).toHaveCount(8);
  await expect.poll(() => scrollPosition(page)).toBe(500);

  // Also if the reader goes forward while the list is loading, and back again.
  await page.goForward();
  await page.reload();
  await waitForHydration(page);
  const release = await holdRequests(page, '**/api/feeds/**');
  await page.goBack();
  await expect(page.getByRole('heading', { name: 'Questions for you' })).toBeVisible();
  await page.goForward();
  await expect(page.getByRole('heading', { name: '0 Answers' })).toBeVisible();
  await page.goBack();
  release();
  await expect(links).toHaveCount(8);
  await expect.poll(() => scrollPosition(page)).toBe(500);
});

test('the last of several links that were opened at once is shown', async ({ page }) => {
  await registerMember(page.request);
  await page.goto('/');
  const release = await holdRequests(page, '**/assets/TagsPage-*.js');
  const links = page.getByRole('navigation', { name: 'Main' });
  await links.getByRole('link', { name: 'Topics' }).click();
  await expect(page).toHaveURL('/topics');
  await links.getByRole('link', { name: 'Following' }).click();
  await expect(page.getByRole('heading', { name: 'Following', level: 1 })).toBeVisible();
  const arrived = page.waitForResponse('**/assets/TagsPage-*.js');
  release();
  await (await arrived).finished();
  // The page would be rendered by now.
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 500)));
  await expect(page).toHaveURL('/following');
  await expect(page.getByRole('heading', { name: 'Following', level: 1 })).toBeVisible();

  await page.goBack();
  await expect(page.getByRole('heading', { name: 'Discover Topics', level: 1 })).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL('/');
});

test('the heading has the focus when a reader comes back from a page that was still loading', async ({
  page,
}) => {
  await registerMember(page.request);
  await page.goto('/');
  await waitForHydration(page);
  const release = await holdRequests(page, /\/api\/tags\b/u);
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Topics' }).focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL('/topics');
  await page.keyboard.press('g');
  await page.keyboard.press('h');
  await expect(page).toHaveURL('/');
  await expect(page.getByRole('heading', { name: 'Questions for you', level: 1 })).toBeFocused();
  release();
});

test('a link to the open page adds nothing to the history, and one opened with Ctrl leaves the page', async ({
  sharedPage: page,
}) => {
  await visit(page, '/topics');
  const links = page.getByRole('navigation', { name: 'Main' });
  await links.getByRole('link', { name: 'Following' }).click();
  await expect(page.getByRole('heading', { name: 'Following', level: 1 })).toBeVisible();
  const following = links.getByRole('link', { name: 'Following' });
  await following.click();
  await following.click();
  await expect(following).toHaveAttribute('aria-current', 'page');

  const opened = page.context().waitForEvent('page');
  await links.getByRole('link', { name: 'Home' }).click({ modifiers: ['ControlOrMeta'] });
  const other = await opened;
  await expect(other).toHaveURL('/');
  await other.close();
  await expect(page).toHaveURL('/following');

  await page.goBack();
  await expect(page.getByRole('heading', { name: 'Discover Topics', level: 1 })).toBeVisible();
});

for (const opened of ['by a link', 'by its address'] as const)
  test(`a page opened ${opened} whose code cannot be loaded says so, and is shown when it can`, async ({
    page,
  }) => {
    await registerMember(page.request);
    const code = '**/assets/TagsPage-*.js';
    if (opened === 'by a link') await page.goto('/');
    await page.route(code, (route) => route.fulfill({ status: 500 }));
    const links = page.getByRole('navigation', { name: 'Main' });
    if (opened === 'by a link') await links.getByRole('link', { name: 'Topics' }).click();
    else await page.goto('/topics');
    await expect(page.getByRole('heading', { name: 'Something went wrong' })).toBeVisible();
    await expect(links).toBeVisible();
    await page.unroute(code);
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect(page.getByRole('heading', { name: 'Discover Topics', level: 1 })).toBeVisible();
  });
