import { expect, test, type Locator, type Page } from '@playwright/test';
import { askQuestion, registerMember, newMember } from './support/members.ts';
import { expectInView } from './support/in-view.ts';
import { secondMember, uniqueText } from './support/posts.ts';

// With animations, as most members see it.
test.use({ contextOptions: { reducedMotion: 'no-preference' } });

test('a member with only a keyboard signs in, reads, votes, answers, replies, removes the vote and signs out', async ({
  page,
  browser,
}) => {
  const member = newMember('Kim Keys');
  const { page: other } = await secondMember(browser, 'Quincy Other');
  await registerMember(other.request, member);
  const author = await secondMember(browser, 'Ada Asker');
  const title = uniqueText('Can all of this be done by keyboard?');
  await askQuestion(author.page.request, { title });

  await page.goto('/');
  await tabTo(page, page.getByRole('textbox', { name: 'Email' }));
  await page.keyboard.type(member.email);
  await tabTo(page, page.getByLabel('Password'));
  await page.keyboard.type(member.password);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Questions for you' })).toBeVisible();

  await page.keyboard.press('Tab');
  await tabTo(page, page.getByRole('link', { name: title }));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: title, level: 1 })).toBeFocused();

  const question = page.getByRole('article', { name: title });
  await tabTo(page, question.getByRole('button', { name: /^Upvote/u }));
  await page.keyboard.press('Space');
  await expect(question.getByRole('button', { name: 'Upvote (1)' })).toHaveAttribute('aria-pressed', 'true');

  await tabTo(page, page.getByRole('textbox', { name: 'Your answer' }));
  await page.keyboard.type('Yes, all of it.');
  await page.keyboard.press('Control+Enter');
  const answer = page.getByRole('article', { name: 'Answer by Kim Keys' });
  await expect(answer).toBeFocused();

  await tabTo(page, answer.getByRole('button', { name: 'Reply', exact: true }));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('textbox', { name: 'Your reply' })).toBeFocused();
  await page.keyboard.type('And a reply to it.');
  await tabTo(page, page.getByRole('button', { name: 'Post Reply' }));
  await page.keyboard.press('Enter');
  const reply = page.getByRole('article', { name: 'Reply by Kim Keys' });
  await expect(reply).toBeVisible();

  await tabTo(page, reply.getByRole('button', { name: 'Delete' }));
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await expectInView(dialog);
  await tabTo(page, dialog.getByRole('button', { name: 'Delete' }));
  await page.keyboard.press('Enter');
  await expect(reply).toHaveCount(0);

  await page.keyboard.press('Control+Home');
  await tabTo(page, page.getByRole('button', { name: 'Account menu' }), 'Shift+Tab');
  await page.keyboard.press('Enter');
  await tabTo(page, page.getByRole('menuitem', { name: 'Logout' }), 'ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/login/u);
});

test.describe('at 200 % zoom on a small laptop', () => {
  // The viewport of 1280 by 720 at 200 % zoom.
  test.use({ viewport: { width: 640, height: 360 }, deviceScaleFactor: 2 });

  test('a member registers, asks and answers, and nothing is cut off or outside the viewport', async ({
    page,
  }) => {
    const member = newMember('Zoe Zoom');
    await page.goto('/register');
    await page.getByRole('textbox', { name: 'Full name' }).fill(member.displayName);
    await page.getByRole('textbox', { name: 'Email' }).fill(member.email);
    await page.getByLabel('Password', { exact: true }).fill(member.password);
    await page.getByLabel('Confirm password').fill(member.password);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('link', { name: /^Ask/u }).first().click();
    const title = uniqueText('Can this be read at twice the size?');
    await page.getByRole('textbox', { name: 'Title' }).fill(title);
    await page.getByRole('textbox', { name: 'Details' }).fill('I see better when it is large.');
    await fits(page);
    await page.getByRole('button', { name: 'Post Question' }).click();
    await expect(page.getByRole('heading', { name: title, level: 1 })).toBeVisible();
    await page.getByRole('textbox', { name: 'Your answer' }).fill('It can.');
    await page.getByRole('button', { name: 'Post Answer' }).click();
    await expect(page.getByRole('article', { name: 'Answer by Zoe Zoom' })).toBeInViewport();
    await fits(page);
    for (const address of [
      '/',
      '/topics',
      '/following',
      '/notifications',
      '/profile',
      '/settings',
      '/bookmarks',
      '/search?q=size',
    ]) {
      await page.goto(address);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      await fits(page);
    }
  });
});

/** Presses Tab until the element has the focus. Fails when Tab does not reach it. */
test('Load more, pressed by keyboard, moves the focus to the first new item', async ({ page }) => {
  // Keeps questions of other tests out of the list.
  await page.routeWebSocket(/./u, () => undefined);
  await registerMember(page.request);
  for (let n = 1; n <= 22; n++)
    await askQuestion(page.request, { title: uniqueText(`Question ${n} for the keyboard`), tags: ['keyed'] });
  const more = page.getByRole('button', { name: 'Load more' });
  const twentyFirst = page.getByRole('article').nth(20);
  for (const address of ['/', '/topics/keyed']) {
    await page.goto(address);
    await expect(page.getByRole('article')).toHaveCount(20);

    const failing = '**/api/**cursor=**';
    await page.route(failing, (route) => route.fulfill({ status: 500 }));
    await more.focus();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('alert')).toContainText('More questions could not be loaded.');
    await expect(more).toBeFocused();
    await page.unroute(failing);

    const held = Promise.withResolvers<undefined>();
    await page.route(failing, async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.keyboard.press('Enter');
    await expect(more).toBeDisabled();
    await expect(more).toBeFocused();
    await page.keyboard.press('Enter');
    held.resolve(undefined);
    await expect(twentyFirst.getByRole('heading').getByRole('link')).toBeFocused();
    await page.unroute(failing);
  }
});

async function tabTo(page: Page, target: Locator, key = 'Tab'): Promise<void> {
  await target.waitFor();
  for (let presses = 0; presses < 80; presses++) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press(key);
  }
  await expect(target, 'is reached by Tab').toBeFocused();
}

async function fits(page: Page): Promise<void> {
  const outside = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(outside, page.url()).toBeLessThanOrEqual(0);
}

test('a select shows a ring while it has the focus of the keyboard', async ({ page }) => {
  await registerMember(page.request);
  for (const [address, name] of [
    ['/topics', 'Sort by'],
    ['/settings', 'Language'],
  ] as const) {
    await page.goto(address);
    const select = page.getByRole('combobox', { name, exact: true });
    await expect(select).toBeVisible();
    await page.keyboard.press('Tab');
    await select.focus();
    await expect(select).toHaveCSS('outline-style', 'solid');
    await expect(select).toHaveCSS('outline-width', '2px');
  }
});
