import { expect } from '@playwright/test';
import { button, postAnswer, postReply, uniqueText, withoutLiveUpdates } from './support/posts.ts';
import { holdRequests } from './support/held-requests.ts';
import { waitForTexts } from './support/hydration.ts';
import { askQuestion, registerMember } from './support/members.ts';
import { openThread, replyBy, replyField } from './support/forms.ts';
import { test } from './support/shared-page.ts';
import { visit } from './support/visit.ts';

test('replies can be voted on at every level', async ({ sharedPage: page }) => {
  const questionId = await askQuestion(page.request, { title: uniqueText('How deep?') });
  const answerId = await postAnswer(page.request, questionId);
  let parent: number | null = null;
  for (let level = 0; level <= 3; level++)
    parent = await postReply(page.request, answerId, `Level ${level}`, parent);
  await visit(page, `/question/${questionId}`);
  const replies = page.getByRole('article', { name: 'Reply by' });
  await expect(replies).toHaveCount(4);
  for (let level = 0; level <= 3; level++) {
    await replies.nth(level).getByRole('button', { name: 'Upvote (0)' }).click();
    await expect(replies.nth(level).getByRole('button', { name: 'Upvote (1)' })).toBeEnabled();
  }
});

test('a reply has up to 1000 characters, counted as readers see them', async ({
  sharedPage: page,
  sharedMember: member,
}) => {
  await openThread(page);
  await button(page, 'Reply').click();
  await replyField(page).fill('🎉'.repeat(1001));
  await expect(page.getByText('1001/1000', { exact: true })).toBeVisible();
  await button(page, 'Post Reply').click();
  await expect(page.getByRole('alert')).toHaveText('Reply must be 1,000 characters or fewer');
  await expect(replyField(page)).toBeFocused();
  await replyField(page).fill('🎉'.repeat(1000));
  await expect(page.getByRole('alert')).toHaveCount(0);
  await button(page, 'Post Reply').click();
  await expect(replyBy(page, member.displayName)).toBeVisible();
});

test('a double click posts one reply', async ({ sharedPage: page, sharedMember: member }) => {
  const { questionId } = await openThread(page);
  // The keys go to one element.
  await waitForTexts(page);
  await button(page, 'Reply').click();
  await replyField(page).fill('Once');
  const requests: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') requests.push(request.url());
  });
  await replyField(page).evaluate((element) => {
    for (let press = 0; press < 3; press++)
      element.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true, bubbles: true }));
  });
  await expect(replyBy(page, member.displayName)).toHaveCount(1);
  expect(requests).toHaveLength(1);
  await page.goto(`/question/${questionId}`);
  await expect(replyBy(page, member.displayName)).toHaveCount(1);
});

test('a reply that is typed and sent before its form is loaded is posted then, and Esc closes it', async ({
  page,
}) => {
  const member = await registerMember(page.request);
  const load = await holdRequests(page, '**/assets/post-forms-*.js');
  await openThread(page);
  await button(page, 'Reply').click();
  await expect(replyField(page)).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(replyField(page)).toHaveCount(0);
  await button(page, 'Reply').click();
  await page.keyboard.type('Typed early');
  await page.keyboard.press('Control+Enter');
  await expect(replyField(page)).toHaveValue('Typed early');
  load();
  await expect(replyBy(page, member.displayName)).toContainText('Typed early');
  await expect(replyField(page)).toHaveCount(0);
});

test('a reply that cannot be posted shows an error and stays in the field', async ({ page }) => {
  await registerMember(page.request);
  // Otherwise the answer could disappear before the press.
  await withoutLiveUpdates(page);
  const { answerId } = await openThread(page);
  await button(page, 'Reply').click();
  await replyField(page).fill('Are you there?');
  await page.request.delete(`/api/answers/${answerId}`);
  await button(page, 'Post Reply').click();
  await expect(page.getByRole('alert').filter({ hasText: /^Failed to post reply: \S/u })).toBeVisible();
  await expect(replyField(page)).toHaveValue('Are you there?');
  await expect(replyField(page)).toBeFocused();
});

test('a deleted reply with replies leaves a line in its place', async ({
  sharedPage: page,
  sharedMember: member,
}) => {
  const questionId = await askQuestion(page.request, { title: uniqueText('What remains?') });
  const answerId = await postAnswer(page.request, questionId);
  const parent = await postReply(page.request, answerId, 'The parent');
  await postReply(page.request, answerId, 'The child', parent);
  await visit(page, `/question/${questionId}`);
  const remove = async (content: string) => {
    const article = replyBy(page, member.displayName).filter({ hasText: content });
    await article.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await expect(article).toHaveCount(0);
  };
  await remove('The parent');
  const line = page.getByText('Reply deleted', { exact: true });
  await expect(line).toBeVisible();
  await page.reload();
  await expect(line).toBeVisible();
  await expect(replyBy(page, member.displayName)).toHaveText(/The child/u);
  await remove('The child');
  await expect(line).toHaveCount(0);
  await page.reload();
  await expect(page.getByRole('heading', { name: '1 Answer', exact: true })).toBeVisible();
  await expect(line).toHaveCount(0);
});

