import { expect, test } from '@playwright/test';
import { expectAccessible } from './support/accessibility.ts';
import { waitForHydration } from './support/hydration.ts';
import { expectInView } from './support/in-view.ts';
import { askQuestion, makeModerator, newMember, registerMember } from './support/members.ts';
import { uniqueText } from './support/posts.ts';

test('a moderator pins a question and posts an announcement on a topic, and readers see them come and go', async ({
  page,
  browser,
}) => {
  const mark = uniqueText('').trim().replaceAll(' ', '-').slice(-12);
  const tag = `meetings-${mark}`;
  const { email } = await registerMember(page.request, newMember(`Nora ${mark}`));
  const title = `When do we meet? ${mark}`;
  const id = await askQuestion(page.request, { title, tags: [tag] });
  await makeModerator(email);
  const reading = await browser.newContext();
  const reader = await reading.newPage();
  await registerMember(reader.request, newMember('Rita'));
  await reader.clock.install();
  await reader.goto(`/topics/${tag}`);
  await waitForHydration(reader);
  const shown = reader.getByRole('list', { name: 'Announcements' });

  await page.goto(`/question/${id}`);
  await waitForHydration(page);
  await page.getByRole('button', { name: 'More actions' }).first().click();
  await page.getByRole('menuitem', { name: 'Pin question' }).click();
  const dialog = page.getByRole('dialog', { name: 'Pin question' });
  await expectInView(dialog);
  await dialog.getByLabel('Where').selectOption(tag);
  await expectAccessible(page, { look: 'pinning-question' });
  await dialog.getByRole('button', { name: 'Pin question' }).click();
  await expect(page.getByText('Question pinned')).toBeVisible();
  await expectInView(shown.getByRole('link', { name: title }));

  await page.goto('/moderation/announcements');
  await waitForHydration(page);
  await page.getByLabel('Text').fill('We meet on Friday.');
  const tomorrow = new Date(Date.now() + 24 * 60 * 60_000);
  await page.getByLabel('Last day').fill(tomorrow.toISOString().slice(0, 10));
  await page.getByLabel('Link (optional)').fill('no address');
  await page.getByLabel('Topic').fill(tag);
  await page.getByRole('button', { name: 'Post announcement' }).click();
  await expect(page.getByRole('alert')).toContainText('Enter an address');
  await page.getByLabel('Link (optional)').fill('/search?q=Friday');
  await page.getByRole('button', { name: 'Post announcement' }).click();
  const card = page.getByRole('listitem').filter({ hasText: tag }).filter({ hasText: 'We meet on Friday.' });
  await expect(card).toBeVisible();
  await expect(shown.getByRole('listitem')).toContainText(['We meet on Friday.', title]);
  await expectAccessible(page, { look: 'announcements' });

  await card.getByRole('button', { name: 'End', exact: true }).click();
  await expect(shown.getByText('We meet on Friday.')).toHaveCount(0);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(shown.getByText('We meet on Friday.')).toBeVisible();
  await expect(shown.getByRole('link', { name: 'We meet on Friday.' })).toHaveAttribute(
    'href',
    '/search?q=Friday',
  );
  await reader.clock.fastForward(72 * 60 * 60_000);
  await expect(shown.getByText('We meet on Friday.')).toHaveCount(0);
  await expect(shown.getByRole('link', { name: title })).toBeVisible();
  await reading.close();
});
