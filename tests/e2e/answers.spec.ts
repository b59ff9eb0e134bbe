import { expect, test } from '@playwright/test';
import { askAndOpen, button, postAnswer, uniqueText } from './support/posts.ts';
import { registerMember } from './support/members.ts';

// With animations, as most members see it.
test.use({ contextOptions: { reducedMotion: 'no-preference' } });

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
