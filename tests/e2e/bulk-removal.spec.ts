import { runCommand } from '#tests/support/command.ts';
import { type APIRequestContext, expect, type Locator, type Page, test } from '@playwright/test';
import { expectAccessible } from './support/accessibility.ts';
import { askQuestion, newMember, registerMember } from './support/members.ts';
import { type Community, startCommunity } from './support/community.ts';
import { postAnswer, uniqueText } from './support/posts.ts';

// One after the other: the tests share their community.
test.describe.configure({ mode: 'default' });

const phone = { width: 390, height: 844 };
const desktop = { width: 1280, height: 800 };

test.describe('with a server whose proxy forwards client addresses', () => {
  test.slow();
  let community: Community;
  test.beforeAll(async () => {
    community = await startCommunity({ env: { TRUSTED_PROXIES: '1', ACCOUNTS_PER_NETWORK: '3' } });
  });
  test.afterAll(() => community.remove());

  test('a moderator approves an account, removes all activity of a network, and restores it', async ({
    browser,
  }) => {
    const network = '192.0.2.1';
    const from = async (address: string) =>
      browser.newContext({
        baseURL: community.address,
        viewport: desktop,
        extraHTTPHeaders: { 'x-forwarded-for': address },
      });
    const moderating = await from('198.51.100.1');
    const moderator = await moderating.newPage();
    const { email } = await registerMember(moderating.request, newMember('Mona Keeper'));
    await runCommand(community.dataDirectory, 'member', 'role', email, 'moderator');
    const thread = await askQuestion(moderating.request, {
      title: uniqueText('How long does bread keep?'),
    });

    const titles: string[] = [];
    let lastPage: Page | undefined;
    let last: APIRequestContext = moderating.request;
    for (let n = 0; n < 4; n++) {
      const context = await from(network);
      await registerMember(context.request, newMember(`Seller ${n}`));
      last = context.request;
      if (n === 3) {
        lastPage = await context.newPage();
        continue;
      }
      titles.push(uniqueText(`Cheap watches ${n}`));
      await askQuestion(context.request, { title: titles[n] ?? '' });
      await postAnswer(context.request, thread, `Cheap watches here ${n}.`);
    }
    // The fourth account of the network needs approval, and its page says so.
    const page = lastPage!;
    await page.goto('/');
    const banner = page.getByText('A moderator has to approve your account before you can post.');
    await expect(banner).toBeInViewport();
    await lookAt(page, 'waiting');
    expect((await last.post('/api/questions', { data: question })).status()).toBe(403);

    await moderator.goto('/moderation/registrations');
    const card = moderator.getByRole('article', { name: network });
    await expect(card).toContainText('4 accounts');
    await expect(card).toContainText('1 pending approval');
    await card.getByRole('button', { name: 'Show accounts' }).click();
    // Accounts that another period does not show are no longer selected.
    await card.getByRole('checkbox', { name: 'Seller 0' }).check();
    await expect(card).toContainText('1 selected');
    await moderator.getByLabel('Registered').selectOption('Last 7 days');
    await card.getByRole('button', { name: 'Show accounts' }).click();
    await expect(card).toContainText('0 selected');
    await card.getByRole('checkbox', { name: 'Seller 3' }).check();
    await lookAt(moderator, 'registrations');
    await card.getByRole('button', { name: 'Approve' }).click();
    await expect(card).not.toContainText('1 pending approval');
    await expect(banner).toBeHidden();
    expect((await last.post('/api/questions', { data: question })).status()).toBe(201);

    await card.getByRole('button', { name: 'Remove all activity' }).click();
    const dialog = moderator.getByRole('dialog', { name: 'Remove all activity' });
    await onBothSizes(moderator, () => expectOnTop(dialog));
    await expect(dialog.getByRole('list', { name: 'Preview' })).toContainText(
      '4 accounts: 4 questions and 3 answers',
    );
    await dialog.getByText('Latest posts').click();
    await expect(dialog).toContainText('Cheap watches here 2.');
    await lookAt(moderator, 'removal');
    await dialog.getByRole('button', { name: 'Remove all activity' }).click();
    await expect(dialog.getByRole('alert')).toContainText('Enter a reason');
    await dialog.getByLabel('Reason (public)').fill('Sellers of watches');
    await dialog.getByRole('button', { name: 'Remove all activity' }).click();
    await expect(dialog).toBeHidden();

    const removal = moderator
      .getByRole('region', { name: 'Removed activity' })
      .getByRole('listitem')
      .filter({ hasText: 'Sellers of watches' });
    await expect(removal).toContainText('All activity is removed.', { timeout: 90_000 });
    await lookAt(moderator, 'removed');
    await moderator.goto(`/question/${thread}`);
    await expect(moderator.getByRole('heading', { name: '0 Answers' })).toBeVisible();
    await moderator.goto('/moderation/log');
    await expect(moderator.getByRole('main')).toContainText('All activity of several accounts removed');

    await moderator.goto('/moderation/registrations');
    await removal.getByRole('button', { name: 'Restore' }).click();
    const restoring = moderator.getByRole('dialog', { name: 'Restore' });
    await onBothSizes(moderator, () => expectOnTop(restoring));
    await restoring.getByLabel('Reason (public)').fill('They sell bread.');
    await restoring.getByRole('button', { name: 'Restore' }).click();
    await expect(removal).toContainText('All activity is restored.', { timeout: 90_000 });
    await moderator.goto(`/question/${thread}`);
    await expect(moderator.getByRole('heading', { name: '3 Answers' })).toBeVisible();
    await moderating.close();
  });

  test('only moderators can open the list of registrations', async ({ browser }) => {
    const context = await browser.newContext({ baseURL: community.address });
    const page = await context.newPage();
    await registerMember(context.request, newMember('Mel Member'));
    await page.goto('/moderation/registrations');
    await expect(page.getByRole('heading', { name: 'Recent registrations' })).toHaveCount(0);
    await context.close();
  });
});

const question = { title: 'Which bread?', content: 'Sourdough or rye?', tags: [] };

/** Looks at the page on a desktop and on a phone, and checks both for accessibility. */
async function lookAt(page: Page, name: string): Promise<void> {
  await onBothSizes(page, (size) => expectAccessible(page, { look: `${name}-${size}` }));
}

async function onBothSizes(page: Page, check: (size: string) => Promise<void>): Promise<void> {
  await page.setViewportSize(phone);
  await check('phone');
  await page.setViewportSize(desktop);
  await check('desktop');
}

/** Expects an element to be in the viewport with nothing above it. */
async function expectOnTop(opened: Locator): Promise<void> {
  await expect(opened).toBeInViewport();
  await expect
    .poll(() =>
      opened.evaluate((element) => {
        const { left, top, width, height } = element.getBoundingClientRect();
        const topmost = document.elementFromPoint(left + width / 2, top + height / 2);
        return topmost !== null && element.contains(topmost);
      }),
    )
    .toBe(true);
}
