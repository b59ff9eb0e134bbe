import { expect, test } from '@playwright/test';
import { askQuestion, newMember, registerMember } from '../support/members.ts';
import { postAnswer, secondMember, uniqueText } from '../support/posts.ts';
import { waitForHydration } from '../support/hydration.ts';

test(
  'in Firefox, pages work without errors or blocked content, with live updates, themes and a service worker',
  { tag: '@firefox' },
  async ({ browser }) => {
    const context = await browser.newContext({ serviceWorkers: 'allow' });
    await context.addInitScript(() =>
      addEventListener('securitypolicyviolation', ({ violatedDirective, sample }) =>
        console.error(`blocked by ${violatedDirective}: ${sample}`),
      ),
    );
    const page = await context.newPage();
    const errors: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    page.on('pageerror', ({ message }) => errors.push(message));
    await registerMember(page.request, newMember('Ada'));
    const id = await askQuestion(page.request, { title: uniqueText('Does this fox run?') });

    for (const address of ['/', '/topics', '/ask', '/settings', '/notifications', '/profile']) {
      await page.goto(address);
      await waitForHydration(page);
      // Firefox reports the scripts that a page still loads when it is left.
      await page.waitForLoadState('networkidle');
    }
    await page.goto(`/question/${id}`);
    await waitForHydration(page);
    const ben = await secondMember(browser, 'Ben');
    await postAnswer(ben.page.request, id, 'It does, and `this` is code.');
    await expect(page.getByRole('article', { name: 'Answer by Ben' })).toContainText('this is code');

    await ben.page.close();
    await page.bringToFront();
    await page.getByRole('button', { name: 'Switch to dark theme' }).click();
    const color = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const dark = await color();
    await page.reload();
    await expect(page.getByRole('button', { name: 'Switch to light theme' })).toBeVisible();
    expect(await color()).toBe(dark);

    await page.keyboard.press('Control+k');
    await expect(page.getByRole('dialog').getByRole('combobox')).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
    const isActive = () =>
      page.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.active?.state);
    await expect.poll(isActive).toBe('activated');
    expect(errors).toEqual([]);
  },
);
