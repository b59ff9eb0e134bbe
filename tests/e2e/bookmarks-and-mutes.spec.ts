import { expect, test } from '@playwright/test';
import { expectAccessible } from './support/accessibility.ts';
import { askQuestion, registerMember, newMember } from './support/members.ts';
import { expectInView } from './support/in-view.ts';
import { postAnswer, uniqueText, withoutLiveUpdates } from './support/posts.ts';

test('a bookmark with its note and list shows in every tab, and can be removed and restored', async ({
  page,
  context,
}) => {
  await registerMember(page.request);
  const title = uniqueText('How do I keep this?');
  const id = await askQuestion(page.request, { title });
  await postAnswer(page.request, id, 'By a bookmark.');
  const other = await context.newPage();
  await other.goto('/bookmarks');
  await expect(other.getByText('No bookmarks yet')).toBeVisible();

  await page.goto(`/question/${id}`);
  await expect(page.getByRole('heading', { name: title, level: 1 })).toBeVisible();
  await page.keyboard.press('b');
  const question = page.getByRole('article', { name: title });
  await expect(question.getByRole('button', { name: 'Bookmarked' })).toHaveAttribute('aria-pressed', 'true');
  await page.getByRole('button', { name: 'Add a note or lists' }).click();
  const dialog = page.getByRole('dialog', { name: 'Note and lists' });
  await expectInView(dialog);
  await dialog.getByLabel('Note').fill('For the long train ride');
  const listName = dialog.getByRole('textbox', { name: 'New list name' });
  await listName.fill('Tra');
  // As an input method does when a word is chosen.
  await listName.dispatchEvent('keydown', { key: 'Enter', isComposing: true });
  // In Safari, the composition ends before the key.
  await listName.dispatchEvent('keydown', { key: 'Enter', keyCode: 229 });
  await listName.fill('Travel');
  await dialog.getByRole('button', { name: 'Add list' }).click();
  await expect(dialog.getByRole('checkbox', { name: 'Travel' })).toBeChecked();
  await expect(dialog.getByRole('checkbox')).toHaveCount(1);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toBeHidden();
  // The message that opened it is gone.
  await expect(question.getByRole('button', { name: 'Bookmarked' })).toBeFocused();

  const card = other.getByRole('article', { name: title });
  await expect(card).toContainText('For the long train ride');
  await other.getByRole('link', { name: 'Travel 1' }).click();
  await expect(other).toHaveURL(/\/bookmarks\?list=\d+$/);
  await other.getByRole('searchbox', { name: 'Search bookmarks' }).fill('train');
  await expect(other).toHaveURL(/q=train/);
  await card.getByRole('button', { name: 'Edit note' }).click();
  await card.getByLabel('Note').fill('For the boat, not the train');
  await card.getByLabel('Note').press('Escape');
  await card.getByRole('button', { name: 'Edit note' }).click();
  await expect(card.getByLabel('Note')).toHaveValue('For the boat, not the train');
  await card.getByLabel('Note').press('Control+Enter');
  await expect(card.getByText('For the boat')).toBeVisible();
  await expect(card.getByRole('button', { name: 'Edit note' })).toBeFocused();

  await other.goto('/bookmarks');
  await card.getByRole('button', { name: 'Remove' }).click();
  await expect(card).toHaveCount(0);
  await expect(question.getByRole('button', { name: 'Bookmark', exact: true })).toBeVisible();
  await other.getByRole('button', { name: 'Undo' }).click();
  await expect(card).toContainText('For the boat');
  await expect(card.getByRole('link', { name: 'Travel' })).toBeVisible();
  await expectAccessible(other);
});

test('the note of a bookmark that another device added is in the dialog', async ({ page }) => {
  await registerMember(page.request);
  const title = uniqueText('Is it mine?');
  const id = await askQuestion(page.request, { title });
  const created = await page.request.post('/api/bookmark-lists', { data: { name: 'Later' } });
  const { id: listId } = (await created.json()) as { id: number };
  await withoutLiveUpdates(page);
  await page.goto(`/question/${id}`);
  await expect(page.getByRole('heading', { name: title, level: 1 })).toBeVisible();
  const data = { bookmarked: true, note: 'From the phone', listIds: [listId] };
  expect((await page.request.put(`/api/questions/${id}/bookmark`, { data })).status()).toBe(200);
  await page.getByRole('button', { name: 'Bookmark', exact: true }).click();
  await page.getByRole('button', { name: 'Add a note or lists' }).click();
  const dialog = page.getByRole('dialog', { name: 'Note and lists' });
  await expect(dialog.getByLabel('Note')).toHaveValue('From the phone');
  await expect(dialog.getByRole('checkbox', { name: 'Later' })).toBeChecked();
});

