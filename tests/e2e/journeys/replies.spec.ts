import { expect, type Page, test } from '@playwright/test';
import { button, postReply, secondMember } from '../support/posts.ts';
import { newMember, registerMember } from '../support/members.ts';
import { expectInView } from '../support/in-view.ts';
import { openThread, replyBy, replyField } from '../support/forms.ts';

test('members reply to each other down to level 3, and no further', async ({ page, browser }) => {
  test.slow();
  const ada = await registerMember(page.request, newMember('Ada Lovelace'));
  const { questionId } = await openThread(page);
  const grace = await secondMember(browser, 'Grace Hopper');

  const replyTo = async (page: Page, article: string, content: string) => {
    await page.goto(`/question/${questionId}`);
    await page.getByRole('article', { name: article }).last().getByRole('button', { name: 'Reply' }).click();
    await expect(replyField(page)).toBeFocused();
    await expect(page.getByText('0/1000', { exact: true })).toBeVisible();
    await expect(button(page, 'Post Reply')).toBeDisabled();
    await replyField(page).fill('\u200B\n');
    await expect(button(page, 'Post Reply')).toBeDisabled();
    await replyField(page).fill(content);
    await button(page, 'Post Reply').click();
    const posted = page.getByRole('article', { name: 'Reply by' }).filter({ hasText: content });
    await expect(posted).toBeFocused();
    await expect(replyField(page)).toHaveCount(0);
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

test('a question can be commented on, and a comment replied to', { tag: '@firefox' }, async ({ page }) => {
  const member = await registerMember(page.request);
  await openThread(page);
  await button(page, 'Add a comment').click();
  await replyField(page).fill('Which version?');
  await button(page, 'Post Reply').click();
  const comment = page.getByRole('region', { name: 'Comments' }).getByRole('article').first();
  await expect(comment).toBeFocused();
  await expect(comment).toHaveAccessibleName(`Reply by ${member.displayName}`);
  await comment.getByRole('button', { name: 'Reply' }).click();
  await replyField(page).fill('The newest.');
  await button(page, 'Post Reply').click();
  await expect(page.getByRole('region', { name: 'Comments' }).getByRole('article')).toHaveText([
    /Which version\?/u,
    /The newest\./u,
  ]);
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
