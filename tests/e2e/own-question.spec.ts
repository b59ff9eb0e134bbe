import { expect } from '@playwright/test';
import {
  askAndOpen,
  button,
  postAnswer,
  question,
  secondMember,
  uniqueText,
  uniqueWord,
  withoutLiveUpdates,
} from './support/posts.ts';
import { askQuestion, newMember, registerMember } from './support/members.ts';
import { expectInView } from './support/in-view.ts';
import { test } from './support/shared-page.ts';
import { visit } from './support/visit.ts';

test('an author edits a question; every member can read the earlier version', async ({
  sharedPage: page,
  browser,
}) => {
  const title = uniqueText('How do I sharpen a chisel');
  const id = await askAndOpen(page, title, 'With water?');
  await button(page, 'Edit').click();
  await expect(page.getByLabel('Title')).toBeFocused();
  await page.getByLabel('Title').fill(`${title}?`);
  await page.getByLabel('Details').fill('With oil?');
  await page.getByLabel('Tags').fill('tools, a, b, c, d, e');
  await button(page, 'Save').click();
  await expect(page.getByRole('alert')).toHaveText('You can add up to 5 tags');
  await page.getByLabel('Tags').fill('tools');
  await button(page, 'Save').click();
  const article = question(page, `${title}?`);
  await expect(article).toContainText('With oil?');
  await expect(article.getByRole('link', { name: 'tools' })).toBeVisible();

  const reader = await secondMember(browser, 'A Reader');
  await reader.page.goto(`/question/${id}`);
  const edited = reader.page.getByRole('button', { name: /^edited/u });
  await edited.click();
  const dialog = reader.page.getByRole('dialog', { name: 'Versions' });
  await expectInView(dialog);
  await expect(dialog.getByRole('deletion').filter({ hasText: 'water' })).toBeVisible();
  await expect(dialog.getByRole('insertion').filter({ hasText: 'oil' })).toBeVisible();
  const first = dialog.getByText('With water?', { exact: true });
  await expect(first).toHaveCount(0);
  await dialog.getByRole('heading', { name: 'First version' }).click();
  await expect(first).toBeVisible();
  await reader.page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(edited).toBeFocused();
});

test('an author deletes a question after confirming, and arrives at the home page', async ({
  sharedPage: page,
}) => {
  const title = uniqueText('Shall I stay?');
  await visit(page, '/topics');
  const id = await askAndOpen(page, title);
  const opener = button(page, 'Delete Question');
  await opener.click();
  const dialog = page.getByRole('dialog');
  await expectInView(dialog);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(dialog).toBeHidden();
  await expect(opener).toBeFocused();
  await opener.click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await expect(page).toHaveURL('/');
  await expect(page.getByRole('article', { name: title })).toHaveCount(0);
  await expect(page.getByRole('heading', { name: 'Questions for you' })).toBeFocused();
  // Not to the deleted question.
  await page.goBack();
  await expect(page).toHaveURL('/topics');
  await page.goto(`/question/${id}`);
  await expect(page.getByRole('heading', { name: 'Question not found' })).toBeVisible();
});

test('a slow deletion does not lead away from the page that the author opened meanwhile', async ({
  sharedPage: page,
}) => {
  const title = uniqueText('Is this slow?');
  const tag = uniqueWord('slow');
  const id = await askQuestion(page.request, { title, tags: [tag] });
  await visit(page, `/topics/${tag}`);
  await page.getByRole('link', { name: title }).click();
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route(`**/api/questions/${id}`, async (route) => {
    if (route.request().method() === 'DELETE') await released;
    await route.continue();
  });
  await button(page, 'Delete Question').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.goBack();
  const topic = page.getByRole('heading', { name: tag, level: 1 });
  await expect(topic).toBeVisible();
  release();
  await expect(page.getByText('Question deleted')).toBeVisible();
  await expect(page).toHaveURL(`/topics/${tag}`);
  await expect(topic).toBeVisible();
  await expect(page.getByRole('link', { name: title })).toHaveCount(0);
});

test('an error says that a question is already deleted, and other errors give their reason', async ({
  page,
}) => {
  await withoutLiveUpdates(page);
  await registerMember(page.request);
  const id = await askAndOpen(page, uniqueText('Gone?'));
  const remove = async () => {
    await button(page, 'Delete Question').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await expect(page.getByRole('dialog')).toBeHidden();
  };
  await page.route(`**/api/questions/${id}`, (route) =>
    route.request().method() === 'DELETE' ? route.abort('connectionrefused') : route.continue(),
  );
  await remove();
  await expect(page.getByRole('alert').filter({ hasText: 'Failed to delete question: ' })).toBeVisible();
  await page.unroute(`**/api/questions/${id}`);
  await page.request.delete(`/api/questions/${id}`);
  await remove();
  await expect(
    page.getByRole('alert').filter({ hasText: 'Question not found or already deleted.' }),
  ).toBeVisible();
});

test("a member who signed in meanwhile cannot delete the author's question, and sees the reason", async ({
  page,
}) => {
  await withoutLiveUpdates(page);
  await registerMember(page.request);
  const title = uniqueText('Whose is it?');
  const id = await askAndOpen(page, title);
  // The page stays as it was for its author.
  await registerMember(page.request, newMember('Somebody Else'));
  await button(page, 'Delete Question').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect(
    page.getByRole('alert').filter({ hasText: 'You can only delete your own questions.' }),
  ).toBeVisible();
  await page.goto(`/question/${id}`);
  await expect(page.getByRole('heading', { name: title, level: 1 })).toBeVisible();
  await expect(button(page, 'Delete Question')).toHaveCount(0);
});

test('nothing can be typed while an edit of a question or an answer is being saved', async ({
  sharedPage: page,
}) => {
  const id = await askAndOpen(page, uniqueText('Slowly saved'));
  await postAnswer(page.request, id, 'An answer.');
  const arriving = Promise.withResolvers<void>();
  await page.route(/\/api\/(?:questions|answers)\/\d+$/u, async (route) => {
    if (route.request().method() === 'PUT') await arriving.promise;
    await route.continue();
  });
  await button(page, 'Edit').first().click();
  await page.getByLabel('Details').fill('Better details.');
  await button(page, 'Save').click();
  for (const name of ['Title', 'Details', 'Tags']) await expect(page.getByLabel(name)).not.toBeEditable();
  await button(page, 'Edit').click();
  const answer = page.getByLabel('Edit answer');
  await answer.fill('A better answer.');
  await button(page, 'Save').last().click();
  await expect(answer).not.toBeEditable();
  arriving.resolve();
  for (const text of ['Better details.', 'A better answer.'])
    await expect(page.getByRole('paragraph').filter({ hasText: text })).toBeVisible();
});
