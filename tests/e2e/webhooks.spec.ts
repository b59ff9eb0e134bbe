import { expect, test } from '@playwright/test';
import { startWebhookReceiver } from '#tests/support/webhook-receiver.ts';
import { expectAccessible } from './support/accessibility.ts';
import { expectInView } from './support/in-view.ts';
import { openAdminPage, startCommunityWithOwner } from './support/set-up.ts';

test('an admin adds a web hook, tests it, sees its deliveries and deletes it', async ({ page }) => {
  // Starts its own server.
  test.slow();
  const receiver = await startWebhookReceiver();
  const community = await startCommunityWithOwner(page, { env: { WEBHOOK_HOSTS: '127.0.0.1' } });
  try {
    await page.goto(`${community.address}/admin/settings`);
    await openAdminPage(page, 'Web hooks');
    await expect(page.getByText('No web hooks')).toBeVisible();

    await page.getByRole('button', { name: 'Add web hook' }).click();
    await expect(page.getByLabel('Name of the web hook')).toBeFocused();
    await page.getByLabel('Name of the web hook').fill('Kitchen');
    await page.getByLabel('Address of the receiver').fill('http://10.0.0.1/hook');
    await page.getByRole('button', { name: 'Add web hook' }).click();
    await expect(page.getByLabel('Address of the receiver')).toBeFocused();
    await expect(page.getByLabel('Address of the receiver')).toHaveAttribute('aria-invalid', 'true');
    await page.getByLabel('Address of the receiver').fill(`${receiver.address}/hook`);
    await expectAccessible(page, { look: 'form of a web hook' });
    await page.getByRole('button', { name: 'Add web hook' }).click();

    const dialog = page.getByRole('dialog', { name: 'Secret of the web hook' });
    const field = dialog.getByLabel('Secret of the web hook');
    await expectInView(field);
    const secret = await field.inputValue();
    expect(secret).toMatch(/^whsec_/u);
    await expectAccessible(page, { look: 'secret of a web hook' });
    await page.keyboard.press('Escape');
    await expect(dialog).toBeVisible();
    // Browsers may refuse to copy on plain http.
    await page.evaluate(() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error('refused'));
      document.execCommand = () => false;
    });
    await dialog.getByRole('button', { name: 'Copy' }).click();
    await expect(page.getByRole('alert')).toContainText('could not be copied');
    await dialog.getByRole('button', { name: "I've saved it" }).click();

    await page.getByRole('button', { name: 'Send test event: Kitchen' }).click();
    const [received] = await receiver.accepted(1, '/hook');
    if (received === undefined) throw new Error('no request');
    receiver.verify(secret, received);
    const deliveries = page.getByRole('list', { name: 'Deliveries' }).getByRole('listitem');
    await expect(deliveries).toContainText(received.id);
    await expect(deliveries).toContainText('Delivered');
    await expectAccessible(page, { look: 'deliveries of a web hook' });
    await deliveries.getByRole('button', { name: 'Send again' }).click();
    const repeated = await receiver.accepted(2, '/hook');
    expect(repeated.map(({ id }) => id)).toEqual([received.id, received.id]);

    await page.getByRole('button', { name: 'Delete: Kitchen' }).click();
    const confirm = page
      .getByRole('dialog', { name: 'Delete web hook' })
      .getByRole('button', { name: 'Delete' });
    await expectInView(confirm);
    await confirm.click();
    await expect(page.getByText('No web hooks')).toBeVisible();
  } finally {
    await community.remove();
    await receiver.stop();
  }
});
