import { expect, test } from '@playwright/test';
import { signToken } from '#server/core/signed-tokens.ts';
import { expectAccessible } from './support/accessibility.ts';
import { startCommunity } from './support/community.ts';
import { waitForHydration } from './support/hydration.ts';
import { expectInView } from './support/in-view.ts';
import { fillInAccount, openAdminPage } from './support/set-up.ts';

test('the owner of a new community sets it up, changes its settings, and undoes a change', async ({
  page,
  browser,
}) => {
  const warnings: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'warning' && !message.text().includes('Playwright')) warnings.push(message.text());
  });
  const secret = 'the secret of a community that nobody has set up';
  const community = await startCommunity({ env: { SECRET: secret } });
  try {
    await page.goto(community.address);
    await expect(page.getByText('This community is new.')).toBeVisible();

    await page.goto(`${community.address}/setup#${signToken({ secret, purpose: 'setup' }, 'setup')}`);
    await page.getByRole('button', { name: 'Set up community' }).click();
    await expect(page.getByLabel('Name of the community')).toBeFocused();
    await expect(page.getByText('Enter a text')).toBeVisible();
    await page.getByLabel('Name of the community').fill('Baking');
    await page.getByLabel('Purpose, in one sentence').fill('Everything about bread.');
    await expect(page.getByLabel('Who may read')).toHaveValue('members');
    await page.getByLabel('Who may read').selectOption('Visitors and members');
    await page.getByLabel('Who may join').selectOption('People whom a moderator approves');
    await fillInAccount(page, { name: 'Olga Owner', email: 'olga@example.org' });
    await expectAccessible(page, { look: 'setup' });
    await page.getByRole('button', { name: 'Set up community' }).click();
    await expect(page.getByText('Your community is ready.')).toBeVisible();
    await expect(page).toHaveTitle(/ · Baking$/);
    await expect(page.getByRole('link', { name: 'Baking' })).toBeVisible();

    const visiting = await browser.newContext();
    const visitor = await visiting.newPage();
    await visitor.goto(community.address);
    await expect(visitor).toHaveTitle(/ · Baking$/);
    await expect(visitor.getByRole('link', { name: 'Ask Question' }).first()).toBeVisible();
    await visitor.goto(`${community.address}/setup`);
    await expect(visitor.getByText('This community has been set up already.')).toBeVisible();

    await page.getByRole('button', { name: /account menu/i }).click();
    await page.getByRole('menuitem', { name: 'Site settings' }).click();
    await expect(page.getByRole('heading', { name: 'Site settings' })).toBeVisible();
    await expect(page.getByLabel('Who may join')).toHaveValue('approval');
    await page.getByLabel('Name', { exact: true }).fill('  ');
    await page.getByRole('button', { name: 'Save' }).click();
    await expectInView(page.getByText('Enter a text'));
    await page.getByLabel('Name', { exact: true }).fill('Bread and cakes');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText('Saved to the moderation log').first()).toBeVisible();
    await expect(page).toHaveTitle(/ · Bread and cakes$/);
    await page.getByRole('checkbox', { name: 'Formulas' }).click();
    await expect(page.getByRole('checkbox', { name: 'Formulas' })).toBeChecked();
    await expectAccessible(page, { look: 'site-settings' });

    await visitor.goto(`${community.address}/rules`);
    await expect(visitor.getByRole('heading', { name: 'Page not found' })).toBeVisible();
    await page.getByLabel('Page “Rules”').fill('## Be kind\n\nBread is for **everybody**.');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText('Saved to the moderation log').first()).toBeVisible();
    await expect
      .poll(async () => {
        await visitor.goto(community.address);
        return visitor.getByRole('link', { name: 'Rules' }).count();
      })
      .toBe(1);
    await visitor.getByRole('link', { name: 'Rules' }).click();
    await expectInView(visitor.getByRole('heading', { name: 'Be kind' }));
    await expect(visitor.getByRole('strong')).toHaveText('everybody');
    await expectAccessible(visitor, { look: 'rules' });
    await visiting.close();

    await page.getByLabel('Who may join').selectOption({ label: 'Nobody' });
    await expect(page.getByText('Saved to the moderation log').first()).toBeVisible();
    await openAdminPage(page, 'Moderation log');
    await waitForHydration(page);
    await expect(page.getByText('After: Nobody')).toBeVisible();
    const change = page.getByRole('listitem').filter({ hasText: 'Before: Baking' });
    await expect(change).toContainText('Name');
    await expect(change).toContainText('After: Bread and cakes');
    await change.getByRole('button', { name: 'Undo' }).click();
    await expect(page).toHaveTitle(/ · Baking$/);
    expect(warnings).toEqual([]);
  } finally {
    await community.remove();
  }
});
