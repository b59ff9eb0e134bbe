import { expect, type Page, test } from '@playwright/test';
import {
  button,
  postAnswer,
  postReply,
  secondMember,
  uniqueText,
  withoutLiveUpdates,
} from './support/posts.ts';
import { askQuestion, newMember, registerMember } from './support/members.ts';
import { expectInView } from './support/in-view.ts';

const replyBy = (page: Page, name: string) => page.getByRole('article', { name: `Reply by ${name}` });
const field = (page: Page) => page.getByLabel('Your reply');

/** Opens a question with one answer as the member who wrote both. */
async function openThread(page: Page): Promise<{ questionId: number; answerId: number }> {
  const questionId = await askQuestion(page.request, { title: uniqueText('Shall we talk?') });
  const answerId = await postAnswer(page.request, questionId, 'Let us.');
  await page.goto(`/question/${questionId}`);
  await expect(page.getByRole('heading', { name: '1 Answer', exact: true })).toBeVisible();
  return { questionId, answerId };
}

test('members reply to each other down to level 3, and no further', async ({ page, browser }) => {
  test.slow();
  const ada = await registerMember(page.request, newMember('Ada Lovelace'));
  const { questionId } = await openThread(page);
  const grace = await secondMember(browser, 'Grace Hopper');

  const replyTo = async (page: Page, article: string, content: string) => {
    await page.goto(`/question/${questionId}`);
    await page.getByRole('article', { name: article }).last().getByRole('button', { name: 'Reply' }).click();
    await expect(field(page)).toBeFocused();
    await expect(page.getByText('0/1000', { exact: true })).toBeVisible();
    await expect(button(page, 'Post Reply')).toBeDisabled();
    await field(page).fill(content);
    await button(page, 'Post Reply').click();
    const posted = page.getByRole('article', { name: 'Reply by' }).filter({ hasText: content });
    await expect(posted).toBeFocused();
    await expect(field(page)).toHaveCount(0);
    return posted;
  };
  await replyTo(grace.page, `Answer by ${ada.displayName}`, 'Level 0');
  await replyTo(page, 'Reply by Grace Hopper', 'Level 1');
  await replyTo(grace.page, 'Reply by Ada Lovelace', 'Level 2');
  const last = await replyTo(page, 'Reply by Grace Hopper', 'Level 3');
  await expect(last.getByRole('button', { name: 'Reply' })).toHaveCount(0);
  await expect(last.getByRole('button', { name: 'Upvote (0)' })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('article', { name: 'Reply by' })).toHaveText([
    /Level 0/u,
    /Level 1/u,
    /Level 2/u,
    /Level 3/u,
  ]);
});

test('replies can be voted on at every level', async ({ page }) => {
  await registerMember(page.request);
  const { questionId, answerId } = await openThread(page);
  let parent: number | null = null;
  for (let level = 0; level <= 3; level++)
    parent = await postReply(page.request, answerId, `Level ${level}`, parent);
  await page.goto(`/question/${questionId}`);
  const replies = page.getByRole('article', { name: 'Reply by' });
  await expect(replies).toHaveCount(4);
  for (let level = 0; level <= 3; level++) {
    await replies.nth(level).getByRole('button', { name: 'Upvote (0)' }).click();
    await expect(replies.nth(level).getByRole('button', { name: 'Upvote (1)' })).toBeEnabled();
  }
});

test('a reply has up to 1000 characters, counted as readers see them', async ({ page }) => {
  const member = await registerMember(page.request);
  await openThread(page);
  await button(page, 'Reply').click();
  await field(page).fill('🎉'.repeat(1001));
  await expect(page.getByText('1001/1000', { exact: true })).toBeVisible();
  await button(page, 'Post Reply').click();
  await expect(page.getByRole('alert')).toHaveText('Reply must be 1,000 characters or fewer');
  await expect(field(page)).toBeFocused();
  await field(page).fill('🎉'.repeat(1000));
  await expect(page.getByRole('alert')).toHaveCount(0);
  await button(page, 'Post Reply').click();
  await expect(replyBy(page, member.displayName)).toBeVisible();
});

test('a double click posts one reply', async ({ page }) => {
  const member = await registerMember(page.request);
  const { questionId } = await openThread(page);
  await button(page, 'Reply').click();
  await field(page).fill('Once');
  const requests: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') requests.push(request.url());
  });
  await field(page).evaluate((element) => {
    for (let press = 0; press < 3; press++)
      element.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true, bubbles: true }));
  });
  await expect(replyBy(page, member.displayName)).toHaveCount(1);
  expect(requests).toHaveLength(1);
  await page.goto(`/question/${questionId}`);
  await expect(replyBy(page, member.displayName)).toHaveCount(1);
});

test('a reply that cannot be posted shows an error and stays in the field', async ({ page }) => {
  await registerMember(page.request);
  const { answerId } = await openThread(page);
  await button(page, 'Reply').click();
  await field(page).fill('Are you there?');
  await page.request.delete(`/api/answers/${answerId}`);
  await button(page, 'Post Reply').click();
  await expect(page.getByRole('alert').filter({ hasText: /^Failed to post reply: \S/u })).toBeVisible();
  await expect(field(page)).toHaveValue('Are you there?');
  await expect(field(page)).toBeFocused();
});

