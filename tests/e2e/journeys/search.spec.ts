import { expect, test, type Page } from '@playwright/test';
import { askQuestion, registerMember, newMember } from '../support/members.ts';
import { postAnswer, uniqueText, uniqueWord, upvote } from '../support/posts.ts';

const results = (page: Page) => page.getByRole('main').getByRole('article').getByRole('heading');
const count = (page: Page, text: string) => page.getByRole('status').getByText(text, { exact: true });
const select = (page: Page, name: string) => page.getByRole('combobox', { name });

test('the search box leads to the results and shows the query', { tag: '@firefox' }, async ({ page }) => {
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
