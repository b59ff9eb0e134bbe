import { type BrowserContext, expect, type Page, test } from '@playwright/test';
import type { Me } from '#shared/identity/accounts.ts';
import { holdRequests } from './support/held-requests.ts';
import { waitForHydration } from './support/hydration.ts';
import { expectAccessible } from './support/accessibility.ts';
import { expectInView, expectInViewAtBothSizes } from './support/in-view.ts';
import { askQuestion, makeModerator, newMember, registerMember } from './support/members.ts';
import { postAnswer, secondMember, uniqueText, uniqueWord } from './support/posts.ts';

const pages = [
  ['Review queue', '/moderation'],
  ['Suggested edits', '/suggested-edits'],
  ['New accounts', '/moderation/applications'],
  ['Claims of profiles', '/moderation/claims'],
  ['Members', '/moderation/members'],
  ['Recent registrations', '/moderation/registrations'],
  ['Invitations', '/admin/invitations'],
  ['Announcements', '/moderation/announcements'],
  ['Moderation log', '/moderation/log'],
  ['Statistics', '/admin/statistics'],
] as const;

test('each page of moderators has the menu with the others, and members do not find them', async ({
  page,
}) => {
  const { email } = await registerMember(page.request, newMember('Mona'));
  await page.goto('/moderation/members');
  await expect(page.getByRole('heading', { name: 'Page not found', level: 1 })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Moderation', exact: true })).toHaveCount(0);

  await makeModerator(email);
  await page.goto('/moderation/log');
  await waitForHydration(page);
  for (const [name, path] of pages) {
    await page.getByRole('button', { name: 'Moderation', exact: true }).click();
    const entry = page.getByRole('menuitem', { name: new RegExp(`^${name}( \\(\\d+\\))?$`, 'u') });
    await expectInView(entry);
    await entry.click();
    await expect(page).toHaveURL(path);
    await expect(page.getByRole('heading', { name, exact: true, level: 1 })).toBeVisible();
  }
});

test('an admin enters the password to make a member an admin and to give up the role, not to make a moderator', async ({
  page,
  browser,
}) => {
  const other = await browser.newContext();
  await registerMember(other.request, newMember(uniqueWord('Nadia')));
  const { email, password } = await registerMember(page.request, newMember(uniqueWord('Olaf')));
  await makeModerator(email, 'admin');
  const readOwn = async ({ request }: BrowserContext) =>
    ((await (await request.get('/api/session')).json()) as { member: Pick<Me, 'id' | 'role'> }).member;
  const choose = async ({ id }: Pick<Me, 'id'>, role: string) => {
    await page.goto(`/moderation/member/${id}`);
    await waitForHydration(page);
    await page.getByLabel('Role').selectOption(role);
    await page.getByRole('button', { name: 'Change role' }).click();
  };
  const dialog = page.getByRole('dialog', { name: 'Change role' });
  const confirm = dialog.getByRole('button', { name: 'Change role' });

  await choose(await readOwn(other), 'Moderator');
  await expect(page.getByText('Saved to the moderation log')).toBeVisible();
  await expect(dialog).toBeHidden();
  await expect(page.getByLabel('Role')).toBeFocused();
  expect(await readOwn(other)).toMatchObject({ role: 'moderator' });

  // The new role is shown before the member is fetched again.
  const release = await holdRequests(page, '**/api/moderation/members/*');
  await page.getByLabel('Role').selectOption('Member');
  await page.getByRole('button', { name: 'Change role' }).click();
  await expect(page.getByLabel('Role')).toBeFocused();
  await expect(page.getByLabel('Role')).toHaveValue('member');
  expect(await readOwn(other)).toMatchObject({ role: 'member' });
  release();

  await choose(await readOwn(other), 'Admin');
  await expect(dialog).toContainText('will be able to change site settings and roles');
  await expectInView(confirm);
  await expectAccessible(page, { look: 'role' });
  await dialog.getByLabel('Your password').fill('wrong password');
  await confirm.click();
  await expect(dialog.getByLabel('Your password')).toHaveAccessibleDescription(/.+/u);
  expect(await readOwn(other)).toMatchObject({ role: 'member' });
  await dialog.getByLabel('Your password').fill(password);
  await confirm.click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText('Saved to the moderation log')).toBeVisible();
  await expect(page.getByLabel('Role')).toBeFocused();
  expect(await readOwn(other)).toMatchObject({ role: 'admin' });
  await other.close();

  await choose(await readOwn(page.context()), 'Member');
  await expect(dialog).toContainText('You will no longer be an admin.');
  await dialog.getByLabel('Your password').fill(password);
  await confirm.click();
  await expect(page.getByRole('heading', { name: 'Page not found', level: 1 })).toBeVisible();
  expect(await readOwn(page.context())).toMatchObject({ role: 'member' });
});

