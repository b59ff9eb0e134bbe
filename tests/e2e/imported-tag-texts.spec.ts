import { expect, test } from '@playwright/test';
import { expectAccessible } from './support/accessibility.ts';
import { importArchive, taggedQuestion } from './support/archive.ts';
import { startCommunity } from './support/community.ts';
import { expectInView } from './support/in-view.ts';
import { newMember, registerMember } from './support/members.ts';

test('the page of a topic shows imported texts with their site and licence', async ({ page }) => {
  // Starts its own server.
  test.slow();
  const community = await startCommunity();
  try {
    await importArchive(community, taggedQuestion);
    await registerMember(page.request, newMember('Ada'), community.address);
    await page.goto(`${community.address}/topics/malt`);
    await expect(page.getByRole('heading', { name: /malt/u, level: 1 })).toBeVisible();
    await expectInView(page.getByText('Grain that sprouted and was dried.'));
    const about = page.getByRole('main').locator('details');
    await expect(about).toHaveAttribute('open', '');
    await expect(about.getByRole('listitem')).toHaveText(['Pale malt', 'Crystal malt']);
    // Both texts have the same source, which is named once.
    const source = page.getByText('From beer.stackexchange.com');
    await expect(source).toHaveCount(1);
    await expect(source).toContainText('CC BY-SA 4.0');
    await expectInView(source);
    await expect(source.getByRole('link', { name: 'beer.stackexchange.com' })).toHaveAttribute(
      'href',
      'https://beer.stackexchange.com/tags/malt/info',
    );
    await expectAccessible(page, { look: 'topic with imported texts' });

    await page.goto(`${community.address}/topics/yeast`);
    await expectInView(page.getByText('Turns sugar into alcohol.'));
    await expectInView(page.getByText('From beer.stackexchange.com'));
    await expect(page.getByRole('main').locator('details')).toHaveCount(0);
    await page.setViewportSize({ width: 390, height: 844 });
    await expectInView(page.getByText('From beer.stackexchange.com'));
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  } finally {
    await community.remove();
  }
});
