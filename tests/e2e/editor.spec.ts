import { expect, type Page } from '@playwright/test';
import { test } from './support/shared-page.ts';
import { visit } from './support/visit.ts';
import { waitForTexts } from './support/hydration.ts';
import { askQuestion, registerMember, newMember } from './support/members.ts';
import { expectInView } from './support/in-view.ts';
import { postAnswer, secondMember, uniqueText, uniqueWord } from './support/posts.ts';

const field = (page: Page) => page.getByRole('textbox', { name: 'Your answer' });
const list = (page: Page) => page.getByRole('listbox');
const option = (page: Page, name: string | RegExp) => list(page).getByRole('option', { name });

async function openQuestion(page: Page, id: number) {
  await visit(page, `/question/${id}`);
  await waitForTexts(page);
}

/** Dispatches a paste event with `data`: tests cannot fill the system clipboard with custom types. */
async function paste(page: Page, data: Readonly<Record<string, string>>) {
  await field(page).evaluate((element, data) => {
    const clipboardData = new DataTransfer();
    for (const [type, text] of Object.entries(data)) clipboardData.setData(type, text);
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, data);
}

test('the editor continues lists, wraps the selection in marks and undoes step by step by keyboard', async ({
  sharedPage: page,
}) => {
  await openQuestion(page, await askQuestion(page.request, { title: uniqueText('How do you write?') }));
  const text = field(page);
  await text.pressSequentially('1. one');
  await text.press('Enter');
  await text.pressSequentially('two');
  await text.press('Enter');
  await text.press('Tab');
  await text.pressSequentially('inner');
  await expect(text).toHaveValue('1. one\n2. two\n   1. inner');
  await text.press('Enter');
  await text.press('Enter');
  await expect(text).toHaveValue('1. one\n2. two\n   1. inner\n3. ');
  await text.press('Enter');
  await text.press('Enter');
  await text.pressSequentially('- [x] done');
  await text.press('Enter');
  await expect(text).toHaveValue('1. one\n2. two\n   1. inner\n\n- [x] done\n- [ ] ');

  await text.press('Control+z');
  await expect(text).toHaveValue('1. one\n2. two\n   1. inner\n\n- [x] done');
  await text.press('Shift+Home');
  await text.press('Control+Shift+Period');
  await expect(text).toHaveValue(/\n> - \[x\] done$/u);

  await text.fill('word');
  await text.press('Control+a');
  await text.press('*');
  await text.press('*');
  await expect(text).toHaveValue('**word**');
  await text.press('Control+z');
  await expect(text).toHaveValue('*word*');
  await text.press('Control+z');
  await expect(text).toHaveValue('word');

  // The second Tab leaves the field, since there is no item to indent.
  await text.fill('- a\n- b');
  await text.press('ArrowLeft');
  await text.press('Tab');
  await expect(text).toHaveValue('- a\n  - b');
  await text.press('Tab');
  await expect(text).not.toBeFocused();
});

test('a code block gets its language from the toolbar and by typing', async ({ sharedPage: page }) => {
  await openQuestion(page, await askQuestion(page.request, { title: uniqueText('Which language?') }));
  const text = field(page);
  await text.fill('print(1)');
  await text.press('Control+a');
  await page.getByRole('toolbar', { name: 'Formatting' }).getByRole('button', { name: 'Code block' }).click();
  await expect(option(page, /^Plain text/u)).toHaveAttribute('aria-selected', 'true');
  await text.pressSequentially('py');
  await expect(list(page).getByRole('option')).toHaveText([/Python/u]);
  await expectInView(list(page), { opener: page.locator(':focus') });
  await text.press('Enter');
  await expect(text).toHaveValue('```py\nprint(1)\n```');

  await text.fill('');
  await text.pressSequentially('Like so:\n```ja');
  await expect(option(page, /^Java(?!S)/u)).toBeVisible();
  await text.press('ArrowDown');
  await text.press('Tab');
  await text.pressSequentially('let a;');
  await expect(text).toHaveValue(/^Like so:\n```java(script)?\nlet a;\n```$/u);
  // Members who close the block themselves get one fence.
  await text.pressSequentially('\n```');
  await expect(text).toHaveValue(/^Like so:\n```java(script)?\nlet a;\n```$/u);
  await expect(page.getByRole('region', { name: 'Preview' }).locator('code')).toContainText('let a;');
});

test('the editor finds members of the thread and questions and links them for every reader', async ({
  page,
  browser,
}) => {
  const surname = uniqueWord('Lovelace');
  const ada = await secondMember(browser, `Ada ${surname}`);
  const bread = uniqueText('How long does bread keep?');
  const other = await askQuestion(ada.page.request, { title: bread });
  const id = await askQuestion(ada.page.request, { title: uniqueText('Who knows?') });
  await registerMember(page.request, newMember('Ben'));
  await openQuestion(page, id);
  const text = field(page);

  await text.pressSequentially('Thanks @');
  await expect(option(page, `Ada ${surname}`)).toHaveAttribute('aria-selected', 'true');
  await expect(text).toHaveAttribute(
    'aria-activedescendant',
    (await option(page, /Ada/u).getAttribute('id')) ?? '',
  );
  await text.press('Escape');
  await expect(list(page)).toHaveCount(0);
  await text.press('Escape');
  await expect(text).toHaveValue('Thanks @');
  await text.pressSequentially('ad');
  await expect(list(page)).toHaveCount(0);
  await text.press('Control+a');
  await text.pressSequentially('Thanks @ad');
  await text.press('Enter');
  await expect(text).toHaveValue(new RegExp(String.raw`^Thanks \[@Ada ${surname}\]\(/profile/\d+\) $`, 'u'));

  await text.pressSequentially(`like #${other}`);
  await expect(option(page, new RegExp(`#${other}`, 'u'))).toContainText(bread);
  await option(page, new RegExp(`#${other}`, 'u')).click();
  await expect(text).toBeFocused();
  await text.pressSequentially(`and \`#${other}\` but not #987654321.`);
  await page.getByRole('button', { name: 'Post Answer' }).click();
  const posted = page.getByRole('article', { name: 'Answer by Ben' });
  await expect(posted.getByRole('link', { name: `@Ada ${surname}` })).toHaveAttribute(
    'href',
    /^\/profile\/\d+$/u,
  );
  await expect(posted.getByRole('link', { name: `#${other}` })).toHaveAttribute('title', bread);
  await expect(posted.getByRole('link', { name: /#/u })).toHaveCount(1);

  const asked: string[] = [];
  ada.page.on('request', (request) => {
    if (request.url().includes('question-titles')) asked.push(request.url());
  });
  await postAnswer(page.request, id, `Again #${other} and #${id}`);
  await ada.page.goto(`/question/${id}`);
  await expect(ada.page.getByRole('link', { name: `#${id}`, exact: true })).toBeVisible();
  expect(asked, 'one request for all numbers of a page').toHaveLength(1);
  await ada.page
    .getByRole('link', { name: `#${other}` })
    .first()
    .click();
  await expect(ada.page.getByRole('heading', { name: bread, level: 1 })).toBeVisible();
});

test('pasted content becomes Markdown, except with Ctrl+Shift+V', async ({ sharedPage: page }) => {
  await openQuestion(page, await askQuestion(page.request, { title: uniqueText('What did you copy?') }));
  const text = field(page);
  await text.fill('read this');
  await text.press('Control+Shift+ArrowLeft');
  await paste(page, { 'text/plain': 'https://example.org/' });
  await expect(text).toHaveValue('read [this](https://example.org/)');
  await text.press('Control+z');
  await expect(text).toHaveValue('read this');

  const html =
    '<p>A <b>bold</b> word</p><ul><li>one</li></ul><table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>';
  await text.fill('');
  await paste(page, { 'text/html': html, 'text/plain': 'A bold word' });
  await expect(text).toHaveValue('A **bold** word\n\n- one\n\n| A | B |\n| - | - |\n| 1 | 2 |');
  await text.fill('');
  await paste(page, { 'text/plain': 'Bread\tPrice\nRye\t4' });
  await expect(text).toHaveValue('| Bread | Price |\n| --- | --- |\n| Rye | 4 |\n');
  await expect(page.getByRole('region', { name: 'Preview' }).getByRole('table')).toBeVisible();

  const rows = Array.from({ length: 600 }, (_, row) => `<${row}>\t&amp;`).join('\n');
  await text.fill('above\n');
  await paste(page, { 'text/plain': `A\tB\n${rows}` });
  await expect(text).toHaveValue(
    /^above\n\| A \| B \|\n.*\n\| <0> \| &amp; \|\n[^]*\| <599> \| &amp; \|\n$/u,
  );
  await text.press('Control+z');
  await expect(text).toHaveValue('above\n');

  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.evaluate(async (html) => {
    const item = new ClipboardItem({
      'text/html': new Blob([html], { type: 'text/html' }),
      'text/plain': new Blob(['A bold word'], { type: 'text/plain' }),
    });
    await navigator.clipboard.write([item]);
  }, html);
  await text.fill('');
  await text.press('Control+Shift+v');
  await expect(text).toHaveValue('A bold word');
});

test('the preview is next to a long text and scrolls with it; on a phone it is a tab', async ({ page }) => {
  await registerMember(page.request);
  await openQuestion(page, await askQuestion(page.request, { title: uniqueText('How long is it?') }));
  const text = field(page);
  const preview = page.getByRole('region', { name: 'Preview' });
  await text.fill(Array.from({ length: 120 }, (_, line) => `Paragraph **${line}**\n`).join('\n'));
  await expect(preview.getByRole('strong').last()).toHaveText('119');
  const ends = () => preview.evaluate((box) => Math.abs(box.scrollHeight - box.clientHeight - box.scrollTop));
  await text.evaluate((box) => box.scrollTo(0, box.scrollHeight));
  await expect.poll(ends).toBeLessThan(3);
  await preview.evaluate((box) => box.scrollTo(0, 0));
  await expect.poll(() => text.evaluate((box) => box.scrollTop)).toBe(0);

  await page.getByRole('button', { name: 'Side-by-side preview' }).click();
  await expect(preview).toHaveCount(0);
  await page.getByRole('button', { name: 'Side-by-side preview' }).click();
  await expect(preview).toBeVisible();
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(preview).toHaveCount(0);
  await page.getByRole('tab', { name: 'Preview' }).click();
  await expect(page.getByRole('tabpanel', { name: 'Preview' }).getByRole('strong').first()).toHaveText('0');
});

test('the preview closes when the answer is posted from it', async ({ sharedPage: page }) => {
  await openQuestion(page, await askQuestion(page.request, { title: uniqueText('Does it close?') }));
  await field(page).fill('It **does**.');
  await page.getByRole('tab', { name: 'Preview' }).click();
  await expect(page.getByRole('tabpanel', { name: 'Preview' }).getByRole('strong')).toHaveText('does');
  await page.getByRole('button', { name: 'Post Answer' }).click();
  await expect(page.getByRole('article', { name: /^Answer by/u }).getByRole('strong')).toHaveText('does');
  await expect(page.getByRole('tabpanel', { name: 'Preview' })).toHaveCount(0);
  await expectInView(field(page));
  await expect(field(page)).toHaveValue('');
});
