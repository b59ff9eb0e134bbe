import { expect, test, type Page } from '@playwright/test';
import { expectAccessible } from './support/accessibility.ts';
import { registerMember, newMember } from './support/members.ts';
import { holdRequests } from './support/held-requests.ts';
import { expectInView } from './support/in-view.ts';
import { postAnswer, askAndOpen, postReply, secondMember, uniqueText } from './support/posts.ts';

// With animations, as most members see it.
test.use({ contextOptions: { reducedMotion: 'no-preference' } });

/** Long enough for the page to scroll below each post. */
const long = 'Word after word, line after line.\n\n'.repeat(40);

test("arrow keys move in a post's menu without scrolling the page, and its button gets the focus back", async ({
  page,
  browser,
}) => {
  const { page: author } = await secondMember(browser, 'Ada Author');
  const id = await askAndOpen(author, uniqueText('What is in the menu?'), long);
  const answerId = await postAnswer(author.request, id, long);
  await postReply(author.request, answerId, 'A reply');
  await registerMember(page.request, newMember('Robin Reader'));
  for (const name of [/^What is in the menu/u, 'Answer by Ada Author', 'Reply by Ada Author']) {
    // Opens the URL directly, so that nothing was opened on another page before.
    await page.goto(`/question/${id}`);
    const opener = page.getByRole('article', { name }).getByRole('button', { name: 'More actions' }).first();
    for (const close of ['Escape', 'click', 'item'] as const) {
      await opener.focus();
      await page.keyboard.press('Enter');
      const menu = page.getByRole('menu');
      await expectInView(menu, { opener });
      if (close === 'Escape') await expectAccessible(page, { look: `menu of ${name}` });
      const items = menu.getByRole('menuitem');
      await expect(items.first()).toBeFocused();
      const before = await page.evaluate(() => window.scrollY);
      const last = (await items.count()) - 1;
      for (const [key, index] of [
        ['ArrowUp', last],
        ['ArrowDown', 0],
        ['End', last],
      ] as const) {
        await page.keyboard.press(key);
        await expect(items.nth(index), key).toBeFocused();
      }
      expect(await page.evaluate(() => window.scrollY)).toBe(before);
      if (close === 'item') break;
      if (close === 'click') await opener.click();
      else await page.keyboard.press(close);
      await expect(menu).toHaveCount(0);
      await expect(opener, `after ${close}`).toBeFocused();
    }
    await page.getByRole('menuitem', { name: 'Report' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Report' });
    await expectInView(dialog);
    await page.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);
    await expect(opener, 'after the dialog').toBeFocused();
  }
  await author.context().close();
});

test('the account menu works with arrow keys only, and the page below does not scroll', async ({ page }) => {
  await registerMember(page.request);
  await askAndOpen(page, uniqueText('Does it scroll?'), long);
  const opener = page.getByRole('button', { name: 'Account menu' });
  await opener.focus();
  await page.keyboard.press('Enter');
  await expectInView(page.getByRole('menu'), { opener });
  await press(page, ['ArrowDown', 'ArrowDown']);
  expect(await page.evaluate(() => window.scrollY)).toBe(0);
  await expect(page.getByRole('menuitem', { name: 'Settings' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(opener).toBeFocused();

  // A window too low for all items, as with 400 % zoom.
  await page.setViewportSize({ width: 640, height: 230 });
  await page.keyboard.press('Enter');
  await expectInView(page.getByRole('menu'), { opener });
  await page.keyboard.press('End');
  await expect(page.getByRole('menuitem', { name: 'Logout' })).toBeInViewport({ ratio: 1 });
});

test('Esc closes a menu that is still loading', async ({ page }) => {
  await registerMember(page.request);
  await askAndOpen(page, uniqueText('Too slow?'));
  for (const [file, name] of [
    ['AccountMenuList', 'Account menu'],
    ['NotificationMenu', 'Notifications'],
    ['QuestionMenuList', 'More actions'],
  ] as const) {
    const release = await holdRequests(page, `**/assets/${file}-*.js`);
    const opener = page.getByRole('button', { name }).first();
    const asked = page.waitForRequest(`**/assets/${file}-*.js`);
    await opener.press('Enter');
    await asked;
    await expect(opener).toHaveAttribute('aria-expanded', 'true');
    await opener.press('Escape');
    await expect(opener).toHaveAttribute('aria-expanded', 'false');
    release();
    await opener.press('Enter');
    await expect(page.getByRole(name === 'Notifications' ? 'dialog' : 'menu')).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(opener).toBeFocused();
  }
});

async function press(page: Page, keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

test('the list of shortcuts shows its focus, however it was opened', async ({ page }) => {
  await registerMember(page.request);
  await page.goto('/');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Command palette' });
  await palette.getByRole('combobox').fill('shortcuts');
  await palette
    .getByRole('option', { name: /shortcuts/iu })
    .first()
    .click();
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expectInView(sheet);
  const close = sheet.getByRole('button', { name: 'Close' });
  await expect(close).toBeFocused();
  // As in browsers that show no focus ring when a shortcut opened the dialog.
  await close.evaluate((element) => {
    element.blur();
    element.focus({ focusVisible: false });
  });
  await expect(close).toBeFocused();
  expect(await close.evaluate((element) => element.matches(':focus-visible'))).toBe(false);
  await expect(close).toHaveCSS('outline-style', 'solid');
});
