import { type Browser, expect, test as base, type Page } from '@playwright/test';
import { type Member, registerMember } from './members.ts';

let open: { file: string; page: Page; member: Member } | undefined;

/**
 * `sharedPage` is the page of `sharedMember`. It stays open from test to test of a file, so that `visit` need not load
 * the app again: a new page takes five times as much processor time. Each test writes posts of its own. One that changes
 * the session, the storage or the emulation of the browser, that blocks live updates, or that checks that no message is
 * shown, uses `page`.
 */
export const test = base.extend<{ sharedPage: Page; sharedMember: Member }>({
  sharedPage: async ({ browser }, run, testInfo) => {
    const { page } = await getOpenPage(browser, testInfo.file);
    await run(page);
    if (testInfo.status === testInfo.expectedStatus) await clean(page);
    else await close();
  },
  sharedMember: async ({ browser }, run, { file }) => run((await getOpenPage(browser, file)).member),
});

async function getOpenPage(browser: Browser, file: string): Promise<{ page: Page; member: Member }> {
  if (open?.file === file) return open;
  await close();
  const page = await (await browser.newContext()).newPage();
  open = { file, page, member: await registerMember(page.request) };
  return open;
}

/** Ends what would reach the next test. */
async function clean(page: Page): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  for (const event of ['console', 'request', 'dialog']) page.removeAllListeners(event);
  await page.context().clearPermissions();
  await page.mouse.move(0, 0);
  const messages = page.getByRole('button', { name: 'Close message' });
  await messages.evaluateAll((buttons) =>
    buttons.forEach((button) => button.dispatchEvent(new MouseEvent('click', { bubbles: true }))),
  );
  await expect(messages).toHaveCount(0);
}

async function close(): Promise<void> {
  await open?.page.context().close();
  open = undefined;
}