test('only the author can delete a reply, after confirming', async ({ page, browser }) => {
  const member = await registerMember(page.request);
  const { questionId, answerId } = await openThread(page);
  await postReply(page.request, answerId, 'Said too much');
  const other = await secondMember(browser, 'A Stranger');
  await other.page.goto(`/question/${questionId}`);
  await expect(replyBy(other.page, member.displayName)).toBeVisible();
  await expect(button(other.page, 'Delete')).toHaveCount(0);
  await expect(button(other.page, 'Edit')).toHaveCount(0);

  await page.reload();
  const mine = replyBy(page, member.displayName);
  const dialog = page.getByRole('dialog');
  await mine.getByRole('button', { name: 'Delete' }).click();
  await expectInView(dialog);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(mine).toBeVisible();
  await mine.getByRole('button', { name: 'Delete' }).click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await expect(mine).toHaveCount(0);
  await expect(page.getByText('Reply deleted')).toHaveCount(0);
});

test('a deleted reply with replies leaves a line in its place', async ({ page }) => {
  const member = await registerMember(page.request);
  const { answerId } = await openThread(page);
  const parent = await postReply(page.request, answerId, 'The parent');
  await postReply(page.request, answerId, 'The child', parent);
  await page.reload();
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

test('a failed deletion of a reply shows an error', async ({ page }) => {
  const member = await registerMember(page.request);
  const { answerId } = await openThread(page);
  await postReply(page.request, answerId, 'Here to stay');
  await page.reload();
  await page.route('**/api/replies/*', (route) => route.abort('connectionrefused'));
  const mine = replyBy(page, member.displayName);
  await mine.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByRole('alert').filter({ hasText: /^Failed to delete reply: \S/u })).toBeVisible();
  await expect(mine).toBeVisible();
});

test('answers and replies are edited in place and marked as edited', async ({ page }) => {
  const member = await registerMember(page.request);
  const { answerId } = await openThread(page);
  await postReply(page.request, answerId, 'A tpyo');
  await page.reload();
  const mine = replyBy(page, member.displayName);
  await mine.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Edit reply').fill('A typo');
  await button(page, 'Save').click();
  await expect(mine).toContainText('A typo');
  await expect(mine.getByRole('button', { name: /^edited/u })).toBeVisible();
  await expect(mine).toBeFocused();

  const answered = page.getByRole('article', { name: `Answer by ${member.displayName}` });
  await answered.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Edit answer').fill('Let us **not**.');
  await page.getByLabel('Edit answer').press('Control+Enter');
  await expect(answered.getByRole('strong')).toHaveText('not');
  await expect(answered.getByRole('button', { name: /^edited/u })).toBeVisible();
});

test('an author deletes an answer', async ({ page }) => {
  await registerMember(page.request);
  await openThread(page);
  await button(page, 'Delete').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByRole('heading', { name: '0 Answers' })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('heading', { name: '0 Answers' })).toBeVisible();
});

test('a question can be commented on, and a comment replied to', async ({ page }) => {
  const member = await registerMember(page.request);
  await openThread(page);
  await button(page, 'Add a comment').click();
  await field(page).fill('Which version?');
  await button(page, 'Post Reply').click();
  const comment = page.getByRole('region', { name: 'Comments' }).getByRole('article').first();
  await expect(comment).toBeFocused();
  await expect(comment).toHaveAccessibleName(`Reply by ${member.displayName}`);
  await comment.getByRole('button', { name: 'Reply' }).click();
  await field(page).fill('The newest.');
  await button(page, 'Post Reply').click();
  await expect(page.getByRole('region', { name: 'Comments' }).getByRole('article')).toHaveText([
    /Which version\?/u,
    /The newest\./u,
  ]);
});

test('a reply draft opens again after a reload', async ({ page }) => {
  await withoutLiveUpdates(page);
  const member = await registerMember(page.request);
  const { answerId } = await openThread(page);
  await postReply(page.request, answerId, 'What do you think?');
  await page.reload();
  await replyBy(page, member.displayName).getByRole('button', { name: 'Reply' }).click();
  await field(page).fill('I think that');
  await expect(page.getByText('Draft saved')).toBeVisible();
  await page.reload();
  await expect(field(page)).toHaveValue('I think that');
  await button(page, 'Post Reply').click();
  await expect(replyBy(page, member.displayName)).toHaveCount(2);
  await page.reload();
  await expect(replyBy(page, member.displayName)).toHaveCount(2);
  await expect(field(page)).toHaveCount(0);
});

test('one reply form is open at a time; the text in the other is kept', async ({ page }) => {
  const member = await registerMember(page.request);
  const { answerId } = await openThread(page);
  await postReply(page.request, answerId, 'A reply');
  await page.reload();
  const answered = page.getByRole('article', { name: `Answer by ${member.displayName}` });
  await answered.getByRole('button', { name: 'Reply' }).click();
  await field(page).fill('To the answer');
  await replyBy(page, member.displayName).getByRole('button', { name: 'Reply' }).click();
  await expect(field(page)).toHaveCount(1);
  await expect(field(page)).toHaveValue('');
  await button(page, 'Cancel').click();
  await expect(replyBy(page, member.displayName).getByRole('button', { name: 'Reply' })).toBeFocused();
  await answered.getByRole('button', { name: 'Reply' }).click();
  await expect(field(page)).toHaveValue('To the answer');
});

test('a URL that names a reply scrolls to it and focuses it', async ({ page }) => {
  await registerMember(page.request);
  const { questionId, answerId } = await openThread(page);
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
