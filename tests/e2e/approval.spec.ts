import { expect, type Page, test } from '@playwright/test';
import { expectAccessible } from './support/accessibility.ts';
import { expectInView, expectInViewAtBothSizes } from './support/in-view.ts';
import { waitForHydration } from './support/hydration.ts';
import { askQuestion } from './support/members.ts';
import { changeSettings, fillInAccount, startCommunityWithOwner } from './support/set-up.ts';
import { visit } from './support/visit.ts';

const question = 'Why do you want to join?';

/** Fills in the form for registering, with the answer, and sends it. */
async function register(page: Page, { address, name }: { address: string; name: string }) {
  await page.goto(`${address}/register`);
  await fillInAccount(page, { name, email: `${name.split(' ')[0]?.toLowerCase()}@example.org` });
  await page.getByLabel(question).fill('To bake better bread.');
  await page.getByRole('button', { name: 'Create account' }).click();
}

test('people register with an answer, wait, and are in once a moderator approves, also after a refusal', async ({
  page,
  browser,
}) => {
  test.slow();
  const community = await startCommunityWithOwner(page, { joining: 'approval' });
  const visiting = await browser.newContext();
  const refusedVisiting = await browser.newContext();
  try {
    const { address } = community;
    await page.goto(`${address}/admin/settings`);
    const setting = page.getByLabel('Questions for people who register');
    await setting.fill(`${question} | required | 200`);
    await page.getByRole('button', { name: 'Save' }).press('Enter');
    await expect(page.getByText('Saved to the moderation log').first()).toBeVisible();
    await expect(page.getByRole('button', { name: 'Save' })).toHaveCount(0);
    await expect(setting).toBeFocused();
    const checkbox = page.getByLabel('Formulas', { exact: true });
    await checkbox.press('Space');
    await expect(page.getByText('Saved to the moderation log')).toHaveCount(2);
    await expect(checkbox).toBeFocused();
    await page.route('**/api/admin/settings/*', (route) => route.abort());
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await expect(page.getByRole('alert')).toBeVisible();
    const visitor = await visiting.newPage();
    await expect(async () => {
      await visitor.goto(`${address}/register`);
      await expect(visitor.getByLabel(question)).toBeVisible({ timeout: 2_000 });
    }).toPass();
    await expect(visitor.getByText('A moderator looks at each new account')).toBeVisible();
    await fillInAccount(visitor, { name: 'Nora New', email: 'nora@example.org' });
    await visitor.getByRole('button', { name: 'Create account' }).click();
    await expect(visitor.getByText('Please answer this question')).toBeVisible();
    await expect(visitor.getByLabel(question)).toBeFocused();
    await visitor.getByLabel(question).fill('To bake.');
    await visitor.getByRole('button', { name: 'Create account' }).click();

    await expect(visitor).toHaveURL(`${address}/application`);
    await expect(
      visitor.getByRole('heading', { name: 'Your account is waiting for approval' }),
    ).toBeVisible();
    await visitor.goto(`${address}/following`);
    await expect(visitor).toHaveURL(`${address}/application`);
    await visitor.getByLabel(question).fill('To bake better bread.');
    await visitor.getByRole('button', { name: 'Save answers' }).click();
    await expect(visitor.getByText('Answers saved')).toBeVisible();
    await expectAccessible(visitor, { look: 'application' });

    await page.goto(address);
    await page.getByRole('link', { name: 'Review queue, 1 account awaits approval' }).click();
    const account = page.getByRole('article', { name: 'Account of Nora New' });
    await expect(account).toContainText('@example.org');
    await expect(account).toContainText('To bake better bread.');
    await expectAccessible(page, { look: 'new accounts' });
    await account.focus();
    await page.keyboard.press('a');
    await expect(page.getByText('No account is waiting')).toBeVisible();

    // The page notices it by itself.
    await expect(visitor.getByText('Your account is approved. Welcome!')).toBeVisible({ timeout: 15_000 });
    await expect(visitor).toHaveURL(`${address}/`);
    await expect(visitor.getByRole('link', { name: 'Ask Question' }).first()).toBeVisible();
    await visit(page, `${address}/moderation/members`);
    await page.getByRole('link', { name: 'Nora New' }).first().click();
    await expect(page.getByText('To bake better bread.')).toBeVisible();

    // Another account is refused at first.
    const refused = await refusedVisiting.newPage();
    await register(refused, { address, name: 'Sam Seller' });
    await expect(refused).toHaveURL(`${address}/application`);

    await visit(page, `${address}/moderation/applications`);
    const application = page.getByRole('article', { name: 'Account of Sam Seller' });
    await application.getByRole('button', { name: 'Refuse' }).click();
    const refusal = page.getByRole('dialog', { name: 'Refuse the account of Sam Seller?' });
    await expectInViewAtBothSizes(refusal);
    await refusal.getByRole('button', { name: 'Refuse' }).click();
    await expect(refusal.getByText('Enter a reason')).toBeVisible();
    await refusal.getByLabel('Common reasons').selectOption('Spam or advertising.');
    await refusal.getByRole('button', { name: 'Refuse' }).click();
    await expect(application).toHaveCount(0);

    await expect(refused.getByRole('heading', { name: 'Your account was not approved' })).toBeVisible({
      timeout: 15_000,
    });
    await expect(refused.getByText('Reason: Spam or advertising.')).toBeVisible();
    await refused.getByRole('button', { name: 'Delete my account' }).click();
    const deletion = refused.getByRole('dialog');
    await expectInView(deletion.getByText(/a hash of your email address is stored for a year/u));
    await deletion.getByRole('button', { name: 'Cancel' }).click();

    // As a visitor, where reading is public.
    const questionId = await askQuestion(page.request, { title: 'How long does bread keep?' }, address);
    await changeSettings(page.request, community, { publicReading: true });
    await expect(async () => {
      await refused.goto(`${address}/question/${questionId}`);
      await expect(refused.getByRole('button', { name: 'Upvote' })).toBeVisible({ timeout: 2_000 });
    }).toPass();
    await waitForHydration(refused);
    await refused.getByRole('button', { name: 'Upvote' }).click();
    await expect(
      refused.getByRole('dialog', { name: 'The moderators have refused your account.' }),
    ).toBeVisible();
    await refused.getByRole('link', { name: 'Your account' }).click();

    await page.getByRole('tab', { name: 'Refused' }).click();
    await expect(application).toContainText('Refused by Olga Owner: Spam or advertising.');
    await application.getByRole('button', { name: 'Approve' }).click();
    await expect(refused).toHaveURL(`${address}/`, { timeout: 15_000 });
  } finally {
    await Promise.all([visiting, refusedVisiting].map((context) => context.close()));
    await community.remove();
  }
});
