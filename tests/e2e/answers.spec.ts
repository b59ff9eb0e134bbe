import { expect, test } from '@playwright/test';
import { askAndOpen, button, postAnswer, questionUrl, uniqueText } from './support/posts.ts';
import { newMember, registerMember, signIn } from './support/members.ts';

test('an answer is posted once, is listed first and gets the focus', async ({ page }) => {
  const member = await registerMember(page.request, newMember('Ada Lovelace'));
  const id = await askAndOpen(page, uniqueText('Who wrote the first program?'));
  await postAnswer(page.request, id, 'An older answer');
  await page.reload();
  await expect(page.getByRole('heading', { name: '1 Answer', exact: true })).toBeVisible();
  const field = page.getByLabel('Your answer');
  const submit = button(page, 'Post Answer');
  await expect(submit).toBeDisabled();
  await field.fill('  \n ');
  await expect(submit).toBeDisabled();
  await field.fill('Note **G**.');
  await submit.dblclick();
  await expect(page.getByRole('heading', { name: '2 Answers' })).toBeVisible();
  const answers = page.getByRole('article', { name: `Answer by ${member.displayName}` });
  await expect(answers.first()).toContainText('Note G.');
  await expect(answers.first()).toBeFocused();
  await expect(field).toHaveValue('');
  await page.reload();
  await expect(answers).toHaveCount(2);
  await expect(answers.first()).toContainText('Note G.');
});

test('an answer is not posted twice when the response is lost', async ({ page }) => {
  await registerMember(page.request);
  await askAndOpen(page, uniqueText('Is anybody there?'));
  let lost = 0;
  await page.route('**/answers', async (route) => {
    if (route.request().method() !== 'POST' || lost > 0) return route.continue();
    lost++;
    await route.fetch();
    return route.abort('connectionreset');
  });
  await page.getByLabel('Your answer').fill('Yes.');
  await page.getByLabel('Your answer').press('Control+Enter');
  await expect(page.getByRole('alert').filter({ hasText: 'Failed to post answer: ' })).toBeVisible();
  // The answer arrives as a live event, and the form clears the posted text.
  await expect(page.getByRole('heading', { name: '1 Answer', exact: true })).toBeVisible();
  await expect(page.getByLabel('Your answer')).toHaveValue('');
  expect(lost).toBe(1);
  await page.reload();
  await expect(page.getByRole('heading', { name: '1 Answer', exact: true })).toBeVisible();
});

test('text typed while an answer is being posted stays and becomes a second answer', async ({ page }) => {
  const { displayName } = await registerMember(page.request);
  const id = await askAndOpen(page, uniqueText('Who types on?'));
  const arriving = Promise.withResolvers<void>();
  await page.route(`**/api/questions/${id}/answers`, async (route) => {
    await arriving.promise;
    await route.continue();
  });
  const field = page.getByLabel('Your answer');
  await field.fill('One');
  await button(page, 'Post Answer').click();
  await field.fill('Two');
  arriving.resolve();
  const answers = page.getByRole('article', { name: `Answer by ${displayName}` });
  await expect(answers).toHaveText([/One/u]);
  await expect(field).toHaveValue('Two');
  await button(page, 'Post Answer').click();
  await expect(answers).toHaveText([/Two/u, /One/u]);
  await expect(field).toHaveValue('');
});

test('an answer draft survives a reload and an expired session', async ({ page, context }) => {
  const member = await registerMember(page.request);
  const id = await askAndOpen(page, uniqueText('What if the session ends?'));
  const field = page.getByLabel('Your answer');
  await field.fill('Half an answer');
  await expect(page.getByText('Draft saved')).toBeVisible();
  // Waits for all requests: a late one would detect the expired session before the member does.
  await page.reload({ waitUntil: 'networkidle' });
  await expect(field).toHaveValue('Half an answer');
  await context.clearCookies();
  await button(page, 'Post Answer').click();
  await expect(page).toHaveURL(/\/login/u);
  await signIn(page, member);
  await expect(page).toHaveURL(questionUrl(id));
  await expect(field).toHaveValue('Half an answer');
  await button(page, 'Post Answer').click();
  await expect(page.getByRole('article', { name: `Answer by ${member.displayName}` })).toBeVisible();
});

test('further answers are loaded on request, or when the URL names one of them', async ({ page }) => {
  test.slow();
  const member = await registerMember(page.request);
  const id = await askAndOpen(page, uniqueText('How many answers are too many?'));
  const first = await postAnswer(page.request, id, 'The very first answer');
  await Promise.all(Array.from({ length: 50 }, (_, at) => postAnswer(page.request, id, `Answer ${at}`)));
  await page.goto(`/question/${id}`);
  const answers = page.getByRole('article', { name: `Answer by ${member.displayName}` });
  await expect(answers).toHaveCount(50);
  await expect(page.getByRole('heading', { name: '51 Answers' })).toBeVisible();
  await button(page, 'Load more answers').click();
  await expect(answers).toHaveCount(51);
  await expect(answers.last()).toContainText('The very first answer');
  await expect(button(page, 'Load more answers')).toHaveCount(0);

  await page.goto('/');
  await page.goto(`/question/${id}#answer-${first}`);
  const wanted = answers.filter({ hasText: 'The very first answer' });
  await expect(wanted).toBeFocused({ timeout: 30_000 });
  await expect(wanted).toBeInViewport();
});