test('a muted topic leaves the feed, live as well, a muted question sends no notifications, and the settings unmute both', async ({
  page,
  browser,
}) => {
  await registerMember(page.request, newMember('Mia Muted'));
  const tag = uniqueText('noise').slice(-30).toLowerCase();
  const own = await askQuestion(page.request, { title: uniqueText('Who answers me?') });
  const author = await browser.newContext();
  await registerMember(author.request, newMember('Ada Asker'));
  const [loud, quiet] = [uniqueText('Loud?'), uniqueText('Quiet?')];
  await askQuestion(author.request, { title: loud, tags: [tag] });

  await page.goto(`/topics/${tag}`);
  await page.getByRole('button', { name: 'Follow', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Following' })).toBeEnabled();
  // Without a connection, the button shows what is saved.
  await page.context().setOffline(true);
  const failed = page.waitForEvent('requestfailed', (request) => request.method() === 'PUT');
  await page.getByRole('button', { name: 'Mute' }).click();
  await failed;
  await expect(page.getByRole('button', { name: 'Mute', exact: true })).toBeEnabled();
  await page.context().setOffline(false);
  await page.getByRole('button', { name: 'Mute' }).click();
  await expect(page.getByRole('button', { name: 'Follow', exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByRole('button', { name: 'Following' })).toBeVisible();
  await page.getByRole('button', { name: 'Mute' }).click();
  await expect(page.getByRole('button', { name: 'Muted' })).toHaveAttribute('aria-pressed', 'true');
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Home' }).click();
  await expect(page.getByText('1 question hidden by muted topics')).toBeVisible();
  await expect(page.getByRole('article', { name: loud })).toHaveCount(0);
  const late = uniqueText('Loud again?');
  await askQuestion(author.request, { title: late, tags: [tag] });
  await askQuestion(author.request, { title: quiet });
  await expect(page.getByRole('article', { name: quiet })).toBeVisible();
  await expect(page.getByRole('article', { name: late })).toHaveCount(0);
  await page.getByRole('link', { name: 'Show', exact: true }).click();
  await expect(page.getByRole('article', { name: late })).toBeVisible();
  await expect(page).toHaveURL(/muted=show/);

  await page.goto(`/question/${own}`);
  await page.getByRole('button', { name: 'More actions' }).click();
  await expectInView(page.getByRole('menu'), { opener: page.getByRole('button', { name: 'More actions' }) });
  await page.getByRole('menuitem', { name: 'Mute' }).click();
  await expect(page.getByRole('button', { name: 'Muted' })).toHaveAttribute('aria-pressed', 'true');
  await expect(page.getByRole('status').getByText('Question muted')).toBeVisible();
  await expectInView(page.getByRole('status').filter({ hasText: 'Question muted' }));
  await postAnswer(author.request, own);
  await expect(page.getByRole('article', { name: 'Answer by Ada Asker' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Notifications', exact: true })).toBeVisible();

  await page.goto('/settings');
  const muted = page.getByRole('region', { name: 'Muted' });
  await expect(muted.getByRole('link')).toHaveCount(2);
  for (const left of [1, 0]) {
    await muted.getByRole('button', { name: 'Unmute' }).first().click();
    await expect(muted.getByRole('link')).toHaveCount(left);
  }
  await author.close();
});

test('the activity charts of a year work by keyboard and as a table, and have an empty state', async ({
  page,
}) => {
  await registerMember(page.request);
  await page.goto('/profile');
  await expect(page.getByText('No activity in the last year.')).toBeVisible();
  const tag = uniqueText('pictures').slice(-30).toLowerCase();
  const id = await askQuestion(page.request, { title: uniqueText('What is drawn?'), tags: [tag] });
  await postAnswer(page.request, id);

  await page.goto(`/topics/${tag}`);
  const weeks = page.getByRole('slider', {
    name: 'Activity by week. In the last year: 1 question, 1 answer.',
  });
  await expect(weeks).toHaveAttribute('aria-valuetext', /^Week of .*: 1 question, 1 answer$/);
  await weeks.press('ArrowLeft');
  await expect(weeks).toHaveAttribute('aria-valuetext', /: 0 questions, 0 answers$/);
  await weeks.press('End');
  await expect(page.getByText(/^Week of .*: 1 question, 1 answer$/)).toBeVisible();
  await page.getByRole('button', { name: 'Show as table' }).click();
  await expect(page.getByRole('row').nth(1).getByRole('cell')).toHaveText(['1', '1']);

  await page.goto('/profile');
  const days = page.getByRole('slider', { name: /^Activity by day\. 2 contributions in the last year/ });
  await expect(days).toHaveAttribute('aria-valuetext', /^2 contributions on /);
  await days.press('Home');
  await expect(days).toHaveAttribute('aria-valuetext', /^No contributions on Monday, /);
  await page.getByRole('button', { name: 'Show as table' }).click();
  await expect(page.getByRole('row').nth(1).getByRole('cell')).toHaveText(['1', '1', '0']);
  await expectAccessible(page);
});
