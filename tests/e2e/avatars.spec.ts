import { expect, type Locator, test } from '@playwright/test';
import sharp from 'sharp';
import { waitForHydration } from './support/hydration.ts';
import { expectInView } from './support/in-view.ts';
import { newMember, registerMember } from './support/members.ts';
import { askAndOpen, secondMember, uniqueText } from './support/posts.ts';

const photo = (background: string) =>
  sharp({ create: { width: 900, height: 600, channels: 3, background } })
    .jpeg()
    .toBuffer();

const isLoaded = (picture: Locator) =>
  expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);

test('an avatar is uploaded by button and drop, shown to others in place of the initial, and removed', async ({
  page,
  browser,
}) => {
  await registerMember(page.request, newMember('Ida Frame'));
  const id = await askAndOpen(page, uniqueText('Who is in the picture?'));
  await page.goto('/settings');
  await waitForHydration(page);
  const settings = page.getByRole('group', { name: 'Profile picture' });
  const field = settings.locator('input[type="file"]');
  const upload = page.getByRole('button', { name: 'Upload picture' });
  const { height } = (await settings.boundingBox()) ?? {};

  await field.setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('Notes') });
  await expectInView(page.getByRole('alert').filter({ hasText: 'Only JPEG, PNG, WebP and GIF' }));
  const damaged = Buffer.from('\u0089PNG\r\n', 'latin1');
  await field.setInputFiles({ name: 'damaged.png', mimeType: 'image/png', buffer: damaged });
  await expect(page.getByRole('alert')).toBeVisible();

  // A proxy that refuses the size.
  await page.route('**/api/settings/avatar', (route) => route.fulfill({ status: 413, body: '<h1>413</h1>' }));
  await field.setInputFiles({ name: 'a.jpg', mimeType: 'image/jpeg', buffer: await photo('#a33') });
  await expect(page.getByRole('alert').filter({ hasText: 'Something went wrong' })).toBeVisible();
  await page.unroute('**/api/settings/avatar');

  await page.route('**/api/settings/avatar', (route) => new Promise(() => void route.request()));
  const choosing = page.waitForEvent('filechooser');
  await upload.click();
  await (await choosing).setFiles({ name: 'a.jpg', mimeType: 'image/jpeg', buffer: await photo('#a33') });
  await expectInView(page.getByRole('progressbar', { name: 'Uploading the picture …' }));
  await expect(page.getByRole('alert')).toHaveCount(0);
  expect((await settings.boundingBox())?.height).toBe(height);
  await page.getByRole('button', { name: 'Cancel upload' }).click();
  await expect(upload).toBeVisible();
  await page.unroute('**/api/settings/avatar');

  await settings.evaluate(
    (element, bytes) => {
      const data = new DataTransfer();
      data.items.add(new File([Uint8Array.from(bytes)], 'b.jpg', { type: 'image/jpeg' }));
      element.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
    },
    [...(await photo('#33a'))],
  );
  await expectInView(page.getByText('Profile picture saved'));
  await isLoaded(settings.locator('img'));
  await isLoaded(page.getByRole('button', { name: 'Account menu' }).locator('img'));
  expect((await settings.boundingBox())?.height).toBe(height);

  const { page: reader } = await secondMember(browser, 'Reader');
  await reader.goto(`/question/${id}`);
  await isLoaded(reader.getByRole('main').getByRole('article').first().locator('img').first());

  await settings.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect(upload).toBeVisible();
  await expect(page.getByRole('button', { name: 'Account menu' }).locator('img')).toHaveCount(0);
  await reader.reload();
  await expect(reader.getByRole('main').getByText('Ida Frame').first()).toBeVisible();
  await expect(reader.getByRole('main').locator('img')).toHaveCount(0);
});
