import { expect, test } from '@playwright/test';
import { askQuestion, registerMember, newMember } from '../support/members.ts';
import { expectInView } from '../support/in-view.ts';
import { uniqueText, upvote } from '../support/posts.ts';

test('a new name and bio show everywhere immediately', async ({ page }) => {
  await registerMember(page.request, newMember('Old Name'));
  const title = uniqueText('Who am I?');
  await askQuestion(page.request, { title });
  await page.goto('/');
  await page.getByRole('button', { name: 'Account menu' }).click();
  await page.getByRole('menuitem', { name: 'Settings' }).click();
  await expect(page.getByRole('heading', { name: 'Settings', level: 1 })).toBeFocused();
  await page.getByLabel('Display name').fill('  New Name ');
  await page.getByLabel('Bio').fill('Line one\nline two');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await expect(page.getByRole('status').getByText('Profile saved')).toBeVisible();
  await expectInView(page.getByRole('status').filter({ hasText: 'Profile saved' }));
  await expect(page.getByLabel('Display name')).toHaveValue('New Name');
  await page.getByRole('link', { name: 'Home' }).click();
  await expect(page.getByRole('article', { name: title }).getByText('New Name')).toBeVisible();
  await page.getByRole('link', { name: 'Your Profile' }).click();
  await expect(page.getByRole('heading', { name: 'New Name', level: 1 })).toBeVisible();
  await expect(page.getByText('Line one line two')).toBeVisible();
});

test("a member's profile shows initial, name, email address, bio, join date and the four stats", async ({
  page,
  request,
}) => {
  const member = await registerMember(page.request, newMember('Hedy Lamarr'));
  await page.request.put('/api/settings', {
    data: { displayName: member.displayName, bio: 'Frequencies **hop**.', showEmail: false },
  });
  const first = await askQuestion(page.request, { title: uniqueText('How do torpedoes listen?') });
  await askQuestion(page.request, { title: uniqueText('How many keys has a piano?') });
  await registerMember(request);
  await upvote(request, first);
  await request.put(`/api/questions/${first}/view`);

  await page.goto('/');
  await page.getByRole('link', { name: 'Your Profile' }).click();
  await expect(page).toHaveURL('/profile');
  await expect(page).toHaveTitle(/Hedy Lamarr · Parley$/u);
  const main = page.getByRole('main');
  await expect(main.getByRole('heading', { name: 'Hedy Lamarr', level: 1 })).toBeFocused();
  await expect(main.getByText(member.email)).toBeVisible();
  await expect(main.getByText('H', { exact: true }).first()).toBeVisible();
  await expect(main.getByText('Frequencies hop.')).toBeVisible();
  await expect(main.getByText(/^Joined \w{3} \d{1,2}, \d{4}$/u)).toBeVisible();
  await expect(main.getByRole('list', { name: 'Statistics' }).getByRole('listitem')).toHaveText([
    '2 questions',
    '0 answers',
    '1 upvote',
    '1 view',
  ]);
});
