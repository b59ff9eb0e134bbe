import { expect, type Page, test } from '@playwright/test';
import { expectAccessible } from '../support/accessibility.ts';
import { askQuestion, makeModerator, newMember, registerMember } from '../support/members.ts';
import { expectInView, expectInViewAtBothSizes } from '../support/in-view.ts';
import { askAndOpen, postAnswer, secondMember, uniqueText } from '../support/posts.ts';

test('a moderator hides a reported post by keyboard, everyone reads the reason, and the post is restored', async ({
  page,
  browser,
}) => {
  test.slow();
  await registerMember(page.request, newMember('Rita Reader'));
  const title = uniqueText('Which flour?');
  const id = await askAndOpen(page, title);
  const { page: seller } = await secondMember(browser, 'Sally Seller');
  const spam = uniqueText('Buy my flour');
  await postAnswer(seller.request, id, `${spam}\n\n# Only today`);
  const post = page.getByRole('article', { name: 'Answer by Sally Seller' });
  await page.reload();
  await post.getByRole('button', { name: 'More actions' }).click();
  await expectInView(page.getByRole('menu'), { opener: post.getByRole('button', { name: 'More actions' }) });
  await page.getByRole('menuitem', { name: 'Report' }).click();
  const dialog = page.getByRole('dialog', { name: 'Report' });
  await expectInViewAtBothSizes(dialog);
  await dialog.getByLabel('Additional details').fill('Not an answer');
  await expectAccessible(page, { look: 'report' });
  await dialog.getByRole('button', { name: 'Report', exact: true }).click();
  await expect(dialog).toBeHidden();

  const { page: moderator, member } = await secondMember(browser, 'Olga Operator');
  await moderator.goto('/moderation');
  await expect(moderator.getByRole('heading', { name: 'Review queue' })).toHaveCount(0);
  await makeModerator(member.email);
  await moderator.reload();
  const flagged = moderator.getByRole('article', { name: 'Reported post by Sally Seller' });
  await expect(flagged).toContainText('Not an answer');
  await expectAccessible(moderator, { look: 'review queue' });
  const { page: second, member: secondModerator } = await secondMember(browser, 'Otto Operator');
  await makeModerator(secondModerator.email);
  await second.goto('/moderation?cause=report');
  const claimed = second.getByRole('article', { name: 'Reported post by Sally Seller' });
  await expect(claimed.getByRole('button', { name: 'Hide' })).toBeVisible();
  await flagged.focus();
  await moderator.keyboard.press('r');
  await expect(claimed).toContainText('Olga Operator is reviewing this post.');
  await expect(claimed.getByRole('button', { name: 'Take over' })).toBeVisible();
  await moderator.getByLabel('Reason (public)').fill('An advertisement');
  await moderator.getByRole('button', { name: 'Hide', exact: true }).last().click();
  await expect(flagged).toHaveCount(0);
  await expect(post).toHaveCount(0);

  await seller.goto(`/question/${id}`);
  const notice = seller.getByRole('dialog', { name: 'Message from the moderators' });
  await expect(notice).toContainText('An advertisement');
  await expectInViewAtBothSizes(notice);
  await expectAccessible(seller, { look: 'message from the moderators' });
  await notice.getByRole('button', { name: 'Object' }).click();
  await notice.getByLabel('Why should the post be restored?').fill('The question asks for flour.');
  await expectAccessible(seller, { look: 'objection' });
  await notice.getByRole('button', { name: 'Send objection' }).click();
  await expect(notice.getByRole('button', { name: 'Send objection' })).toHaveCount(0);
  await notice.getByRole('button', { name: 'Got it' }).click();
  await expect(notice).toBeHidden();
  await second.goto('/moderation?cause=objection');
  const objection = second.getByRole('article', { name: 'Post by Sally Seller' });
  await expect(objection).toContainText('The question asks for flour.');
  await expect(objection.getByRole('button', { name: 'Decline objection' })).toBeVisible();
  await expect(seller.getByRole('region', { name: 'Hidden from others' })).toContainText(spam);

  await page.goto('/moderation/log');
  await expect(entryOf(page)).toContainText('Answer hidden');
  await expect(page.getByText('Sally Seller')).toHaveCount(0);
  await moderator.goto('/moderation/log');
  await expect(entryOf(moderator)).toContainText('Sally Seller');
  await expectAccessible(moderator, { look: 'moderation log' });
  await entryOf(moderator).getByRole('button', { name: 'Restore' }).click();
  const restoring = moderator.getByRole('dialog', { name: 'Moderate post' });
  await expectInViewAtBothSizes(restoring);
  await restoring.getByRole('button', { name: 'Restore' }).click();
  await expect(restoring).toBeHidden();
  await page.goto(`/question/${id}`);
  await expect(post).toContainText(spam);
});

test('the buttons below a long post in the review queue stay in view while it is read', async ({
  page,
  browser,
}) => {
  const name = uniqueText('Lena Long');
  const { page: author } = await secondMember(browser, name);
  const content = 'Bread.\n\n'.repeat(200);
  const id = await askQuestion(author.request, { title: uniqueText('Is this long?'), content });
  const member = await registerMember(page.request, newMember('Ina Inspector'));
  const report = await page.request.put(`/api/questions/${id}/report`, {
    data: { reason: 'spam', note: '' },
  });
  expect(report.status(), await report.text()).toBe(200);
  await makeModerator(member.email);
  await page.goto('/moderation?cause=report');
  const card = page.getByRole('article', { name: `Reported post by ${name}` });
  for (const size of [
    { width: 1280, height: 800 },
    { width: 390, height: 844 },
  ]) {
    await page.setViewportSize(size);
    for (const block of ['start', 'center'] as const) {
      await card.evaluate((element, place) => element.scrollIntoView({ block: place }), block);
      await expectInView(card.getByRole('button', { name: 'Hide' }));
    }
  }

  // A claim that fails without a connection does not close the dialog with what is typed in it.
  await page.route('**/claim', (route) => route.abort());
  const failed = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/claim'));
  await card.getByRole('button', { name: 'Hide' }).click();
  await failed;
  await page.getByLabel('Reason (public)').fill('Too long');
  await expect(page.getByLabel('Reason (public)')).toHaveValue('Too long');
});

/** The newest entry of the moderation log about an advertisement. */
const entryOf = (page: Page) =>
  page.getByRole('main').getByRole('listitem').filter({ hasText: 'An advertisement' }).first();
