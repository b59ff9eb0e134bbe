import { expect, test, type Page } from '@playwright/test';
import { expectAccessible } from './support/accessibility.ts';
import { waitForHydration } from './support/hydration.ts';
import { askQuestion, signOut, registerMember, newMember } from './support/members.ts';
import { expectInView } from './support/in-view.ts';
import { postAnswer, questionUrl, uniqueWord } from './support/posts.ts';

const searchBox = (page: Page) => page.getByRole('searchbox', { name: 'Search questions' });
const help = (page: Page) => page.getByRole('listbox', { name: 'Search operators' });
const palette = (page: Page) => page.getByRole('dialog', { name: 'Command palette' });
const choice = (page: Page, name: string | RegExp) => palette(page).getByRole('option', { name });
const results = (page: Page) => page.getByRole('main').getByRole('article').getByRole('heading');

test('search operators are explained and completed while typing, shown above the results, and removable', async ({
  page,
}) => {
  const member = await registerMember(page.request, newMember(uniqueWord('Finder')));
  const [word, tag] = [uniqueWord('kiln'), uniqueWord('clay')];
  await askQuestion(page.request, {
    title: `Firing a ${word}`,
    tags: [tag],
    content: 'It **cracked** twice.',
  });
  const other = await askQuestion(page.request, {
    title: `Which ${word} for bricks?`,
    content: 'It must not crack.',
  });
  await postAnswer(page.request, other, `Any ${word} that never cracks.`);
  await page.goto('/');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();

  await page.keyboard.press('/');
  await expect(help(page).getByRole('option', { name: /is:unanswered/ })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(help(page)).toBeHidden();
  await expect(searchBox(page)).toBeFocused();
  await page.keyboard.type(`${word} [${tag.slice(0, 8)}`);
  await expect(help(page).getByRole('option', { name: `[${tag}]` })).toBeVisible();
  await expectInView(help(page), { opener: searchBox(page) });
  await page.keyboard.press('ArrowDown');
  await expect(help(page).getByRole('option', { name: `[${tag}]` })).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('Enter');
  await expect(searchBox(page)).toHaveValue(`${word} [${tag}] `);
  await page.keyboard.type(`user:${member.displayName.slice(0, 10)}`);
  await help(page).getByRole('option', { name: member.displayName }).first().click();
  await page.keyboard.type('scroe:2');
  await page.keyboard.press('Enter');

  const terms = page.getByRole('list', { name: 'Search filters' });
  await expect(terms.getByRole('listitem')).toHaveText([`Tagged ${tag}`, `By ${member.displayName}`]);
  await expect(page.getByText('“scroe:2” is not a search operator')).toBeVisible();
  await searchBox(page).fill(`${word} [${tag}] cracking`);
  await page.keyboard.press('Enter');
  await expect(results(page)).toHaveText([`Firing a ${word}`]);
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  await expect(page.getByRole('main').locator('mark')).toHaveText([word, 'cracked']);
  await terms.getByRole('button', { name: `Remove filter: Tagged ${tag}` }).click();
  await expect(results(page)).toHaveCount(2);
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  await expectAccessible(page);

  await searchBox(page).fill(`is:answer ${word}`);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('combobox', { name: 'Search in' })).toHaveValue('answers');
  await expect(page.getByRole('main').locator('p mark')).toHaveText([word]);
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(new RegExp(`/question/${other}(/[^/?#]+)?#answer-`));
});

