import { expect, test } from '@playwright/test';
import { expectAccessible } from './support/accessibility.ts';
import { expectInView } from './support/in-view.ts';
import { newMember, registerMember } from './support/members.ts';
import { changeSettings, startCommunityWithOwner } from './support/set-up.ts';

test('a held question is shown to its author only, and to everyone once a moderator approves it', async ({
  page,
  browser,
}) => {
  const community = await startCommunityWithOwner(page);
  try {
    await changeSettings(page.request, community, { reviewFirstPosts: 1, holdForApproval: true });

    const own = await browser.newContext();
    const author = await own.newPage();
    await registerMember(author.request, newMember('Nora New'), community.address);
    await author.goto(`${community.address}/ask`);
    await author.getByLabel('Title').fill('Does sourdough freeze?');
    await author.getByLabel('Details').fill('A whole loaf.');
    await author.getByLabel('Tags').fill('bread');
    await author.getByRole('button', { name: 'Post Question' }).click();
    await expectInView(author.getByText('A moderator reviews your post before others see it.'));
    const waiting = author.getByRole('article', { name: 'Hidden post by Nora New' });
    await expectInView(waiting);
    await expect(waiting).toContainText('Waiting for a moderator.');
    await expect(waiting).toContainText('A whole loaf.');
    await expectAccessible(author, { look: 'held question' });

    await page.goto(`${community.address}/`);
    await expect(page.getByText('Does sourdough freeze?')).toHaveCount(0);
    await page.goto(`${community.address}/moderation`);
    const item = page.getByRole('article', { name: 'Post by Nora New' });
    await expectInView(item.getByText('Held: others do not see it yet'));
    await expectAccessible(page, { look: 'held post in the review queue' });
    await item.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    await expect(item).toHaveCount(0);
    await page.goto(`${community.address}/`);
    await expect(page.getByRole('link', { name: 'Does sourdough freeze?' })).toBeVisible();

    await author.reload();
    const notice = author.getByRole('dialog', { name: 'Message from the moderators' });
    await expectInView(notice.getByText('Your post in “Does sourdough freeze?” was approved.'));
    await notice.getByRole('button', { name: 'Got it' }).click();
    await expect(author.getByRole('heading', { name: 'Does sourdough freeze?' })).toBeVisible();
    await own.close();
  } finally {
    await community.remove();
  }
});
