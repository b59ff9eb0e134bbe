import { expect, type Page } from '@playwright/test';
import { askQuestion, registerMember } from './support/members.ts';
import { uniqueText, uniqueWord } from './support/posts.ts';
import { test } from './support/shared-page.ts';
import { visit } from './support/visit.ts';

const results = (page: Page) => page.getByRole('main').getByRole('article').getByRole('heading');
const count = (page: Page, text: string) => page.getByRole('status').getByText(text, { exact: true });

for (const address of ['/search', '/search?q=%20%20'])
  test(`a blank query gives no results at ${address}`, async ({ sharedPage: page }) => {
    await askQuestion(page.request, { title: uniqueText('Something to find') });
    let asked = 0;
    await page.route('**/api/search*', (route) => {
      asked++;
      return route.continue();
    });
    await visit(page, address);
    await expect(page.getByRole('heading', { name: 'Search', exact: true, level: 1 })).toBeVisible();
    await expect(page.getByRole('heading', { name: 'Search suggestions' })).toBeVisible();
    await expect(page.getByText('Check the spelling')).toHaveCount(0);
    await expect(page.getByRole('main').getByRole('article')).toHaveCount(0);
    expect(asked).toBe(0);
  });

test('a failed search shows an empty list, is logged, and can be retried', async ({ page }) => {
  await registerMember(page.request);
  const logged: string[] = [];
  page.on('console', (message) => logged.push(message.text()));
  await page.route('**/api/search*', (route) => route.fulfill({ status: 500, body: 'broken' }));
  // The results of an address come with its page.
  await page.goto('/search');
  const box = page.getByRole('searchbox', { name: 'Search questions' });
  await box.fill(uniqueWord('nowhere'));
  await box.press('Enter');
  await expect(count(page, '0 results')).toBeVisible();
  await expect(page.getByRole('main').getByRole('article')).toHaveCount(0);
  await expect(page.getByText('Check the spelling')).toHaveCount(0);
  await expect(page.getByRole('alert')).toBeHidden();
  expect(logged.join('\n')).toContain('Searching failed');
  await page.unroute('**/api/search*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByText('Check the spelling')).toBeVisible();
});

test('every character can be searched for', async ({ sharedPage: page }) => {
  test.slow();
  const box = page.getByRole('searchbox', { name: 'Search questions' });
  await visit(page, '/search');
  for (const query of ['c++', '100%', 'x & y = z?', '#1', '"quoted"', '🚀']) {
    const title = `${uniqueText('Looking for')} ${query}`;
    await askQuestion(page.request, { title });
    await box.fill(query);
    await box.press('Enter');
    await expect(page.getByRole('article', { name: title })).toBeVisible();
    await expect(page.getByRole('heading', { name: `Results for “${query}”`, level: 1 })).toBeVisible();
    await expect(box).toHaveValue(query);
  }
});

test('Load more lists more than 20 results, each once', async ({ sharedPage: page, request }) => {
  // The rate limit does not let one member ask the questions of all tests.
  await registerMember(request);
  const word = uniqueWord('pebble');
  for (let n = 1; n <= 23; n++) await askQuestion(request, { title: `${word} ${n}` });
  await visit(page, `/search?q=${word}&sort=recent`);
  await expect(count(page, '23 results')).toBeVisible();
  await expect(results(page)).toHaveCount(20);
  await page.getByRole('button', { name: 'Load more' }).click();
  await expect(results(page)).toHaveCount(23);
  const texts = await results(page).allTextContents();
  expect(new Set(texts).size).toBe(23);
  await expect(page.getByRole('button', { name: 'Load more' })).toBeHidden();
});

test('the results name the parts of the query that were ignored', async ({ sharedPage: page }) => {
  const word = uniqueWord('rye');
  await askQuestion(page.request, { title: `Which ${word} go with soup?` });
  const phrases = Array.from({ length: 6 }, () => `"${uniqueWord('two words')}"`).join(' ');
  await visit(page, `/search?${new URLSearchParams({ q: phrases }).toString()}`);
  await expect(page.getByRole('note')).toHaveText('Only the first 5 phrases were used.');
  await expect(page.getByRole('list', { name: 'Search filters' }).getByRole('listitem')).toHaveCount(5);
  await visit(page, `/search?${new URLSearchParams({ q: `${word} "go"` }).toString()}`);
  await expect(page.getByRole('note')).toHaveText(
    '"go" is too short for a phrase. Searched for it as a word.',
  );
  await expect(results(page)).toHaveText([`Which ${word} go with soup?`]);
});
