import { expect, type Page, test } from '@playwright/test';
import { expectAccessible } from './support/accessibility.ts';
import { waitForHydration } from './support/hydration.ts';
import { expectInView, expectInViewAtBothSizes } from './support/in-view.ts';
import { askQuestion, newMember, registerMember } from './support/members.ts';
import { changeSettings, startCommunityWithOwner } from './support/set-up.ts';

test('a member proposes a tag, and a moderator makes it a synonym, rejects another by keyboard, and approves a third', async ({
  page,
  browser,
}) => {
  test.slow();
  const community = await startCommunityWithOwner(page);
  try {
    await askQuestion(
      page.request,
      { title: 'Which flour?', tags: ['flour', 'sourdough'] },
      community.address,
    );
    await changeSettings(page.request, community, { tagCreation: 'moderators' });

    const own = await browser.newContext();
    const author = await own.newPage();
    await registerMember(author.request, newMember('Nora New'), community.address);
    await author.goto(`${community.address}/ask`);
    await author.getByLabel('Title').fill('How do I feed it?');
    await author.getByLabel('Details').fill('Every day?');
    await author.getByLabel('Tags').fill('flour, sour-dough, rye');
    await propose(author, 'sour-dough', 'It is alive.');
    // What is typed stays when the page is left.
    await author.getByRole('button', { name: 'Propose “rye”' }).click();
    await expect(author.getByText('Draft saved')).toBeVisible();
    await author.reload();
    await expect(reasonOf(author, 'sour-dough')).toHaveValue('It is alive.');
    await author
      .getByRole('group', { name: 'Proposed tag: “rye”' })
      .getByRole('button', { name: "Don't propose" })
      .click();
    await expect(author.getByLabel('Tags')).toBeFocused();
    await propose(author, 'rye', 'Many questions are about it.');
    await expectAccessible(author, { look: 'proposed tags' });
    await author.getByRole('button', { name: 'Post Question' }).click();
    await expectInView(author.getByText('Posted. Moderators will decide about “sour-dough”, “rye”.'));
    const tags = author
      .getByRole('main')
      .getByRole('article')
      .first()
      .getByRole('link', { name: /^(flour|sourdough|rye|bran)$/ });
    await expect(tags).toHaveText(['flour']);
    await author.getByRole('button', { name: 'Edit' }).first().click();
    await author.getByLabel('Tags').fill('flour, bran');
    await propose(author, 'bran', '');
    await author.getByRole('button', { name: 'Save', exact: true }).click();
    await expectInView(author.getByText('Posted. Moderators will decide about “bran”.'));

    await page.goto(`${community.address}/moderation?cause=tag_proposal`);
    await waitForHydration(page);
    await expectInView(page.getByRole('tab', { name: 'Proposed topics (3)' }));
    const entry = (name: string) => page.getByRole('article', { name: `Proposed topic “${name}”` });
    await expect(entry('sour-dough')).toContainText('It is alive.');
    await expect(entry('sour-dough').getByRole('link', { name: 'How do I feed it?' })).toBeVisible();
    await expect(entry('sour-dough').getByRole('link', { name: 'sourdough', exact: true })).toBeVisible();
    await expectAccessible(page, { look: 'proposed topics' });
    const dialog = page.getByRole('dialog');
    await entry('sour-dough').getByRole('button', { name: 'Make it another name' }).click();
    await expect(dialog.getByLabel('Existing topic')).toHaveValue('sourdough');
    await expectInViewAtBothSizes(dialog);
    await expectAccessible(page, { look: 'deciding about a proposed topic' });
    await dialog.getByRole('button', { name: 'Make it another name' }).click();
    await expect(entry('sour-dough')).toHaveCount(0);
    // A dialog that closes moves the focus.
    await expect(dialog).toHaveCount(0);
    await entry('rye').focus();
    await page.keyboard.press('r');
    await dialog.getByRole('button', { name: 'Reject', exact: true }).click();
    await expect(dialog).toContainText('Enter a reason');
    await dialog.getByLabel('Reason (public)').fill('“flour” is enough.');
    await dialog.getByRole('button', { name: 'Reject', exact: true }).click();
    await expect(entry('rye')).toHaveCount(0);
    await entry('bran').getByRole('button', { name: 'Approve' }).click();
    await dialog.getByRole('button', { name: 'Approve' }).click();
    await expect(entry('bran')).toHaveCount(0);
    await expectInView(page.getByText('Nothing to review'));

    // The open page of the author.
    await expect(tags).toHaveText(['flour', 'sourdough', 'bran']);
    const notice = author.getByRole('dialog', { name: 'Message from the moderators' });
    await expect(notice).toBeVisible();
    await author.reload();
    await expect(notice).toContainText(
      '“sour-dough”, which you proposed, is now another name of the topic “sourdough”.',
    );
    await expect(notice).toContainText('The topic “rye” that you proposed was not created.');
    await expect(notice).toContainText('“flour” is enough.');
    await expect(notice).toContainText('The topic “bran” that you proposed exists now.');
    await expectAccessible(author, { look: 'message about proposed topics' });
    await own.close();
  } finally {
    await community.remove();
  }
});

const reasonOf = (page: Page, tag: string) =>
  page.getByRole('group', { name: `Proposed tag: “${tag}”` }).getByLabel('Why is this tag needed?');

/** Proposes a typed tag. The field for the reason then has the focus. */
async function propose(page: Page, tag: string, reason: string): Promise<void> {
  await page.getByRole('button', { name: `Propose “${tag}”` }).click();
  await expect(reasonOf(page, tag)).toBeFocused();
  await reasonOf(page, tag).fill(reason);
}
