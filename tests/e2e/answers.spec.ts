import { expect, test } from '@playwright/test';
import { askAndOpen, button, postAnswer, uniqueText } from './support/posts.ts';
import { registerMember } from './support/members.ts';

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
  await expect(field).toBeFocused();
  await button(page, 'Post Answer').click();
  await expect(answers).toHaveText([/Two/u, /One/u]);
  await expect(field).toHaveValue('');
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

test('an answer that could not be accepted returns to its place', async ({ page }) => {
  await registerMember(page.request);
  const id = await askAndOpen(page, uniqueText('Which one?'));
  for (const text of ['One', 'Two', 'Three']) await postAnswer(page.request, id, text);
  await page.reload();
  const answers = page.getByRole('article', { name: 'Answer by' });
  await expect(answers).toHaveText([/Three/u, /Two/u, /One/u]);
  const arriving = Promise.withResolvers<void>();
  await page.route('**/accepted-answer', async (route) => {
    await arriving.promise;
    await route.abort();
  });
  await answers.last().getByRole('button', { name: 'Accept answer' }).click();
  await expect(answers).toHaveText([/One/u, /Three/u, /Two/u]);
  arriving.resolve();
  await expect(page.getByRole('alert')).toContainText('Could not accept the answer');
  await expect(answers).toHaveText([/Three/u, /Two/u, /One/u]);
});
