import { expect, test } from '@playwright/test';
import { expectAccessible } from './support/accessibility.ts';
import { expectInViewAtBothSizes } from './support/in-view.ts';
import { openAdminPage, startCommunityWithOwner } from './support/set-up.ts';

test('an admin creates a service account, whose program posts as a bot until it is deactivated', async ({
  page,
  playwright,
}) => {
  // Starts its own server.
  test.slow();
  const community = await startCommunityWithOwner(page);
  try {
    await page.goto(`${community.address}/admin/settings`);
    await openAdminPage(page, 'Service accounts');
    await expect(page.getByText('No service accounts')).toBeVisible();
    await page.getByRole('button', { name: 'Add service account' }).click();
    const name = page.getByLabel('Name of the service account');
    await expect(name).toBeFocused();
    await name.fill('Release notes');
    await page.getByLabel('What the program does').fill('Posts what is new.');
    await page.getByLabel('Posts per hour').fill('many');
    await page.getByRole('button', { name: 'Create service account' }).click();
    await expect(page.getByLabel('Posts per hour')).toBeFocused();
    await expect(page.getByLabel('Posts per hour')).toHaveAttribute('aria-invalid', 'true');
    await page.getByLabel('Posts per hour').fill('5');
    await expectAccessible(page, { look: 'form of a service account' });
    await page.getByRole('button', { name: 'Create service account' }).click();
    const card = page.getByRole('list', { name: 'Service accounts' }).getByRole('listitem').first();
    await expect(card).toContainText(/Release notes.*Active.*5 posts per hour.*No API tokens/su);

    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Create a token: Release notes' }).click();
    await expectInViewAtBothSizes(dialog);
    await dialog.getByLabel('Name of the token').fill('CI');
    await expect(dialog.getByLabel(/^(?:Moderation|Drafts)/u)).toHaveCount(0);
    await dialog.getByLabel(/^Write/u).check();
    await dialog.getByLabel('Your password').fill('bread and butter 7');
    await dialog.getByRole('button', { name: 'Create token' }).click();
    const token = await dialog.getByLabel('Token', { exact: true }).inputValue();
    await dialog.getByRole('button', { name: "I've saved it" }).click();
    await expect(card).toContainText(/CI.*Read · Write.*Not used yet/su);

    const program = await playwright.request.newContext({
      baseURL: community.address,
      extraHTTPHeaders: { authorization: `Bearer ${token}` },
    });
    const question = { title: 'What is new in 2.0?', content: 'It is faster.', tags: ['news'] };
    const asked = await program.post('/api/questions', { data: question });
    expect(asked.status()).toBe(201);
    const { id } = (await asked.json()) as { id: number };

    await page.getByRole('button', { name: 'Deactivate: Release notes' }).click();
    await expectInViewAtBothSizes(dialog);
    await dialog.getByRole('button', { name: 'Deactivate' }).click();
    await expect(card).toContainText('Deactivated');
    expect((await program.get('/api/feeds/recent')).status()).toBe(401);
    await program.dispose();

    await page.goto(`${community.address}/`);
    const listed = page.getByRole('article', { name: question.title });
    await expect(listed).toContainText(/Release notes\s*Bot/u);
    const separator = await listed
      .locator('time')
      .evaluate((time) => getComputedStyle(time, '::before').content);
    expect(separator).toContain('·');
    await page.goto(`${community.address}/search?q=Release&in=users`);
    const found = page.getByRole('main').getByRole('article').filter({ hasText: 'Release notes' });
    await expect(found.getByText('Bot', { exact: true })).toBeVisible();

    await page.goto(`${community.address}/question/${id}`);
    const article = page.getByRole('article', { name: question.title });
    await expect(article).toContainText(/Release notes\s*Bot/u);
    await article.getByRole('link', { name: 'Release notes' }).click();
    await expect(page.getByRole('heading', { name: 'Release notes' })).toBeVisible();
    await expect(page.locator('main header').getByText('Bot', { exact: true })).toBeVisible();
    await expectAccessible(page, { look: 'profile of a service account' });

    await page.goto(`${community.address}/admin/service-accounts`);
    await page.getByRole('button', { name: 'Delete: Release notes' }).click();
    await expectInViewAtBothSizes(dialog);
    await dialog.getByLabel(/^Delete them/u).check();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await expect(dialog.getByText('Incorrect password. Please try again.')).toBeVisible();
    await dialog.getByLabel('Your password').fill('bread and butter 7');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await expect(page.getByText('No service accounts')).toBeVisible();
  } finally {
    await community.remove();
  }
});
