import { expect, test, type Page } from '@playwright/test';
import { expectAccessible } from './axe.ts';
import { ask, register, signIn, someone } from './members.ts';
import { answer, askAndOpen, secondMember, unique, withoutLiveUpdates } from './posts.ts';

const question = (page: Page, title: string) => page.getByRole('article', { name: title });
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });

test('a reader sees all there is to a question', async ({ page, browser }) => {
  const author = await secondMember(browser, 'Grace Hopper');
  const title = unique('Why was there a moth in relay 70?');
  const id = await ask(author.page.request, {
    title,
    content: 'It was **found**\non Friday.',
    tags: ['hardware', 'history of computing'],
  });
  await register(page.request);
  await page.goto(`/question/${id}`);
  await expect(page).toHaveTitle(`${title} · Parley`);
  const article = question(page, title);
  await expect(article.getByRole('heading', { name: title, level: 1 })).toBeVisible();
  await expect(article.getByRole('link', { name: 'Grace Hopper' })).toHaveAttribute(
    'href',
    /^\/profile\/\d+$/u,
  );
  await expect(article.getByRole('time').first()).toHaveText('just now');
  await expect(article.getByText('1 view', { exact: true })).toBeVisible();
  await expect(article.getByRole('strong')).toHaveText('found');
  await expect(article.locator('br')).toHaveCount(1);
  await expect(article.getByRole('link', { name: 'history of computing' })).toHaveAttribute(
    'href',
    '/topics/history%20of%20computing',
  );
  await expect(page.getByRole('heading', { name: '0 Answers' })).toBeVisible();
  await expect(article.getByRole('button', { name: 'Delete Question' })).toHaveCount(0);
  await expect(article.getByRole('button', { name: 'Edit' })).toHaveCount(0);
});

test('a view counts once a member, however often they come back', async ({ page, browser }) => {
  const title = unique('How often do you look?');
  await register(page.request);
  const id = await askAndOpen(page, title);
  await expect(page.getByText('1 view', { exact: true })).toBeVisible();
  const other = await secondMember(browser, 'Second Reader');
  for (let visit = 0; visit < 2; visit++) {
    await other.page.goto(`/question/${id}`);
    await expect(other.page.getByText('2 views', { exact: true })).toBeVisible();
  }
});

test('a question that is not there says so', async ({ page }) => {
  await register(page.request);
  for (const address of ['/question/987654321', '/question/abc']) {
    await page.goto(address);
    await expect(page.getByRole('heading', { name: 'Question not found' })).toBeVisible();
    await expect(page).toHaveTitle('Question not found · Parley');
  }
});

test('votes are cast, switched and taken back, and survive a reload', async ({ page }) => {
  const title = unique('Which way up?');
  await register(page.request);
  await askAndOpen(page, title);
  const article = question(page, title);
  const up = (count: number) => article.getByRole('button', { name: `Upvote (${count})`, exact: true });
  const down = (count: number) => article.getByRole('button', { name: `Downvote (${count})`, exact: true });

  await expect(up(0)).toHaveAttribute('aria-pressed', 'false');
  await up(0).click();
  await expect(up(1)).toHaveAttribute('aria-pressed', 'true');
  await expect(up(1).getByText('1', { exact: true })).toBeVisible();
  await expect(up(1)).toBeEnabled();
  await down(0).click();
  await expect(down(1)).toHaveAttribute('aria-pressed', 'true');
  await expect(up(0)).toHaveAttribute('aria-pressed', 'false');
  await expect(down(1)).toBeEnabled();
  await page.reload();
  await expect(down(1)).toHaveAttribute('aria-pressed', 'true');
  await down(1).click();
  await expect(down(0)).toHaveAttribute('aria-pressed', 'false');
});

test('a vote shows at once, its buttons rest while it is saved, and a refusal takes it back', async ({
  page,
}) => {
  const title = unique('Slow votes');
  await register(page.request);
  await askAndOpen(page, title);
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/vote', async (route) => {
    await held;
    await route.fulfill({
      status: 429,
      contentType: 'application/problem+json',
      body: JSON.stringify({ status: 429, code: 'too-many', title: 'Too many', detail: 'Please wait.' }),
    });
  });
  const article = question(page, title);
  await article.getByRole('button', { name: 'Upvote (0)' }).click();
  const pressed = article.getByRole('button', { name: 'Upvote (1)' });
  await expect(pressed).toHaveAttribute('aria-pressed', 'true');
  await expect(pressed).toBeDisabled();
  await expect(article.getByRole('button', { name: 'Downvote (0)' })).toBeDisabled();
  release();
  await expect(article.getByRole('button', { name: 'Upvote (0)' })).toHaveAttribute('aria-pressed', 'false');
  await expect(page.getByText('Please wait.')).toBeVisible();
});