test('the pages of a member and of a topic have the menu of moderators, and an admin has both menus', async ({
  page,
}) => {
  const { email } = await registerMember(page.request, newMember('Nora'));
  const tag = uniqueWord('topic');
  await askQuestion(page.request, { title: uniqueText('Which menu?'), tags: [tag] });
  const { member } = (await (await page.request.get('/api/session')).json()) as { member: { id: number } };
  await makeModerator(email, 'admin');
  for (const [address, menus] of [
    [`/moderation/member/${member.id}`, ['Moderation']],
    [`/moderation/tags/${tag}`, ['Moderation']],
    ['/admin/statistics', ['Moderation', 'Administration']],
    ['/admin/invitations', ['Moderation', 'Administration']],
  ] as const) {
    await page.goto(address);
    for (const name of menus) await expectInView(page.getByRole('button', { name, exact: true }));
  }
});

test('the review queue shows one cause after a choice, and all again after Back', async ({ page }) => {
  const { email } = await registerMember(page.request, newMember('Olaf'));
  await makeModerator(email);
  await page.goto('/moderation');
  const show = page.getByLabel('Show', { exact: true });
  await show.focus();
  await show.selectOption('spam_rule');
  await expect(page).toHaveURL('/moderation?cause=spam_rule');
  await expect(show).toBeFocused();
  await page.goBack();
  await expect(show).toHaveValue('all');
});

test('a post that its author edits while a moderator decides shows the new text in the dialog first', async ({
  page,
  browser,
}) => {
  const name = uniqueText('Edna Editor');
  const { page: author } = await secondMember(browser, name);
  const title = uniqueText('Is rye sour?');
  const id = await askQuestion(author.request, { title, content: 'My bread is.' });
  const { email } = await registerMember(page.request, newMember(uniqueText('Mia Moss')));
  const report = await page.request.put(`/api/questions/${id}/report`, {
    data: { reason: 'spam', note: '' },
  });
  expect(report.status(), await report.text()).toBe(200);
  await makeModerator(email);
  await page.goto('/moderation?cause=report');
  const card = page.getByRole('article', { name: `Reported post by ${name}` });
  await card.getByRole('button', { name: 'Dismiss reports' }).click();
  const dialog = page.getByRole('dialog', { name: 'Moderate post' });
  await dialog.getByLabel('Reason (public, optional)').fill('A fair question');
  const dismiss = dialog.getByRole('button', { name: 'Dismiss reports' });
  await expect(dismiss).toBeEnabled();
  const edit = await author.request.put(`/api/questions/${id}`, {
    data: { title, content: 'You are all idiots.', tags: [] },
  });
  expect(edit.status(), await edit.text()).toBe(200);
  await expectInViewAtBothSizes(dialog.getByText('You are all idiots.'));
  await expect(card).toContainText('You are all idiots.');
  await expect(dismiss).toBeDisabled();
  await expectAccessible(page, { look: 'edited post in the review queue' });
  await dialog.getByRole('button', { name: 'Got it' }).click();
  await expect(dialog.getByLabel('Reason (public, optional)')).toBeFocused();
  await expect(dialog.getByLabel('Reason (public, optional)')).toHaveValue('A fair question');
  await dismiss.click();
  await expect(dialog).toBeHidden();
  await expect(card).toHaveCount(0);
});

