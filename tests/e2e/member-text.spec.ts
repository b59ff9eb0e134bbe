import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, type Locator, type Page } from '@playwright/test';
import { test } from './support/shared-page.ts';
import { hasForbiddenCharacters } from '#shared/core/text.ts';
import { waitForTexts } from './support/hydration.ts';
import { askQuestion, registerMember } from './support/members.ts';
import { askAndOpen, postAnswer, postReply, uniqueText } from './support/posts.ts';
import { visit } from './support/visit.ts';

/** Public lists of attacks and unusual texts, on machines that have them. */
const corpora = path.resolve(import.meta.dirname, '../../../shared/data/corpora');

const attacks = [
  '<script>window.hurt = 1</script>',
  '<img src=x onerror="window.hurt = 1">',
  '<svg/onload=window.hurt=1>',
  '<iframe srcdoc="<script>parent.hurt = 1</script>"></iframe>',
  '<a href="javascript:window.hurt=1">click</a>',
  '[click](javascript:window.hurt=1)',
  '[click](JaVaScRiPt:window.hurt=1)',
  '[click](java&#x0A;script:window.hurt=1)',
  '[click](&#106;avascript:window.hurt=1)',
  '[click](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)',
  '![x](javascript:window.hurt=1)',
  '![x](https://example.org/track.png "onerror=alert(1)")',
  '<javascript:window.hurt=1>',
  '[click][evil]\n\n[evil]: javascript:window.hurt=1',
  '`<script>window.hurt = 1</script>`',
  '</p></div></article><script>window.hurt = 1</script>',
  '<style>body { display: none }</style>',
  '<form action=https://example.org><button>Send</button></form>',
  '<details open ontoggle=window.hurt=1>',
  '[a](https://example.org/"onmouseover="window.hurt=1)',
];