test('a question is followed and left again', async ({ page }) => {
  await register(page.request);
  await askAndOpen(page, unique('Worth following?'));
  await button(page, 'Follow question').click();
  await expect(button(page, 'Following question')).toBeEnabled();
  await page.reload();
  await button(page, 'Following question').click();
  await expect(button(page, 'Follow question')).toBeVisible();
});

test('a vote and a follow that fail are taken back and logged, without a message', async ({ page }) => {
  await register(page.request);
  const title = unique('Is anybody listening?');
  await askAndOpen(page, title);
  const logged: string[] = [];
  page.on('console', (message) => logged.push(message.text()));
  for (const address of ['**/vote', '**/follow']) await page.route(address, (route) => route.abort());
  const article = question(page, title);
  await article.getByRole('button', { name: 'Upvote (0)' }).click();
  await expect.poll(() => logged.join('\n')).toMatch(/vot\w* failed:/iu);
  await expect(article.getByRole('button', { name: 'Upvote (0)' })).toHaveAttribute('aria-pressed', 'false');
  await button(page, 'Follow question').click();
  await expect.poll(() => logged.join('\n')).toContain('Following failed:');
  await expect(button(page, 'Follow question')).toBeEnabled();
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('the link of a question is copied', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await register(page.request);
  const id = await askAndOpen(page, unique('Where is it?'));
  await button(page, 'Share').click();
  await expect(page.getByText('Link copied to clipboard!')).toBeVisible();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toBe(new URL(`/question/${id}`, page.url()).href);
});

test.describe('on a phone', () => {
  test.use({ hasTouch: true, isMobile: true });

  test('Share opens the sheet of the device, with the first 100 characters', async ({ page }) => {
    await page.addInitScript(() => {
      const shared = (data?: ShareData) => {
        document.documentElement.dataset['shared'] = JSON.stringify(data);
        return Promise.resolve();
      };
      Object.assign(navigator, { canShare: () => true, share: shared });
    });
    await register(page.request);
    const title = unique('What shall I pass on?');
    const id = await askAndOpen(page, title, `**${'Ä'.repeat(99)}**XYZ`);
    await button(page, 'Share').click();
    await expect(page.locator('html')).toHaveAttribute('data-shared', /X/u);
    const shared = await page.locator('html').getAttribute('data-shared');
    expect(JSON.parse(shared ?? '{}')).toEqual({
      title,
      text: expect.stringMatching(/^Ä{99}X…?$/u),
      url: new URL(`/question/${id}`, page.url()).href,
    });
    await expect(page.getByText('Link copied to clipboard!')).toBeHidden();
  });
});

test('an answer is posted once, stands first and has the focus', async ({ page }) => {
  const member = await register(page.request, someone('Ada Lovelace'));
  const id = await askAndOpen(page, unique('Who wrote the first program?'));
  await answer(page.request, id, 'An older answer');
  await page.reload();
  await expect(page.getByRole('heading', { name: '1 Answer', exact: true })).toBeVisible();
  const field = page.getByLabel('Your answer');
  const submit = button(page, 'Post Answer');
  await expect(submit).toBeDisabled();
  await field.fill('  \n ');
  await expect(submit).toBeDisabled();
  await field.fill('Note **G**.');
  await submit.dblclick();
  await expect(page.getByRole('heading', { name: '2 Answers' })).toBeVisible();
  const answers = page.getByRole('article', { name: `Answer by ${member.displayName}` });
  await expect(answers.first()).toContainText('Note G.');
  await expect(answers.first()).toBeFocused();
  await expect(field).toHaveValue('');
  await page.reload();
  await expect(answers).toHaveCount(2);
  await expect(answers.first()).toContainText('Note G.');
});

test('an answer whose reply got lost is not posted twice', async ({ page }) => {
  await register(page.request);
  await askAndOpen(page, unique('Is anybody there?'));
  let lost = 0;
  await page.route('**/answers', async (route) => {
    if (route.request().method() !== 'POST' || lost > 0) return route.continue();
    lost++;
    await route.fetch();
    return route.abort('connectionreset');
  });
  await page.getByLabel('Your answer').fill('Yes.');
  await page.getByLabel('Your answer').press('Control+Enter');
  await expect(page.getByRole('alert').filter({ hasText: 'Failed to post answer: ' })).toBeVisible();
  // The news of it comes another way, and the form lets go of what is posted.
  await expect(page.getByRole('heading', { name: '1 Answer', exact: true })).toBeVisible();
  await expect(page.getByLabel('Your answer')).toHaveValue('');
  expect(lost).toBe(1);
  await page.reload();
  await expect(page.getByRole('heading', { name: '1 Answer', exact: true })).toBeVisible();
});

test('what is typed while an answer is on its way stays, and is another answer', async ({ page }) => {
  const { displayName } = await register(page.request);
  const id = await askAndOpen(page, unique('Who types on?'));
  const arriving = Promise.withResolvers<void>();
  await page.route(`**/api/questions/${id}/answers`, async (route) => {
    await arriving.promise;
    await route.continue();
  });
  const field = page.getByLabel('Your answer');
  await field.fill('One');
  await button(page, 'Post Answer').click();
  await field.fill('Two');
  arriving.resolve();
  const answers = page.getByRole('article', { name: `Answer by ${displayName}` });
  await expect(answers).toHaveText([/One/u]);
  await expect(field).toHaveValue('Two');
  await button(page, 'Post Answer').click();
  await expect(answers).toHaveText([/Two/u, /One/u]);
  await expect(field).toHaveValue('');
});

test('an answer in the making survives a reload and a dead session', async ({ page, context }) => {
  const member = await register(page.request);
  const id = await askAndOpen(page, unique('What if the session ends?'));
  const field = page.getByLabel('Your answer');
  await field.fill('Half an answer');
  await expect(page.getByText('Draft saved')).toBeVisible();
  // At rest: a request of the page that is still to come would find the session dead before the member does.
  await page.reload({ waitUntil: 'networkidle' });
  await expect(field).toHaveValue('Half an answer');
  await context.clearCookies();
  await button(page, 'Post Answer').click();
  await expect(page).toHaveURL(/\/login/u);
  await signIn(page, member);
  await expect(page).toHaveURL(`/question/${id}`);
  await expect(field).toHaveValue('Half an answer');
  await button(page, 'Post Answer').click();
  await expect(page.getByRole('article', { name: `Answer by ${member.displayName}` })).toBeVisible();
});

test('an author edits a question; every member can read the earlier version', async ({ page, browser }) => {
  const title = unique('How do I sharpen a chisel');
  await register(page.request);
  const id = await askAndOpen(page, title, 'With water?');
  await button(page, 'Edit').click();
  await expect(page.getByLabel('Title')).toBeFocused();
  await page.getByLabel('Title').fill(`${title}?`);
  await page.getByLabel('Details').fill('With oil?');
  await page.getByLabel('Tags').fill('tools, a, b, c, d, e');
  await button(page, 'Save').click();
  await expect(page.getByRole('alert')).toHaveText('You can add up to 5 tags');
  await page.getByLabel('Tags').fill('tools');
  await button(page, 'Save').click();
  const article = question(page, `${title}?`);
  await expect(article).toContainText('With oil?');
  await expect(article.getByRole('link', { name: 'tools' })).toBeVisible();

  const reader = await secondMember(browser, 'A Reader');
  await reader.page.goto(`/question/${id}`);
  const edited = reader.page.getByRole('button', { name: /^edited/u });
  await edited.click();
  const dialog = reader.page.getByRole('dialog', { name: 'Versions' });
  await expect(dialog.getByRole('deletion').filter({ hasText: 'water' })).toBeVisible();
  await expect(dialog.getByRole('insertion').filter({ hasText: 'oil' })).toBeVisible();
  await expect(dialog.getByText('With water?', { exact: true })).toBeVisible();
  await reader.page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(edited).toBeFocused();
});

test('an author deletes a question after confirming, and lands at home', async ({ page }) => {
  const title = unique('Shall I stay?');
  await register(page.request);
  const id = await askAndOpen(page, title);
  const opener = button(page, 'Delete Question');
  await opener.click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(dialog).toBeHidden();
  await expect(opener).toBeFocused();
  await opener.click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await expect(page).toHaveURL('/');
  await expect(page.getByRole('article', { name: title })).toHaveCount(0);
  await page.goto(`/question/${id}`);
  await expect(page.getByRole('heading', { name: 'Question not found' })).toBeVisible();
});

test('a question that is gone already says so, and other failures say why', async ({ page }) => {
  await withoutLiveUpdates(page);
  await register(page.request);
  const id = await askAndOpen(page, unique('Gone?'));
  const remove = async () => {
    await button(page, 'Delete Question').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await expect(page.getByRole('dialog')).toBeHidden();
  };
  await page.route(`**/api/questions/${id}`, (route) =>
    route.request().method() === 'DELETE' ? route.abort('connectionrefused') : route.continue(),
  );
  await remove();
  await expect(page.getByRole('alert').filter({ hasText: 'Failed to delete question: ' })).toBeVisible();
  await page.unroute(`**/api/questions/${id}`);
  await page.request.delete(`/api/questions/${id}`);
  await remove();
  await expect(
    page.getByRole('alert').filter({ hasText: 'Question not found or already deleted.' }),
  ).toBeVisible();
});

test('who is somebody else by now cannot delete the question, and is told why', async ({ page }) => {
  await register(page.request);
  const title = unique('Whose is it?');
  const id = await askAndOpen(page, title);
  // The page stays as it was for its author.
  await register(page.request, someone('Somebody Else'));
  await button(page, 'Delete Question').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect(
    page.getByRole('alert').filter({ hasText: 'You can only delete your own questions.' }),
  ).toBeVisible();
  await page.goto(`/question/${id}`);
  await expect(page.getByRole('heading', { name: title, level: 1 })).toBeVisible();
  await expect(button(page, 'Delete Question')).toHaveCount(0);
});

test('the keys of the page step through the posts and act on the focused one', async ({ page }) => {
  const member = await register(page.request, someone('Keyboard Player'));
  const title = unique('Which key?');
  const id = await askAndOpen(page, title);
  await answer(page.request, id, 'This one.');
  await page.reload();
  const asked = question(page, title);
  const answered = page.getByRole('article', { name: `Answer by ${member.displayName}` });
  await expect(answered).toBeVisible();
  await page.keyboard.press('u');
  await expect(asked.getByRole('button', { name: 'Upvote (1)' })).toBeEnabled();
  await page.keyboard.press('j');
  await expect(asked).toBeFocused();
  await page.keyboard.press('j');
  await expect(answered).toBeFocused();
  await page.keyboard.press('d');
  await expect(answered.getByRole('button', { name: 'Downvote (1)' })).toBeEnabled();
  await page.keyboard.press('r');
  const field = page.getByLabel('Your reply');
  await expect(field).toBeFocused();
  await field.pressSequentially('jkude');
  await expect(field).toHaveValue('jkude');
  await field.press('Escape');
  await expect(field).toBeHidden();
  await expect(answered.getByRole('button', { name: 'Reply' })).toBeFocused();
  await page.keyboard.press('e');
  await expect(page.getByLabel('Edit answer')).toBeFocused();
  await page.keyboard.press('Escape');
  await page.keyboard.press('k');
  await expect(asked).toBeFocused();
});

test('more answers than fit on a page come by hand, or where an address asks for one', async ({ page }) => {
  test.slow();
  const member = await register(page.request);
  const id = await askAndOpen(page, unique('How many answers are too many?'));
  const first = await answer(page.request, id, 'The very first answer');
  await Promise.all(Array.from({ length: 50 }, (_, at) => answer(page.request, id, `Answer ${at}`)));
  await page.goto(`/question/${id}`);
  const answers = page.getByRole('article', { name: `Answer by ${member.displayName}` });
  await expect(answers).toHaveCount(50);
  await expect(page.getByRole('heading', { name: '51 Answers' })).toBeVisible();
  await button(page, 'Load more answers').click();
  await expect(answers).toHaveCount(51);
  await expect(answers.last()).toContainText('The very first answer');
  await expect(button(page, 'Load more answers')).toHaveCount(0);

  await page.goto('/');
  await page.goto(`/question/${id}#answer-${first}`);
  const wanted = answers.filter({ hasText: 'The very first answer' });
  await expect(wanted).toBeFocused({ timeout: 30_000 });
  await expect(wanted).toBeInViewport();
});

test('the page of a question has no barriers in both themes', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await register(page.request);
  const id = await ask(page.request, {
    title: unique('Is it accessible?'),
    content:
      '# Heading\n\n```js\nconst a = 1; // comment\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- [x] done\n\n> quote',
  });
  await answer(page.request, id, 'An **answer**');
  await page.goto(`/question/${id}`);
  await page.getByRole('button', { name: 'Reply', exact: true }).click();
  await expect(page.getByLabel('Your reply')).toBeFocused();
  await expect(page.locator('.hljs-keyword')).toBeVisible();
  await expectAccessible(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark');
  await expectAccessible(page, { colours: true });
});

test('on a narrow phone nothing scrolls sideways, whatever members write', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await register(page.request, someone('N'.repeat(80)));
  const id = await askAndOpen(
    page,
    'W'.repeat(200),
    `${'x'.repeat(300)}\n\n\`\`\`\n${'y'.repeat(300)}\n\`\`\`\n\n|${'a|'.repeat(30)}\n|${'-|'.repeat(30)}`,
  );
  await answer(page.request, id, `https://example.org/${'z'.repeat(300)}`);
  await page.reload();
  await expect(page.getByRole('heading', { name: '1 Answer', exact: true })).toBeVisible();
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(overflow).toBe(0);
});
