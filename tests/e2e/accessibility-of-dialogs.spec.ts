import { expect, type Page, test } from '@playwright/test';
import { expectAccessible } from './support/accessibility.ts';
import { button, postAnswer, postReply, secondMember, uniqueWord } from './support/posts.ts';
import { askQuestion, newMember, registerMember } from './support/members.ts';
import { expectInView } from './support/in-view.ts';

const dialog = (page: Page) => page.getByRole('dialog');

/** Checks only what opened: the page below has its own checks. The second theme checks only colours. */
async function checkBothThemes(page: Page, look: string, within = '[role="dialog"]'): Promise<void> {
  await expect(page.locator(within).first(), look).toBeVisible();
  // The form of the editor is part of the page.
  if (within !== 'main form') await expectInView(page.locator(within).first());
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', theme);
    await expectAccessible(page, { look: `${look} in ${theme}`, within, colours: theme === 'dark' });
  }
}

/** Single keys do nothing until what was open is gone. */
async function closeWithEscape(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  await expect(page.locator('[role="dialog"], [role="menu"]')).toHaveCount(0);
}

test('menus, lists and dialogs on every page have no accessibility violations, in both themes', async ({
  page,
  browser,
}) => {
  // Checks a dozen elements in two themes.
  test.slow();
  const { page: other } = await secondMember(browser, 'N'.repeat(80));
  await registerMember(page.request, newMember('Robin'));
  const bird = uniqueWord('bird');
  const id = await askQuestion(page.request, {
    title: `Why does my ${bird} nest in winter? ${'W'.repeat(99)}`,
  });
  const [first] = [await postAnswer(other.request, id), await postAnswer(other.request, id)];
  await page.goto('/ask');
  await expect(button(page, 'Notifications, 2 unread')).toBeVisible();
  await button(page, 'Notifications, 2 unread').click();
  await checkBothThemes(page, 'the notifications menu');
  await closeWithEscape(page);
  await button(page, 'Account menu').click();
  await checkBothThemes(page, 'the account menu', '[role="menu"]');
  await closeWithEscape(page);
  await page.getByRole('searchbox', { name: 'Search questions' }).fill('is:');
  await checkBothThemes(page, 'the help of the search box', 'search');
  await page.keyboard.press('Control+k');
  await expect(dialog(page).getByRole('combobox')).toBeFocused();
  await page.keyboard.type(bird);
  await expect(dialog(page).getByRole('option', { name: /Why does my/u })).toBeVisible();
  await checkBothThemes(page, 'the command palette');
  await closeWithEscape(page);
  await page.getByRole('heading', { level: 1 }).focus();
  await page.keyboard.press('?');
  await checkBothThemes(page, 'the list of shortcuts');
  await closeWithEscape(page);

  await other.request.put(`/api/answers/${first}`, { data: { content: 'It hears **another one**.' } });
  await page.getByLabel('Title').fill(`My ${bird} nests all winter, why?`);
  await page.getByRole('region', { name: 'Similar questions' }).getByRole('button').first().click();
  await expect(dialog(page).getByRole('heading', { level: 3 })).toBeVisible();
  await checkBothThemes(page, 'a similar question');
  await page.goto(`/question/${id}`);
  await page
    .getByRole('article', { name: /^Answer by/u })
    .getByRole('button', { name: /^edited/u })
    .click();
  await expect(dialog(page).locator('ins').first()).toBeVisible();
  await checkBothThemes(page, 'the versions of an answer');
  await other.context().close();
});

test('overlays for writing, bookmarking and deleting have no accessibility violations, in both themes', async ({
  page,
  context,
  browser,
}) => {
  // Checks a dozen elements in two themes.
  test.slow();
  const { page: other } = await secondMember(browser, 'Nora');
  await registerMember(page.request, newMember('Robin'));
  const id = await askQuestion(page.request, { title: `What opens here? ${uniqueWord('x')}` });
  await postReply(page.request, await postAnswer(other.request, id), 'Said too much');
  await page.goto(`/question/${id}`);
  const text = page.getByLabel('Your answer');
  for (const [typed, list] of [
    ['Thanks @n', 'Members'],
    ['Like so:\n```', 'Code languages'],
  ] as const) {
    await text.fill('');
    await text.pressSequentially(typed);
    await expect(page.getByRole('listbox', { name: list })).toBeVisible();
    await checkBothThemes(page, list, '[role="listbox"]');
  }
  await text.fill('| a | b |\n|-|-|\n| 1 | 2 |\n\n> A quote with `code`\n\n- [x] done');
  await page.getByRole('tab', { name: 'Preview' }).click();
  await checkBothThemes(page, 'the editor', 'main form');
  await page.getByRole('tab', { name: 'Write' }).click();
  await text.fill('');

  await button(page, 'Bookmark').first().click();
  await expect(button(page, 'Add a note or lists')).toBeVisible();
  await checkBothThemes(page, 'a message', '[role="status"]');
  await button(page, 'Add a note or lists').click();
  await dialog(page).getByLabel('Note').fill('x'.repeat(2_001));
  await checkBothThemes(page, 'note and lists');
  await closeWithEscape(page);
  await button(page, 'Delete').click();
  await checkBothThemes(page, 'the confirmation of a deletion');
  await button(page, 'Cancel').click();

  await context.setOffline(true);
  await text.fill('Written in a tunnel.');
  await button(page, 'Post Answer').click();
  const waiting = page.getByRole('article', { name: 'Answer waiting to be posted' });
  await expect(page.getByText('You are offline.')).toBeVisible();
  await checkBothThemes(page, 'the offline banner', 'output:has(span)');
  await waiting.getByRole('button', { name: 'Delete' }).click();
  await checkBothThemes(page, 'deleting a queued answer');
  await other.context().close();
});