test('member text is never markup: no attack runs, loads or links anywhere', async ({ page, baseURL }) => {
  test.slow();
  await registerMember(page.request);
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('dialog', (dialog) => {
    requests.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  const id = await askQuestion(page.request, {
    title: uniqueText('Attack me'),
    content: attacks.slice(0, 10).join('\n\n'),
  });
  for (const text of batches([...attacks, ...listed(), ...listed().map((line) => `[x](${line})`)], 25_000))
    await postAnswer(page.request, id, text);
  await page.goto(`/question/${id}`);
  // A thousand paragraphs and links take a while on a busy machine.
  await expect(page.getByRole('heading', { name: /^\d+ Answers?$/u })).toBeVisible({ timeout: 60_000 });
  await expect(page.getByText('<script>window.hurt = 1</script>').first()).toBeVisible();

  const result = await page.locator('main').evaluate((main) => ({
    hurt: 'hurt' in window,
    elements: [
      ...main.querySelectorAll('script, iframe, object, embed, style, form[action], img, video, base, meta'),
    ].map((element) => element.outerHTML.slice(0, 200)),
    handlers: [...main.querySelectorAll('*')]
      .filter((element) => element.getAttributeNames().some((name) => name.startsWith('on')))
      .map((element) => element.outerHTML.slice(0, 200)),
    links: [...main.querySelectorAll<HTMLAnchorElement>('a[href]')]
      .filter(({ protocol }) => !['http:', 'https:', 'mailto:'].includes(protocol))
      .map(({ href }) => href),
    unmarked: [...main.querySelectorAll<HTMLAnchorElement>('a[href]')]
      .filter(({ origin, rel }) => origin !== location.origin && rel !== 'nofollow ugc noopener')
      .map(({ href }) => href),
  }));
  expect(result).toEqual({ hurt: false, elements: [], handlers: [], links: [], unmarked: [] });
  const foreign = requests.filter((url) => !url.startsWith(baseURL ?? page.url()));
  expect(foreign).toEqual([]);
});

const texts = `First line
second line

See https://example.org/a_b_c and 2 * 3 * 4.

# Biggest

### Smaller

![The moth](https://example.org/moth.jpg)

[*![The wasp](https://example.org/wasp.jpg)*](/question/1)

مرحبا بالعالم

Hello world

\`\`\`python
for x in y:
    print(x)
\`\`\``;

async function expectTexts(page: Page): Promise<void> {
  const text = page.getByRole('article').first();
  await expect(text.getByText('First line')).toHaveText('First line\nsecond line', { useInnerText: true });
  await expect(text.getByRole('link', { name: 'https://example.org/a_b_c' })).toHaveAttribute(
    'rel',
    'nofollow ugc noopener',
  );
  await expect(text.getByText('2 * 3 * 4.')).toBeVisible();

  await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1);
  await expect(page.getByRole('heading', { name: 'Biggest', level: 2 })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Smaller', level: 3 })).toBeVisible();

  await expect(text.locator('img')).toHaveCount(0);
  const image = text.getByRole('link', { name: 'The moth' });
  await expect(image).toHaveAttribute('href', 'https://example.org/moth.jpg');
  const imageInLink = text.getByRole('link', { name: 'The wasp' });
  await expect(imageInLink).toHaveCount(1);
  await expect(imageInLink).toHaveAttribute('href', '/question/1');

  await expect(text.getByText('مرحبا بالعالم', { exact: true })).toHaveCSS('direction', 'rtl');
  await expect(text.getByText('Hello world', { exact: true })).toHaveCSS('direction', 'ltr');

  await expect(text.getByText('Python', { exact: true })).toBeVisible();
  await expect(text.locator('.hljs-keyword').first()).toHaveText('for');
}

test('text, headings, images, directions and code look the same in the HTML of the server and in the app', async ({
  page,
  browser,
}) => {
  await registerMember(page.request);
  const id = await askQuestion(page.request, { title: uniqueText('Which texts?'), content: texts });
  await test.step('without scripts', async () => {
    const storageState = await page.context().storageState();
    const context = await browser.newContext({ storageState, javaScriptEnabled: false });
    const rendered = await context.newPage();
    await rendered.goto(`/question/${id}`);
    await expectTexts(rendered);
    await context.close();
  });
  await test.step('opened by the app', async () => {
    await page.goto('/');
    await visit(page, `/question/${id}`);
    await waitForTexts(page);
    await expectTexts(page);
  });
  await test.step('loaded, and hydrated', async () => {
    await page.goto(`/question/${id}`);
    await waitForTexts(page);
    await expectTexts(page);
  });
});

test('code is copied completely', async ({ sharedPage: page }) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await askAndOpen(page, uniqueText('Text'), '```python\nfor x in y:\n    print(x)\n```');
  const text = page.getByRole('article').first();
  await text.getByRole('button', { name: 'Copy' }).press('Enter');
  await expect(text.getByRole('button', { name: 'Copied' })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('for x in y:\n    print(x)');
});

test('items of a list keep their bullets beside tasks, in a reply as well, and long numbers have room', async ({
  page,
  browser,
}) => {
  const text =
    '- milk\n  - cold\n    - fresh\n- [x] bread\n\n1986. A good year\n\n---\n\n365. Days\n\n---\n\n99. Red balloons';
  await registerMember(page.request);
  const questionId = await askQuestion(page.request, { title: uniqueText('Which list?'), content: text });
  const answerId = await postAnswer(page.request, questionId, 'It depends.');
  await postReply(page.request, answerId, text);
  await page.goto(`/question/${questionId}`);
  await waitForTexts(page);
  const storageState = await page.context().storageState();
  const withoutScripts = await browser.newContext({ storageState, javaScriptEnabled: false });
  const rendered = await withoutScripts.newPage();
  await rendered.goto(page.url());
  for (const post of [page, rendered].flatMap((each) => [
    each.getByRole('article').first(),
    each.getByRole('article', { name: /^Reply by/u }),
  ])) {
    const item = (name: string) => post.getByRole('listitem').filter({ hasText: name }).last();
    await expect(post.getByRole('listitem').filter({ hasText: 'milk' })).toHaveCSS('list-style-type', 'disc');
    await expect(post.getByRole('listitem').filter({ hasText: 'cold' }).nth(1)).toHaveCSS(
      'list-style-type',
      'circle',
    );
    await expect(item('fresh')).toHaveCSS('list-style-type', 'square');
    await expect(item('bread')).toHaveCSS('list-style-type', 'none');
    for (const [name, number] of [
      ['A good year', '1986. '],
      ['Days', '365. '],
      ['Red balloons', '99. '],
    ] as const)
      expect(await measureSpareRoom(item(name), number)).toBeGreaterThanOrEqual(0);
  }
  await withoutScripts.close();
});

test('the toolbar and common shortcuts format the selected text', async ({ sharedPage: page }) => {
  await askAndOpen(page, uniqueText('Text'), 'Anything');
  const field = page.getByLabel('Your answer');
  await field.focus();
  // It handles the shortcuts.
  await expect(page.getByRole('toolbar', { name: 'Formatting' })).toBeVisible();
  const select = (text: string) =>
    field.evaluate((element, text) => {
      if (!(element instanceof HTMLTextAreaElement)) throw new Error('not a text field');
      const at = element.value.indexOf(text);
      element.focus();
      element.setSelectionRange(at, at + text.length);
    }, text);
  await field.fill('one two three four five');
  await select('one');
  await field.press('Control+b');
  await select('two');
  await field.press('Control+i');
  await select('three');
  await field.press('`');
  await select('four');
  await field.press('Control+k');
  await expect(field).toHaveValue('**one** _two_ `three` [four](url) five');
  await select('five');
  await page.getByRole('toolbar', { name: 'Formatting' }).getByRole('button', { name: 'Bold' }).click();
  await expect(field).toHaveValue('**one** _two_ `three` [four](url) **five**');
  await expect(field).toBeFocused();
  await page.getByRole('tab', { name: 'Preview' }).click();
  const preview = page.getByRole('tabpanel', { name: 'Preview' });
  await expect(preview.getByRole('strong')).toHaveText(['one', 'five']);
  await expect(preview.getByRole('code')).toHaveText('three');
  await page.getByRole('tab', { name: 'Write' }).click();
  await expect(field).toHaveValue('**one** _two_ `three` [four](url) **five**');
});

test('a text that would block a parser is shown as typed', async ({ page }) => {
  await registerMember(page.request);
  const id = await askQuestion(page.request, { title: uniqueText('Hang') });
  await postAnswer(page.request, id, '1. '.repeat(9999));
  await postAnswer(page.request, id, '['.repeat(30_000));
  await postAnswer(page.request, id, 'A *usual* answer');
  await page.goto(`/question/${id}`);
  await expect(page.getByRole('emphasis')).toHaveText('usual');
  await expect(page.getByText(/^(1\. ){9998}1\.$/u)).toBeVisible();
});

/** The pixels between the start of a list and the number of an item. Negative if the number sticks out. */
const measureSpareRoom = (item: Locator, number: string) =>
  item.evaluate((element, text) => {
    const measured = Object.assign(document.createElement('span'), { textContent: text });
    measured.style.whiteSpace = 'pre';
    element.append(measured);
    const { width } = measured.getBoundingClientRect();
    measured.remove();
    return element.getBoundingClientRect().left - element.parentElement!.getBoundingClientRect().left - width;
  }, number);

/** Lines of the public lists without the characters that the server refuses; empty where the lists are missing. */
function listed(): string[] {
  const xss = path.join(corpora, 'xss/payloadbox-xss-payload-list.txt');
  const naughty = path.join(corpora, 'naughty-strings/blns.json');
  if (!existsSync(xss) || !existsSync(naughty)) {
    console.warn('The public lists of attacks are not on this machine; only those in this file are tested.');
    return [];
  }
  const lines = readFileSync(xss, 'utf8').split(/\r?\n/u);
  const strings = JSON.parse(readFileSync(naughty, 'utf8')) as string[];
  const every = 20;
  return [...lines.filter((_, at) => at % every === 0), ...strings].filter(
    (line) => line.trim() !== '' && !hasForbiddenCharacters(line),
  );
}

/** Texts of at most `size` characters, with one item per paragraph. */
function batches(items: readonly string[], size: number): string[] {
  const texts: string[] = [];
  let text = '';
  for (const item of items) {
    if (text !== '' && text.length + item.length > size) {
      texts.push(text);
      text = '';
    }
    text += `${item}\n\n`;
  }
  return text === '' ? texts : [...texts, text];
}
