import { expect, type Page, test } from '@playwright/test';
import { getDraftText } from './support/drafts.ts';
import { waitForConnectionBanner, waitForHydration, waitForTexts } from './support/hydration.ts';
import { holdRequests } from './support/held-requests.ts';
import { askQuestion, newMember, registerMember } from './support/members.ts';
import { postAnswer, question, secondMember, uniqueText, uniqueWord } from './support/posts.ts';
import { whileOffline } from './support/three-members.ts';

test('with scripts switched off, a reader finds, reads and navigates', async ({ browser, baseURL }) => {
  const context = await browser.newContext({ baseURL: baseURL ?? '', javaScriptEnabled: false });
  const page = await context.newPage();
  await registerMember(page.request);
  const title = uniqueText('What can be read without scripts?');
  const tag = uniqueWord('plain');
  const id = await askQuestion(page.request, { title, content: 'A text with **weight**.', tags: [tag] });
  await postAnswer(page.request, id, 'All of it.');
  await page.goto('/');
  await page.getByRole('link', { name: title }).click();
  await expect(page.getByRole('heading', { name: title, level: 1 })).toBeVisible();
  await expect(page.getByRole('strong')).toHaveText('weight');
  await expect(page.getByText('All of it.')).toBeVisible();
  await expect(page).toHaveTitle(`${title} · Parley`);
  await page.getByRole('link', { name: tag }).click();
  await expect(page.getByRole('heading', { name: tag, level: 1 })).toBeVisible();
  await expect(page.getByRole('link', { name: title })).toBeVisible();
  await page.getByRole('link', { name: 'Topics' }).first().click();
  await expect(page.getByRole('heading', { name: 'Discover Topics', level: 1 })).toBeVisible();
  await expect(page.getByRole('article').first()).toBeVisible();
  await context.close();
});

test(
  'before the scripts arrive, a page shows its text, and keeps a press and typed text',
  { tag: '@firefox' },
  async ({ page, browser }) => {
    const { page: author } = await secondMember(browser, 'Early Author');
    await registerMember(page.request);
    const title = uniqueText('Who waits for scripts?');
    const id = await askQuestion(author.request, { title, content: 'A blank page helps no reader.' });
    const problems: string[] = [];
    page.on('pageerror', ({ message }) => problems.push(message));
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    const release = await holdRequests(page, '**/assets/*.js');
    await watchEarlyInput(page);
    await page.goto(`/question/${id}`, { waitUntil: 'commit' });
    const asked = question(page, title);
    await expect(asked.getByText('A blank page helps no reader.')).toBeVisible();
    await expect(asked.getByText('A blank page helps no reader.')).toBeInViewport();
    const place = await asked.boundingBox();
    await waitForEarlyInput(page);
    await page.keyboard.type('/rye');
    await page.getByRole('textbox', { name: 'Your answer' }).fill('Typed before the scripts.');
    await asked.getByRole('button', { name: 'Upvote (0)' }).click();
    release();
    await expect(asked.getByRole('button', { name: 'Upvote (1)' })).toHaveAttribute('aria-pressed', 'true');
    await expect(page.getByRole('textbox', { name: 'Your answer' })).toHaveValue('Typed before the scripts.');
    await expect(page.getByRole('searchbox', { name: 'Search questions' })).toHaveValue('rye');
    expect(await asked.boundingBox()).toMatchObject({ y: place?.y, height: place?.height });
    expect(problems).toEqual([]);
  },
);

for (const [keys, heading] of [
  [['j', 'g', 't'], 'Discover Topics'],
  [['n', 'h'], 'Ask a question'],
  [['n', 'Escape', 'g', 't'], 'Discover Topics'],
] as const)
  test(`the first shortcut of the keys ${keys.join(' ')}, pressed before the scripts arrive, works then`, async ({
    page,
  }) => {
    await registerMember(page.request);
    const release = await holdRequests(page, '**/assets/*.js');
    await watchEarlyInput(page);
    await page.goto('/', { waitUntil: 'commit' });
    await waitForEarlyInput(page);
    for (const key of keys) await page.keyboard.press(key);
    release();
    await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible();
  });

test('the letters after Ctrl+K, pressed before the scripts arrive, are no shortcuts', async ({ page }) => {
  await registerMember(page.request);
  const release = await holdRequests(page, '**/assets/*.js');
  await watchEarlyInput(page);
  await page.goto('/', { waitUntil: 'commit' });
  await waitForEarlyInput(page);
  for (const key of ['Control+k', 'n']) await page.keyboard.press(key);
  release();
  await expect(page.getByRole('combobox', { name: 'Search or run a command' })).toBeFocused();
  await expect(page).toHaveURL('/');
});

