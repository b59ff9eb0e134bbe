import { expect, test, type Locator, type Page } from '@playwright/test';
import { askQuestion, registerMember, newMember } from '../support/members.ts';
import { expectInView } from '../support/in-view.ts';
import { postAnswer, secondMember, uniqueText } from '../support/posts.ts';

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

test('on a phone, swipes replace buttons, and no bar covers the field above the keyboard', async ({
  page,
  browser,
}) => {
  await registerMember(page.request, newMember('Ada Thumbs'));
  const id = await askQuestion(page.request, { title: uniqueText('With which finger?') });
  const ben = await secondMember(browser, 'Ben Answers');
  for (const text of ['One', 'Two', 'Three']) await postAnswer(ben.page.request, id, text);

  await page.goto('/notifications');
  const bar = page.getByRole('navigation', { name: 'Main' });
  const lines = page.getByRole('main').getByRole('listitem');
  const marks = page.getByRole('main').getByRole('button', { name: 'Mark read' });
  await expect(marks).toHaveCount(3);
  await marks.first().tap();
  await expect(bar.getByRole('link', { name: 'Notifications, 2 unread' })).toBeVisible();
  await expect(lines.nth(0).getByRole('link')).toBeFocused();
  await swipe(page, lines.nth(1), { across: 40 });
  await swipe(page, lines.nth(1), { down: -80 });
  await expect(bar.getByRole('link', { name: 'Notifications, 2 unread' })).toBeVisible();
  await swipe(page, lines.nth(1), { across: -120 });
  await expect(bar.getByRole('link', { name: 'Notifications, 1 unread' })).toBeVisible();
  await expect(marks).toHaveCount(1);
  await expect(page).toHaveURL('/notifications');

  // The keyboard opens before the form is loaded, which then grows.
  const keyboard = Promise.withResolvers<void>();
  await page.route('**/assets/post-forms-*', (route) => keyboard.promise.then(() => route.continue()));
  await page.goto(`/question/${id}`);
  await page.getByLabel('Your answer').tap();
  await expect(page.getByLabel('Your answer')).toBeFocused();
  await page.setViewportSize({ width: 390, height: 480 });
  await expect(bar).toBeHidden();
  await expect(page.getByLabel('Your answer')).toBeInViewport();
  keyboard.resolve();
  await expect(page.getByRole('tab', { name: 'Preview' })).toBeVisible();
  await expect(page.getByLabel('Your answer')).toBeFocused();
  await expect(page.getByLabel('Your answer')).toBeInViewport();
  await page.setViewportSize({ width: 390, height: 360 });
  await expect(page.getByLabel('Your answer')).toBeInViewport();
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(bar).toBeVisible();

  const dialog = page.getByRole('dialog', { name: 'Delete this question?' });
  await page.getByRole('button', { name: 'Delete Question' }).tap();
  await expectInView(dialog);
  await expect(dialog).toBeVisible();
  await swipe(page, dialog.getByRole('heading'), { down: 40 });
  await expect(dialog).toBeVisible();
  await swipe(page, dialog.getByRole('heading'), { down: 160 });
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Delete Question' })).toBeFocused();
});

/** Swipes like a finger, by CSS pixels from the middle of the element. */
async function swipe(page: Page, on: Locator, { across = 0, down = 0 }): Promise<void> {
  const box = await on.boundingBox();
  if (box === null) throw new Error('The element to swipe is not visible.');
  const touch = await page.context().newCDPSession(page);
  const at = (share: number) => [
    { x: box.x + box.width / 2 + across * share, y: box.y + box.height / 2 + down * share },
  ];
  await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: at(0) });
  for (const share of [0.25, 0.5, 0.75, 1])
    await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: at(share) });
  await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  await touch.detach();
}
