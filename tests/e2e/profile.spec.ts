import { expect } from '@playwright/test';
import { askQuestion, registerMember, newMember } from './support/members.ts';
import { postAnswer, questionUrl, uniqueText } from './support/posts.ts';
import { test } from './support/shared-page.ts';
import { visit } from './support/visit.ts';

test("the tabs list the member's questions and answers; an answer links to its position", async ({
  page,
  request,
}) => {
  await registerMember(page.request);
  const own = uniqueText('Asked by me');
  await askQuestion(page.request, { title: own });
  await registerMember(request);
  const theirs = uniqueText('Answered by me');
  const questionId = await askQuestion(request, { title: theirs });
  const answerId = await postAnswer(page.request, questionId, 'Turn it upside down.');

  await page.goto('/profile');
  const main = page.getByRole('main');
  await expect(main.getByRole('tab')).toHaveText(['Questions', 'Answers']);
  await expect(main.getByRole('article')).toHaveCount(1);
  await expect(main.getByRole('article', { name: own })).toBeVisible();
  await main.getByRole('tab', { name: 'Answers' }).click();
  await expect(page).toHaveURL('/profile?tab=answers');
  const card = main.getByRole('article', { name: theirs });
  await expect(card.getByText('Turn it upside down.')).toBeVisible();
  await card.getByRole('link', { name: theirs }).click();
  await expect(page).toHaveURL(questionUrl(questionId, `#answer-${answerId}`));
});

test('empty tabs have a text for the member and another for others', async ({ page, request }) => {
  const member = await registerMember(page.request, newMember('Rosalind Franklin'));
  const session = await page.request.get('/api/session');
  const { member: me } = (await session.json()) as { member: { id: number } };
  await page.goto('/profile');
  await expect(page.getByText("You haven't asked any questions yet.")).toBeVisible();
  await page.getByRole('tab', { name: 'Answers' }).click();
  await expect(page.getByText("You haven't answered any questions yet.")).toBeVisible();

  await page.context().clearCookies();
  await registerMember(page.request);
  await page.goto(`/profile/${me.id}`);
  await expect(page.getByRole('heading', { name: member.displayName })).toBeVisible();
  await expect(page.getByText("Rosalind Franklin hasn't asked any questions yet.")).toBeVisible();
  await page.getByRole('tab', { name: 'Answers' }).click();
  await expect(page).toHaveURL(`/profile/${me.id}?tab=answers`);
  await expect(page.getByText("Rosalind Franklin hasn't answered any questions yet.")).toBeVisible();
  await request.dispose();
});

for (const id of ['999999999', 'nobody'])
  test(`the profile ${id} does not exist`, async ({ sharedPage: page }) => {
    await visit(page, `/profile/${id}`);
    await expect(page.getByRole('heading', { name: 'User not found', level: 1 })).toBeVisible();
    await expect(page).toHaveTitle('User not found · Parley');
  });

test('Load more lists more than 20 questions, each once', async ({ page }) => {
  await registerMember(page.request);
  for (let n = 1; n <= 22; n++) await askQuestion(page.request, { title: `Question number ${n}` });
  await page.goto('/profile');
  const titles = page.getByRole('main').getByRole('article').getByRole('heading');
  await expect(titles).toHaveCount(20);
  await expect(titles.first()).toHaveText('Question number 22');
  await page.getByRole('button', { name: 'Load more' }).click();
  await expect(titles).toHaveCount(22);
  await expect(titles.last()).toHaveText('Question number 1');
  await expect(page.getByRole('button', { name: 'Load more' })).toBeHidden();
});

test('Load more, pressed while the list is refetched, loads the next page', async ({ page }) => {
  await registerMember(page.request);
  for (let n = 1; n <= 22; n++) await askQuestion(page.request, { title: `Question number ${n}` });
  await page.goto('/profile');
  const titles = page.getByRole('main').getByRole('article').getByRole('heading');
  await expect(titles).toHaveCount(20);

  const again = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  await page.route('**/api/members/*/questions', async (route) => {
    again.resolve();
    await release.promise;
    await route.continue();
  });
  // A live event causes a refetch of the list.
  await askQuestion(page.request, { title: 'Question number 23' });
  await again.promise;
  await page.getByRole('button', { name: 'Load more' }).click();
  release.resolve();
  await expect(titles).toHaveCount(23);
  await expect(titles.last()).toHaveText('Question number 1');
});

test('a new question appears on the profile immediately', async ({ page }) => {
  await registerMember(page.request);
  const title = uniqueText('Asked a moment ago');
  await page.goto('/profile');
  await expect(page.getByText("You haven't asked any questions yet.")).toBeVisible();
  await page.getByRole('main').getByRole('link', { name: 'Ask a question' }).click();
  await page.getByLabel('Title').fill(title);
  await page.getByLabel('Details').fill('Details');
  await page.getByRole('button', { name: 'Post Question' }).click();
  await expect(page).toHaveURL(/\/question\//u);
  await page.getByRole('link', { name: 'Your Profile' }).click();
  await expect(page.getByRole('article', { name: title })).toBeVisible();
  await expect(page.getByText('1 question', { exact: true })).toBeVisible();
});