test('a choice made before the scripts arrive holds when they do', async ({ page }) => {
  await watchEarlyInput(page);
  const release = await holdRequests(page, '**/assets/*.js');
  await page.goto('/register', { waitUntil: 'commit' });
  await waitForEarlyInput(page);
  const choice = page.getByRole('checkbox', { name: 'Show my email address on my profile' });
  await expect(choice).toBeChecked();
  await choice.uncheck();
  const [{ displayName, email, password }, joined] = [
    newMember('Early'),
    page.waitForResponse('**/api/members'),
  ];
  await page.getByLabel('Full name', { exact: true }).fill(displayName);
  release();
  await waitForHydration(page);
  await expect(choice).not.toBeChecked();
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByLabel('Confirm password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Create account', exact: true }).click();
  expect((await joined).request().postDataJSON()).toMatchObject({ displayName, showEmail: false });
});

test('a page that React has to render again, because it differs from its HTML, shows its and the typed texts', async ({
  page,
}) => {
  await registerMember(page.request);
  const title = uniqueText('What differs?');
  const id = await askQuestion(page.request, { title, content: 'A text with **weight**.' });
  await page.route(`**/question/${id}**`, async (route) => {
    const response = await route.fetch();
    const body = await response.text();
    await route.fulfill({ response, body: body.replaceAll('Add a comment', 'Add another comment') });
  });
  const release = await holdRequests(page, '**/assets/markdown-*.js');
  const start = await holdRequests(page, '**/assets/index-*.js');
  await watchEarlyInput(page);
  const differences: string[] = [];
  page.on('pageerror', ({ message }) => differences.push(message));
  await page.goto(`/question/${id}`, { waitUntil: 'commit' });
  await waitForEarlyInput(page);
  await page.getByRole('textbox', { name: 'Your answer' }).fill('Typed before the scripts.');
  start();
  await expect.poll(() => differences.length).toBeGreaterThan(0);
  await expect(page.getByRole('button', { name: 'Add a comment' })).toBeVisible();
  await expect(question(page, title).getByText('A text with **weight**.')).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'Your answer' })).toHaveValue('Typed before the scripts.');
  await expect.poll(() => getDraftText(page.request, `answer:${id}`)).toBe('Typed before the scripts.');
  release();
  await expect(question(page, title).getByRole('strong')).toHaveText('weight');
  await expect(question(page, title).getByText('**weight**')).toBeHidden();
});

test('an outage that ends before a page handles input does not make React render the page again', async ({
  page,
  browser,
}) => {
  await registerMember(page.request);
  const { page: other } = await secondMember(browser, uniqueWord('Olga'));
  const [old, added] = [uniqueWord('old'), uniqueWord('added')];
  await askQuestion(other.request, { title: uniqueText('Which topics are there?'), tags: [old] });
  const problems: string[] = [];
  page.on('pageerror', ({ message }) => problems.push(message));
  const release = await holdRequests(page, '**/assets/TagsPage-*.js');
  await page.goto('/topics?sort=active', { waitUntil: 'commit' });
  await expect(page.getByRole('link', { name: old })).toBeVisible();
  await waitForConnectionBanner(page);
  await whileOffline(page, () =>
    askQuestion(other.request, { title: uniqueText('Is there another one?'), tags: [added] }),
  );
  // Requests that the end of the outage has caused have got their responses.
  await page.evaluate(async () => {
    for (let i = 0; i < 10; i++) await fetch('/api/tags?sort=active');
  });
  release();
  await expect(page.getByRole('link', { name: added })).toBeVisible();
  expect(problems).toEqual([]);
});

test('the HTML of texts stays on a first visit, while its view is counted, and after a reload', async ({
  page,
  browser,
}) => {
  const { page: author } = await secondMember(browser, 'Stable Author');
  await registerMember(page.request);
  const title = uniqueText('What stays?');
  const id = await askQuestion(author.request, { title, content: 'It **stays** as it is.' });
  await postAnswer(author.request, id, 'So does *this*.');
  const arrive = async (open: () => Promise<unknown>, isCounted: boolean) => {
    const release = await holdRequests(page, '**/assets/markdown-*.js');
    await open();
    await waitForHydration(page);
    const texts = page.locator('article').locator('strong, em');
    await expect(texts).toHaveText(['stays', 'this']);
    const elements = await texts.elementHandles();
    if (isCounted) await expect(question(page, title)).toContainText('1 view');
    release();
    await waitForTexts(page);
    for (const element of elements) expect(await element.evaluate((node) => node.isConnected)).toBe(true);
  };
  await arrive(() => page.goto(`/question/${id}`, { waitUntil: 'commit' }), true);
  await arrive(() => page.reload({ waitUntil: 'commit' }), false);
});