test('the command palette finds questions, members and commands, and lists recently opened ones first', async ({
  page,
}) => {
  await registerMember(page.request, newMember(uniqueWord('Pal')));
  const word = uniqueWord('zephyr');
  const id = await askQuestion(page.request, { title: `A ${word} in May`, tags: [word] });
  await page.goto('/');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.keyboard.press('Control+k');
  const field = palette(page).getByRole('combobox');
  await expect(field).toBeFocused();
  await expectInView(palette(page));
  await expect(choice(page, 'Ask a question')).toHaveAttribute('aria-selected', 'true');
  await field.fill(word.slice(0, 12));
  await expect(choice(page, `A ${word} in May 0 answers`)).toBeVisible();
  await expect(choice(page, `${word} 1 question`)).toBeVisible();
  await page.keyboard.press('ArrowUp');
  await expect(choice(page, /^Search for/)).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(questionUrl(id));

  // In the editor, these keys insert a link.
  await page.getByRole('textbox', { name: 'Your answer' }).focus();
  await page.keyboard.press('Control+k');
  await expect(palette(page)).toBeHidden();

  await searchBox(page).focus();
  await page.keyboard.press('Control+k');
  await expect(field).toBeFocused();
  await expect(palette(page).getByRole('group', { name: 'Recently used' }).getByRole('option')).toHaveText([
    `A ${word} in May`,
  ]);
  await page.keyboard.type('dark');
  await page.keyboard.press('Enter');
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark');
  await expect(searchBox(page)).toBeFocused();
  expect(
    await page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('recent.'))),
  ).toHaveLength(1);
  await signOut(page);
  await expect
    .poll(() => page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('recent.'))))
    .toEqual([]);
});

test('single-key shortcuts can be switched off, and the help lists all of them', async ({ page }) => {
  await registerMember(page.request);
  await page.goto('/settings');
  const single = page.getByRole('checkbox', { name: /^Single-key shortcuts/ });
  await single.uncheck();
  await page.getByRole('heading', { level: 1 }).focus();
  await page.keyboard.press('n');
  await page.keyboard.press('?');
  await page.keyboard.press('Control+k');
  await palette(page).getByRole('combobox').fill('shortcuts');
  await page.keyboard.press('Enter');
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expectInView(sheet);
  for (const group of ['Everywhere', /^In lists/, /^On a question/, 'In the editor'])
    await expect(sheet.getByRole('heading', { name: group })).toBeVisible();
  await expect(sheet.getByText('are turned off in this browser')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page).toHaveURL('/settings');
  await single.check();
  await page.getByRole('heading', { level: 1 }).focus();
  await page.keyboard.press('n');
  await expect(page).toHaveURL('/ask');
});

test.describe('with animations', () => {
  test.use({ contextOptions: { reducedMotion: 'no-preference' } });

  test('Ctrl+K opens the command palette while a dialog or menu is still fading out', async ({ page }) => {
    await registerMember(page.request);
    await page.goto('/');
    await waitForHydration(page);
    const closeAndOpenPalette = async () => {
      // In one frame after the other, so that the closed one is still there.
      await page.evaluate(async () => {
        const press = (init: KeyboardEventInit) =>
          document.activeElement?.dispatchEvent(
            new KeyboardEvent('keydown', { ...init, bubbles: true, cancelable: true }),
          );
        press({ key: 'Escape' });
        await new Promise(requestAnimationFrame);
        press({ key: 'k', ctrlKey: true });
      });
      await expect(palette(page).getByRole('combobox')).toBeFocused();
      await page.keyboard.press('Escape');
      await expect(page.getByRole('dialog')).toHaveCount(0);
    };
    await page.getByRole('heading', { level: 1 }).focus();
    await page.keyboard.press('?');
    await expectInView(page.getByRole('dialog', { name: 'Keyboard shortcuts' }));
    await closeAndOpenPalette();
    await page.getByRole('button', { name: 'Notifications' }).click();
    await expectInView(page.getByRole('dialog', { name: 'Notifications' }));
    await closeAndOpenPalette();
    await page.getByRole('button', { name: 'Account menu' }).click();
    await expectInView(page.getByRole('menu'));
    await page.keyboard.press('ArrowDown');
    await closeAndOpenPalette();
  });
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test('a button opens the command palette over the whole screen', async ({ page }) => {
    await registerMember(page.request);
    await page.goto('/');
    await page.getByRole('button', { name: 'Command palette' }).tap();
    await expect(palette(page)).toBeVisible();
    await expectInView(palette(page));
    await expect.poll(async () => (await palette(page).boundingBox())?.height).toBe(844);
    await choice(page, 'Go to Topics').tap();
    await expect(page).toHaveURL('/topics');
    await expect(palette(page)).toBeHidden();
  });
});