test('the dialog of a moderator keeps the reason after a click beside it and when another one takes the post over', async ({
  page,
  browser,
}) => {
  const { page: author } = await secondMember(browser, uniqueText('Ada Author'));
  const id = await askQuestion(author.request, { title: uniqueText('Is rye sour?') });
  const { email } = await registerMember(page.request, newMember(uniqueText('Max Moss')));
  const { page: other, member } = await secondMember(browser, uniqueText('Otto Other'));
  const report = await page.request.put(`/api/questions/${id}/report`, {
    data: { reason: 'spam', note: '' },
  });
  expect(report.status(), await report.text()).toBe(200);
  await makeModerator(email);
  await makeModerator(member.email);
  await page.clock.install();
  await page.goto('/moderation?cause=report');
  const card = page.getByRole('article').filter({ has: page.locator(`[href*="/question/${id}/"]`) });
  const claimed = page.waitForResponse((response) => response.url().endsWith('/claim'));
  await card.getByRole('button', { name: 'Hide' }).click();
  await claimed;
  const dialog = page.getByRole('dialog', { name: 'Moderate post' });
  const reason = dialog.getByLabel('Reason (public)');
  await reason.fill('An advertisement');
  await page.mouse.click(5, 5);
  await expect(reason).toHaveValue('An advertisement');
  const itemId = await card.getAttribute('data-review-item');
  const takenOver = await other.request.put(`/api/moderation/queue/${itemId}/claim`, {
    data: { takeOver: true },
  });
  expect(takenOver.status(), await takenOver.text()).toBe(204);
  // The claim is prolonged.
  await page.clock.fastForward('05:00');
  await expectInViewAtBothSizes(dialog.getByRole('alert'));
  await expect(dialog.getByRole('alert')).toContainText('is reviewing this post');
  await expect(dialog.getByRole('button', { name: 'Hide', exact: true })).toBeDisabled();
  await expect(reason).toHaveValue('An advertisement');
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(card.getByRole('button', { name: 'Take over' })).toBeVisible();
});

test('a link to a hidden answer leads a moderator to it, and says to others that there is none', async ({
  page,
  browser,
}) => {
  await registerMember(page.request, newMember('Adam Author'));
  const id = await askQuestion(page.request, { title: uniqueText('What is hidden?') });
  const answerId = await postAnswer(page.request, id, 'Buy my bread.');
  const { page: moderator, member } = await secondMember(browser, uniqueWord('Hilda'));
  await makeModerator(member.email);
  const data = { kind: 'answer', id: answerId, action: 'hide', reason: 'Spam', duplicateOf: null };
  const hiding = await moderator.request.post('/api/moderation/post-actions', {
    data: { ...data, queueItemId: null },
  });
  expect(hiding.status(), await hiding.text()).toBeLessThan(300);
  const { page: reader } = await secondMember(browser, 'Rita Reader');
  const message = (page: Page) => page.getByRole('alert').getByText('Answer not found');
  await reader.goto(`/question/${id}#answer-${answerId}`);
  await expect(message(reader)).toBeVisible();
  // The list of hidden posts is rendered after the search for the post.
  const release = await holdRequests(moderator, '**/assets/HiddenPosts-*.js');
  const found = moderator.waitForResponse(`**/api/questions/${id}/hidden*`);
  await moderator.goto(`/question/${id}#answer-${answerId}`);
  await found;
  release();
  const card = moderator.getByRole('article', { name: 'Hidden post by' });
  await expect(card).toBeFocused();
  await expect(card).toContainText('Buy my bread.');
  await expect(message(moderator)).toHaveCount(0);
});

test('the page of a member for admins scrolls only vertically on a phone in German', async ({ browser }) => {
  const { page: other } = await secondMember(browser, uniqueWord('Greta'));
  const { member } = (await (await other.request.get('/api/session')).json()) as { member: Me };
  const context = await browser.newContext({ locale: 'de-DE', viewport: { width: 320, height: 640 } });
  const page = await context.newPage();
  const { email } = await registerMember(page.request, newMember(uniqueWord('Klara')));
  await makeModerator(email, 'admin');
  await page.goto(`/moderation/member/${member.id}`);
  const merge = page.getByRole('button', { name: 'Mit anderem Konto zusammenführen' });
  await expect(merge).toBeVisible();
  const widths = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
  expect(widths).toEqual([320, 320]);
  await context.close();
});
