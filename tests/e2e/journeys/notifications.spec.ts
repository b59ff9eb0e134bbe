import { expect, test, type Page } from '@playwright/test';
import { askQuestion, registerMember, newMember } from '../support/members.ts';
import { expectInView } from '../support/in-view.ts';
import { postAnswer, questionUrl, uniqueText, upvote } from '../support/posts.ts';

const notificationButton = (page: Page) =>
  page.getByRole('banner').getByRole('button', { name: 'Notifications' });
const menu = (page: Page) => page.getByRole('dialog', { name: 'Notifications' });

test('the badge counts unread notifications live, the menu lists the newest first, and the title shows the count', async ({
  page,
  request,
}) => {
  await registerMember(page.request);
  await registerMember(request, newMember('Lise Meitner'));
  const title = uniqueText('What splits?');
  const id = await askQuestion(page.request, { title });
  const answerId = await postAnswer(request, id);

  await page.goto('/');
  await expect(notificationButton(page)).toHaveAccessibleName('Notifications, 1 unread');
  await upvote(request, id);
  await expect(notificationButton(page)).toHaveAccessibleName('Notifications, 2 unread');
  await expect(notificationButton(page)).toHaveText('2');
  await expect(page).toHaveTitle('(2) Questions for you · Parley');
  await notificationButton(page).click();
  await expectInView(menu(page), { opener: notificationButton(page) });
  await expect(menu(page).getByRole('listitem').getByRole('link')).toContainText([
    `Lise Meitner upvoted your question "${title}"`,
    `Lise Meitner answered your question "${title}"`,
  ]);
  await expect(menu(page).getByRole('link', { name: 'View all notifications' })).toBeHidden();

  await menu(page).getByRole('link', { name: 'answered your question' }).click();
  await expect(page).toHaveURL(questionUrl(id, `#answer-${answerId}`));
  await expect(menu(page)).toBeHidden();
  await expect(notificationButton(page)).toHaveAccessibleName('Notifications, 1 unread');
  await expect(page).toHaveTitle(/^\(1\) /u);
  await page.reload();
  await expect(notificationButton(page)).toHaveAccessibleName('Notifications, 1 unread');
});

test('Mark all read clears the count, and Escape closes the menu', async ({ page, request }) => {
  await registerMember(page.request);
  await registerMember(request);
  const id = await askQuestion(page.request, { title: uniqueText('How many?') });
  for (const content of ['One', 'Two', 'Three']) await postAnswer(request, id, content);
  await page.goto('/');
  await notificationButton(page).focus();
  await page.keyboard.press('Enter');
  await expectInView(menu(page), { opener: notificationButton(page) });
  await menu(page).getByRole('button', { name: 'Mark all read' }).click();
  await expect(notificationButton(page)).toHaveAccessibleName('Notifications');
  await expect(page).toHaveTitle('Questions for you · Parley');
  await expect(menu(page).getByText('Unread:')).toHaveCount(0);
  await expect(menu(page).getByRole('button', { name: 'Mark all read' })).toBeDisabled();
  await page.keyboard.press('Escape');
  await expect(menu(page)).toBeHidden();
  await expect(notificationButton(page)).toBeFocused();
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Questions for you' })).toBeVisible();
  await expect(notificationButton(page)).toHaveAccessibleName('Notifications');
});