test('a failed deletion of a reply shows an error', async ({ sharedPage: page, sharedMember: member }) => {
  await openThread(page, ['Here to stay']);
  await page.route('**/api/replies/*', (route) => route.abort('connectionrefused'));
  const mine = replyBy(page, member.displayName);
  await mine.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByRole('alert').filter({ hasText: /^Failed to delete reply: \S/u })).toBeVisible();
  await expect(mine).toBeVisible();
});

test('an author deletes an answer', async ({ sharedPage: page }) => {
  await openThread(page);
  await button(page, 'Delete').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByRole('heading', { name: '0 Answers' })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('heading', { name: '0 Answers' })).toBeVisible();
});

test('a reply draft opens again after a reload', async ({ page }) => {
  await withoutLiveUpdates(page);
  const member = await registerMember(page.request);
  await openThread(page, ['What do you think?']);
  await replyBy(page, member.displayName).getByRole('button', { name: 'Reply' }).click();
  await replyField(page).fill('I think that');
  await expect(page.getByText('Draft saved')).toBeVisible();
  await page.reload();
  await expect(replyField(page)).toHaveValue('I think that');
  await button(page, 'Post Reply').click();
  await expect(replyBy(page, member.displayName)).toHaveCount(2);
  await page.reload();
  await expect(replyBy(page, member.displayName)).toHaveCount(2);
  await expect(replyField(page)).toHaveCount(0);
});

test('one reply form is open at a time; the text in the other is kept', async ({
  sharedPage: page,
  sharedMember: member,
}) => {
  await openThread(page, ['A reply']);
  const answered = page.getByRole('article', { name: `Answer by ${member.displayName}` });
  await answered.getByRole('button', { name: 'Reply' }).click();
  await replyField(page).fill('To the answer');
  await replyBy(page, member.displayName).getByRole('button', { name: 'Reply' }).click();
  await expect(replyField(page)).toHaveCount(1);
  await expect(replyField(page)).toHaveValue('');
  await button(page, 'Cancel').click();
  await expect(replyBy(page, member.displayName).getByRole('button', { name: 'Reply' })).toBeFocused();
  await answered.getByRole('button', { name: 'Reply' }).click();
  await expect(replyField(page)).toHaveValue('To the answer');
});

test('a URL that names a reply scrolls to it and focuses it', async ({ page }) => {
  await registerMember(page.request);
  const questionId = await askQuestion(page.request, { title: uniqueText('Which reply?') });
  const answerId = await postAnswer(page.request, questionId);
  for (let at = 0; at < 8; at++)
    await postReply(page.request, answerId, `Reply ${at}\n\n${'More.\n\n'.repeat(8)}`);
  const last = await postReply(page.request, answerId, 'The one that counts');
  await page.goto(`/question/${questionId}#reply-${last}`);
  const wanted = page.getByRole('article').filter({ hasText: 'The one that counts' });
  await expect(wanted).toBeFocused();
  await expect(wanted).toBeInViewport();
  await page
    .getByRole('article')
    .filter({ hasText: 'Reply 0' })
    .getByRole('link', { name: 'just now' })
    .click();
  await expect(page).toHaveURL(/#reply-\d+$/u);
  await expect(page.getByRole('article').filter({ hasText: 'Reply 0' })).toBeFocused();
  await page.goBack();
  await expect(wanted).toBeFocused();
});

test('a reply that arrives late leaves the form that is open meanwhile and its focus alone', async ({
  sharedPage: page,
  sharedMember: member,
}) => {
  await openThread(page, ['A reply']);
  await waitForTexts(page);
  const arriving = Promise.withResolvers<void>();
  await page.route('**/replies', async (route) => {
    if (route.request().method() === 'POST') await arriving.promise;
    await route.continue();
  });
  const answered = page.getByRole('article', { name: `Answer by ${member.displayName}` });
  await answered.getByRole('button', { name: 'Reply' }).click();
  await replyField(page).fill('Slowly posted');
  await replyField(page).press('Control+Enter');
  await replyBy(page, member.displayName).getByRole('button', { name: 'Reply' }).click();
  await replyField(page).fill('Typed mean');
  arriving.resolve();
  await expect(replyBy(page, member.displayName).filter({ hasText: 'Slowly posted' })).toBeVisible();
  await page.keyboard.type('while');
  await expect(replyField(page)).toHaveValue('Typed meanwhile');
  await page.reload();
  await expect(replyField(page)).toHaveValue('Typed meanwhile');
});