test('an answer typed before its form is loaded stays in the field, which keeps the focus', async ({
  page,
  browser,
}) => {
  const { page: author } = await secondMember(browser, 'Author of a Slow Form');
  await registerMember(page.request);
  const id = await askQuestion(author.request, { title: uniqueText('Who writes before the form?') });
  const release = await holdRequests(page, '**/assets/post-forms-*.js');
  await page.goto(`/question/${id}`);
  await page.getByRole('button', { name: 'Upvote (0)' }).click();
  await expect(page.getByRole('button', { name: 'Upvote (1)' })).toBeVisible();
  const field = page.getByRole('textbox', { name: 'Your answer' });
  await field.click();
  await page.keyboard.insertText('كيف');
  await expect(field).toHaveCSS('direction', 'rtl');
  await field.clear();
  await expect(field).toHaveCSS('direction', 'ltr');
  await page.keyboard.type('Begun early');
  await page.keyboard.press('Shift+ArrowLeft');
  await expect(page.getByRole('button', { name: 'Post Answer' })).toBeDisabled();
  release();
  await expect(page.getByRole('button', { name: 'Post Answer' })).toBeEnabled();
  await expect(field).toBeFocused();
  // The last letter is still selected.
  await page.keyboard.type('y, and finished.');
  await page.getByRole('button', { name: 'Post Answer' }).click();
  await expect(page.getByRole('article').getByText('Begun early, and finished.')).toBeVisible();
});

test('before the scripts arrive, the sign-in pages show their forms and keep typed text', async ({
  page,
}) => {
  const problems: string[] = [];
  page.on('pageerror', ({ message }) => problems.push(message));
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  await watchEarlyInput(page);
  for (const [address, submit] of [
    ['/login', 'Sign in'],
    ['/login?next=%2Fask', 'Sign in'],
    ['/register?next=%2Fquestion%2F7', 'Create account'],
  ] as const) {
    await page.unrouteAll();
    const release = await holdRequests(page, '**/assets/*.js');
    await page.goto(address, { waitUntil: 'commit' });
    const button = page.getByRole('button', { name: submit, exact: true });
    await expect(button).toBeInViewport();
    const place = await button.boundingBox();
    await waitForEarlyInput(page);
    const field = page.getByLabel('Email', { exact: true });
    await field.fill('typed@parley.example');
    release();
    await waitForHydration(page);
    await expect(field).toHaveValue('typed@parley.example');
    expect(await button.boundingBox()).toEqual(place);
  }
  expect(problems).toEqual([]);
});

test('the pages of links in emails and of the set-up arrive with their content', async ({ page }) => {
  const problems: string[] = [];
  page.on('pageerror', ({ message }) => problems.push(message));
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  for (const [address, control] of [
    ['/setup#token', 'Set up community'],
    ['/reset-password#token', 'Set password'],
    ['/change-email#token', 'Use this address'],
    ['/revert-email#token', 'Restore my email address'],
    ['/unsubscribe/token', 'Unsubscribe'],
    ['/confirm-email/token', 'Confirm email address'],
  ] as const) {
    await page.unrouteAll();
    const release = await holdRequests(page, '**/assets/*.js');
    await page.goto(address, { waitUntil: 'commit' });
    const heading = page.getByRole('heading', { level: 1 });
    await expect(heading).toBeInViewport();
    if (address !== '/setup#token')
      await expect(page.getByRole('button', { name: control, exact: true })).toBeVisible();
    const place = await heading.boundingBox();
    release();
    await waitForHydration(page);
    expect(await heading.boundingBox()).toEqual(place);
  }
  expect(problems).toEqual([]);
});

/** Lets `waitForEarlyInput` wait on the pages that are opened afterwards. */
async function watchEarlyInput(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const addEventListener = document.addEventListener.bind(document);
    document.addEventListener = (...parameters: Parameters<typeof addEventListener>) => {
      addEventListener(...parameters);
      if (parameters[0] === 'parley:hydrated') Object.assign(window, { keepsInput: true });
    };
  });
}

/** Waits until the page keeps input for the web app: the last statement of src/web/public/early-input.js has run. */
async function waitForEarlyInput(page: Page): Promise<void> {
  await page.waitForFunction(() => 'keepsInput' in window);
}
