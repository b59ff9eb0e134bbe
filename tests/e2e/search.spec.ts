import { expect, test, type Page } from '@playwright/test';
import { askQuestion, registerMember, newMember } from './support/members.ts';
import { postAnswer, uniqueText, uniqueWord, upvote } from './support/posts.ts';

const results = (page: Page) => page.getByRole('main').getByRole('article').getByRole('heading');
const count = (page: Page, text: string) => page.getByRole('status').getByText(text, { exact: true });
const select = (page: Page, name: string) => page.getByRole('combobox', { name });

test('the search box leads to the results and shows the query', async ({ page }) => {
  await registerMember(page.request);
  const word = uniqueWord('lantern');
  await askQuestion(page.request, { title: `Which ${word} floats?` });
  await page.goto('/');
  const box = page.getByRole('searchbox', { name: 'Search questions' });
  await box.fill('   ');
  await box.press('Enter');
  await expect(page).toHaveURL('/');
  await box.fill(` ${word} `);
  await box.press('Enter');
  await expect(page).toHaveURL(`/search?q=${word}`);
  await expect(page).toHaveTitle(`${word} · Search · Parley`);
  await expect(results(page)).toHaveText([`Which ${word} floats?`]);
  await expect(count(page, '1 result')).toBeVisible();
  await expect(box).toHaveValue(word);
});

test('a search covers questions, answers and users in three orders, all in the URL', async ({
  page,
  request,
}) => {
  const word = uniqueWord('quartz');
  await registerMember(request, newMember(`Miss ${word}`));
  const inBody = await askQuestion(request, {
    title: uniqueText('Which clock?'),
    content: `One with ${word} in it.`,
  });
  const inTitle = await askQuestion(request, { title: `Does ${word} age?` });
  await postAnswer(request, inTitle, `The ${word} drifts.`);
  await registerMember(page.request);
  await upvote(page.request, inBody);

  await page.goto(`/search?q=${word}`);
  await expect(select(page, 'Search in').getByRole('option')).toHaveText(['Questions', 'Answers', 'Users']);
  await expect(select(page, 'Sort by').getByRole('option')).toHaveText([
    'Relevance',
    'Most Recent',
    'Most Popular',
  ]);
  await expect(results(page).first()).toHaveText(`Does ${word} age?`);
  await expect(count(page, '2 results')).toBeVisible();
  await select(page, 'Sort by').selectOption('Most Popular');
  await expect(page).toHaveURL(`/search?q=${word}&sort=popular`);
  await expect(results(page).last()).toHaveText(`Does ${word} age?`);
  await select(page, 'Sort by').selectOption('Most Recent');
  await expect(page).toHaveURL(`/search?q=${word}&sort=recent`);
  await expect(results(page).first()).toHaveText(`Does ${word} age?`);

  await select(page, 'Search in').selectOption('Answers');
  await expect(page).toHaveURL(`/search?q=${word}&in=answers&sort=recent`);
  await expect(results(page)).toHaveText([`Does ${word} age?`]);
  await expect(page.getByText(`The ${word} drifts.`)).toBeVisible();
  await select(page, 'Search in').selectOption('Users');
  await expect(results(page)).toHaveText([`Miss ${word}`]);
  await expect(page.getByText('2 questions', { exact: true })).toBeVisible();

  await page.reload();
  await expect(select(page, 'Search in')).toHaveValue('users');
  await expect(select(page, 'Sort by')).toHaveValue('recent');
  await expect(results(page)).toHaveText([`Miss ${word}`]);
  await results(page).getByRole('link').click();
  await expect(page.getByRole('heading', { name: `Miss ${word}`, level: 1 })).toBeVisible();
  await page.goBack();
  await page.goBack();
  await expect(select(page, 'Search in')).toHaveValue('answers');
});

test('a query with a typing error finds results, and the page says so', async ({ page }) => {
  await registerMember(page.request);
  const word = uniqueWord('observatory');
  await askQuestion(page.request, { title: `Visiting the ${word}` });
  const typo = word.replace('observatory', 'obsrevatory');
  await page.goto(`/search?q=${typo}`);
  await expect(results(page)).toHaveText([`Visiting the ${word}`]);
  await expect(page.getByText(`No exact match for “${typo}”.`)).toBeVisible();
});

test('a search without results shows suggestions: topics, questions and hints', async ({ page }) => {
  await registerMember(page.request);
  await askQuestion(page.request, { title: 'Growing chrysanthemums indoors', tags: ['chrysanthemum'] });
  await page.goto('/search?q=chrysanthemun%20zzqxw&in=answers');
  await expect(count(page, '0 results')).toBeVisible();
  await expect(
    page.getByRole('main').getByRole('link', { name: 'chrysanthemum', exact: true }),
  ).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Search suggestions' })).toBeVisible();
  await page.getByRole('link', { name: 'topics', exact: true }).click();
  await expect(page).toHaveURL('/topics');
});

for (const address of ['/search', '/search?q=%20%20'])
  test(`a blank query gives no results at ${address}`, async ({ page }) => {
    await registerMember(page.request);
    await askQuestion(page.request, { title: uniqueText('Something to find') });
    let asked = 0;
    await page.route('**/api/search*', (route) => {
      asked++;
      return route.continue();
    });
    await page.goto(address);
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
  await page.goto(`/search?q=${uniqueWord('nowhere')}`);
  await expect(count(page, '0 results')).toBeVisible();
  await expect(page.getByRole('main').getByRole('article')).toHaveCount(0);
  await expect(page.getByText('Check the spelling')).toHaveCount(0);
  await expect(page.getByRole('alert')).toBeHidden();
  expect(logged.join('\n')).toContain('Searching failed');
  await page.unroute('**/api/search*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByText('Check the spelling')).toBeVisible();
});

test('every character can be searched for', async ({ page }) => {
  test.slow();
  await registerMember(page.request);
  const box = page.getByRole('searchbox', { name: 'Search questions' });
  await page.goto('/search');
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

test('Load more lists more than 20 results, each once', async ({ page }) => {
  await registerMember(page.request);
  const word = uniqueWord('pebble');
  for (let n = 1; n <= 23; n++) await askQuestion(page.request, { title: `${word} ${n}` });
  await page.goto(`/search?q=${word}&sort=recent`);
  await expect(count(page, '23 results')).toBeVisible();
  await expect(results(page)).toHaveCount(20);
  await page.getByRole('button', { name: 'Load more' }).click();
  await expect(results(page)).toHaveCount(23);
  const texts = await results(page).allTextContents();
  expect(new Set(texts).size).toBe(23);
  await expect(page.getByRole('button', { name: 'Load more' })).toBeHidden();
});

test('the results name the parts of the query that were ignored', async ({ page }) => {
  await registerMember(page.request);
  const word = uniqueWord('rye');
  await askQuestion(page.request, { title: `Which ${word} go with soup?` });
  const phrases = Array.from({ length: 6 }, () => `"${uniqueWord('two words')}"`).join(' ');
  await page.goto(`/search?${new URLSearchParams({ q: phrases }).toString()}`);
  await expect(page.getByRole('note')).toHaveText('Only the first 5 phrases were used.');
  await expect(page.getByRole('list', { name: 'Search filters' }).getByRole('listitem')).toHaveCount(5);
  await page.goto(`/search?${new URLSearchParams({ q: `${word} "go"` }).toString()}`);
  await expect(page.getByRole('note')).toHaveText(
    '"go" is too short for a phrase. Searched for it as a word.',
  );
  await expect(results(page)).toHaveText([`Which ${word} go with soup?`]);
});
