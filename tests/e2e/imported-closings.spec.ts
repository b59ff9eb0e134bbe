import { expect, test } from '@playwright/test';
import { expectAccessible } from './support/accessibility.ts';
import { importArchive, questionRow, userRow } from './support/archive.ts';
import { type Community, startCommunity } from './support/community.ts';
import { expectInView } from './support/in-view.ts';
import { newMember, registerMember } from './support/members.ts';

// One after the other: the tests share their community.
test.describe.configure({ mode: 'default' });

const site = 'beer.stackexchange.com';
const at = '2015-02-03T10:00:00.000';
const closed = { ClosedDate: at, OwnerUserId: 1 };
const voters = (...ids: number[]) =>
  JSON.stringify({ Voters: ids.map((id) => ({ Id: id, DisplayName: `Voter ${id}` })) });
const closing = (id: number, postId: number, reason: number, voterIds: number[]) => ({
  Id: id,
  PostHistoryTypeId: 10,
  PostId: postId,
  RevisionGUID: `guid-${id}`,
  CreationDate: at,
  Comment: reason,
  Text: voters(...voterIds),
});

let community: Community;
test.beforeAll(async () => {
  test.setTimeout(120_000);
  community = await startCommunity();
  await importArchive(community, {
    site,
    files: {
      Users: [userRow(1, 'Ada'), userRow(2, 'Voter Two'), userRow(3, 'Voter Three')],
      Posts: [
        questionRow(10, 'Which beer is best?', closed),
        questionRow(11, 'How long does beer keep?', { OwnerUserId: 1 }),
        questionRow(12, 'When does beer go off?', closed),
      ],
      PostLinks: [{ Id: 1, CreationDate: at, PostId: 12, RelatedPostId: 11, LinkTypeId: 3 }],
      PostHistory: [closing(1, 10, 105, [2, 3]), closing(2, 12, 101, [2])],
    },
  });
});
test.afterAll(() => community.remove());

for (const { name, width, height } of [
  { name: 'a desktop', width: 1280, height: 800 },
  { name: 'a phone', width: 390, height: 844 },
]) {
  test(`a question that its site closed says why and by whom, and takes answers, on ${name}`, async ({
    page,
  }) => {
    await page.setViewportSize({ width, height });
    await registerMember(page.request, newMember('Ben'), community.address);
    await page.goto(`${community.address}/search?q=best`);
    await page.getByRole('link', { name: 'Which beer is best?' }).click();
    const banner = page.getByText(`This question was closed on ${site}: opinion-based`);
    await expectInView(banner);
    await expect(banner).toContainText(/Closed by Voter Two (?:and|,) Voter Three/u);
    await expect(banner.locator('time')).toHaveAttribute('datetime', /^2015-02-03T/u);
    await expectAccessible(page, { look: 'closed question' });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    await page.getByLabel('Your answer').fill(`One that is cold, on ${name}.`);
    await page.getByRole('button', { name: 'Post Answer' }).click();
    await expect(page.getByRole('article', { name: 'Answer by Ben' }).first()).toContainText(
      `One that is cold, on ${name}.`,
    );
  });

  test(`a duplicate of an imported question leads to the original on ${name}`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    await registerMember(page.request, newMember('Carl'), community.address);
    await page.goto(`${community.address}/search?q=off`);
    await page.getByRole('link', { name: 'When does beer go off?' }).click();
    const banner = page.getByText('This question is a duplicate of');
    const original = banner.getByRole('link', { name: 'How long does beer keep?' });
    await expect(original).toBeVisible();
    await expectInView(banner);
    await expect(page.getByText('This question was closed on')).toHaveCount(0);
    await original.click();
    await expect(page.getByRole('heading', { name: 'How long does beer keep?', level: 1 })).toBeVisible();
    await expect(page.getByText('This question is a duplicate of')).toHaveCount(0);
  });
}
