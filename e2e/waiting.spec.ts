import { AxeBuilder } from '@axe-core/playwright';
import { expect, test, type APIRequestContext, type Page } from '@playwright/test';
import { ask, logOut, register, signIn, someone } from './members.ts';
import { answer, askAndOpen, followTopic, reply, secondMember, unique, uniqueWord } from './posts.ts';

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const waitingAnswer = (page: Page) => page.getByRole('article', { name: 'Waiting answer' });
const waitingReply = (page: Page) => page.getByRole('article', { name: 'Waiting reply' });
const answers = (page: Page, name: string) => page.getByRole('article', { name: `Answer by ${name}` });
const offline = (page: Page) => page.getByText('You are offline.');

/** The texts of all answers as the server has them. */
async function answersOf(request: APIRequestContext, questionId: number): Promise<string[]> {
  const response = await request.get(`/api/questions/${questionId}`);
  const { answers } = (await response.json()) as { answers: { items: { content: string }[] } };
  return answers.items.map(({ content }) => content);
}

async function writeAnswer(page: Page, text: string): Promise<void> {
  await page.getByLabel('Your answer').fill(text);
  await button(page, 'Post Answer').click();
}

/** Nothing of the API answers; the page itself and its programs still come. */
async function cutApi(page: Page): Promise<() => Promise<void>> {
  await page.routeWebSocket('**/api/live/**', (socket) => socket.close());
  await page.route('**/api/**', (route) => route.abort('connectionrefused'));
  return () => page.unroute('**/api/**');
}

test('what is done without a connection shows at once as waiting, and is sent when the connection is back', async ({
  page,
  context,
  browser,
}) => {
  test.slow();
  await register(page.request, someone('Ada Waiting'));
  const title = unique('Is the bridge out?');
  const ben = await secondMember(browser, 'Ben There');
  const id = await ask(ben.page.request, { title });
  await answer(ben.page.request, id, 'It is out.');
  await page.goto(`/question/${id}`);
  const question = page.getByRole('article', { name: title });
  const bens = answers(page, 'Ben There');
  await expect(bens).toBeVisible();

  await context.setOffline(true);
  await writeAnswer(page, 'Take the **ferry**.');
  await expect(waitingAnswer(page)).toContainText('Take the ferry.');
  await expect(waitingAnswer(page)).toContainText('Waiting for the connection');
  await expect(waitingAnswer(page)).toBeFocused();
  await expect(page.getByLabel('Your answer')).toHaveValue('');
  await expect(waitingAnswer(page).getByRole('button')).toHaveText(['Edit', 'Discard']);

  await bens.getByRole('button', { name: 'Reply', exact: true }).click();
  await page.getByLabel('Your reply').fill('Since when?');
  await button(page, 'Post Reply').click();
  await expect(waitingReply(page)).toContainText('Since when?');
  await expect(page.getByLabel('Your reply')).toHaveCount(0);

  await question.getByRole('button', { name: 'Upvote (0)' }).click();
  await expect(question.getByRole('button', { name: 'Upvote (1)' })).toHaveAttribute('aria-pressed', 'true');
  await question.getByRole('button', { name: 'Downvote (0)' }).click();
  await expect(question.getByRole('button', { name: 'Downvote (1)' })).toHaveAttribute(
    'aria-pressed',
    'true',
  );
  await expect(question.getByRole('button', { name: 'Upvote (0)' })).toBeVisible();
  await button(page, 'Follow question').click();
  await expect(button(page, 'Following question')).toBeVisible();
  await expect(question.getByText('Waiting for the connection')).toHaveCount(2);
  await expect(page.getByRole('status').filter({ hasText: '4 changes wait to be sent.' })).toBeVisible();
  expect(await answersOf(ben.page.request, id)).toEqual(['It is out.']);

  await context.setOffline(false);
  await expect(answers(page, 'Ada Waiting')).toContainText('Take the ferry.');
  await expect(page.getByRole('article', { name: 'Reply by Ada Waiting' })).toContainText('Since when?');
  await expect(page.getByText('Waiting for the connection')).toHaveCount(0);
  await expect(page.getByText('to be sent')).toHaveCount(0);
  await expect(offline(page)).toHaveCount(0);
  await expect(page.getByRole('heading', { name: '2 Answers', exact: true })).toBeVisible();
  for (const look of ['as it is', 'after a reload']) {
    await test.step(look, async () => {
      await expect(question.getByRole('button', { name: 'Downvote (1)' })).toHaveAttribute(
        'aria-pressed',
        'true',
      );
      await expect(question.getByRole('button', { name: 'Upvote (0)' })).toBeVisible();
      await expect(button(page, 'Following question')).toBeVisible();
      await expect(answers(page, 'Ada Waiting')).toHaveCount(1);
      await expect(page.getByRole('article', { name: 'Reply by Ada Waiting' })).toHaveCount(1);
    });
    await page.reload();
  }
  expect(await answersOf(ben.page.request, id)).toEqual(['Take the **ferry**.', 'It is out.']);
});

test('the focus stays with an answer while it is sent, and it appears only once', async ({
  page,
  context,
}) => {
  await register(page.request, someone('Ada Focus'));
  await askAndOpen(page, unique('Where was I?'));
  await page.evaluate(() => {
    let most = 0;
    const count = () => {
      const shown = document.querySelectorAll('#answers ~ div article').length;
      most = Math.max(most, shown);
      document.documentElement.dataset['most'] = String(most);
    };
    new MutationObserver(count).observe(document.body, { subtree: true, childList: true });
  });
  await context.setOffline(true);
  await writeAnswer(page, 'Right here.');
  await expect(waitingAnswer(page)).toBeFocused();
  await context.setOffline(false);
  await expect(answers(page, 'Ada Focus')).toBeFocused();
  await expect(waitingAnswer(page)).toHaveCount(0);
  await expect(page.locator('html')).toHaveAttribute('data-most', '1');
});

test('a topic is followed without a connection, and left again', async ({ page, context }) => {
  await register(page.request);
  const [wanted, left] = [uniqueWord('moor'), uniqueWord('fen')];
  await ask(page.request, { title: unique('Wet feet?'), tags: [wanted, left] });
  await followTopic(page.request, left);
  await page.goto(`/topics/${wanted}`);
  await expect(button(page, 'Follow')).toBeVisible();
  await context.setOffline(true);
  await button(page, 'Follow').click();
  await expect(button(page, 'Following')).toBeEnabled();
  await expect(button(page, 'Following')).toHaveAccessibleDescription(/Waiting for the connection$/u);
  await button(page, 'Following').click();
  await expect(button(page, 'Follow')).toBeEnabled();
  await button(page, 'Follow').click();
  await expect(page.getByText('1 change waits to be sent.')).toBeVisible();
  await context.setOffline(false);
  await expect(page.getByText('to be sent')).toHaveCount(0);
  await expect(page.getByText('1 follower', { exact: true })).toBeVisible();
  await expect(button(page, 'Following')).not.toHaveAccessibleDescription(/Waiting/u);

  await page.goto(`/topics/${left}`);
  await expect(button(page, 'Following')).toBeVisible();
  await context.setOffline(true);
  await button(page, 'Following').click();
  await expect(button(page, 'Follow')).toBeEnabled();
  await context.setOffline(false);
  await expect(page.getByText('0 followers', { exact: true })).toBeVisible();
});

test('what waits survives a reload in the outage and a busy server, and is sent once', async ({ page }) => {
  await register(page.request, someone('Ada Reload'));
  const id = await askAndOpen(page, unique('Still there?'));
  const mend = await cutApi(page);
  await writeAnswer(page, 'I waited.');
  await expect(waitingAnswer(page)).toBeVisible();
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Parley cannot be reached' })).toBeVisible();
  await expect(page.getByText('1 change waits to be sent.', { exact: true })).toBeVisible();

  let refusals = 0;
  await mend();
  await page.route('**/answers', (route) => {
    if (route.request().method() !== 'POST' || refusals >= 1) return route.continue();
    refusals++;
    return route.fulfill({
      status: 429,
      headers: { 'content-type': 'application/problem+json', 'retry-after': '4' },
      body: JSON.stringify({ status: 429, code: 'too-many', title: 'Too many', detail: 'Please wait.' }),
    });
  });
  await expect(waitingAnswer(page)).toContainText('I waited.');
  await expect(page.getByRole('status').filter({ hasText: '1 change waits to be sent.' })).toBeVisible();
  await expect(answers(page, 'Ada Reload')).toContainText('I waited.');
  await expect(waitingAnswer(page)).toHaveCount(0);
  expect(refusals).toBe(1);
  expect(await answersOf(page.request, id)).toEqual(['I waited.']);
});

test('two tabs show the same queue and send it once', async ({ page, context }) => {
  test.slow();
  await register(page.request, someone('Ada Twice'));
  const id = await askAndOpen(page, unique('In both tabs?'));
  const other = await context.newPage();
  await other.goto(`/question/${id}`);
  await expect(other.getByLabel('Your answer')).toBeVisible();
  let sent = 0;
  context.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/answers')) sent++;
  });
  await context.setOffline(true);
  await writeAnswer(page, 'One of one.');
  await expect(waitingAnswer(other)).toContainText('One of one.');
  await writeAnswer(other, 'Two of two.');
  await expect(waitingAnswer(page)).toHaveText([/Two of two\./u, /One of one\./u]);
  const tried = sent;
  await context.setOffline(false);
  for (const tab of [page, other]) {
    await expect(answers(tab, 'Ada Twice')).toHaveText([/Two of two\./u, /One of one\./u]);
    await expect(waitingAnswer(tab)).toHaveCount(0);
  }
  expect(await answersOf(page.request, id)).toEqual(['Two of two.', 'One of one.']);
  expect(sent - tried).toBe(2);
});

test('two tabs of a browser without locks, as on plain http, post once as well', async ({
  page,
  context,
}) => {
  test.slow();
  await context.addInitScript(() => Reflect.deleteProperty(Navigator.prototype, 'locks'));
  await register(page.request, someone('Ada Unlocked'));
  const id = await askAndOpen(page, unique('No locks?'));
  expect(await page.evaluate(() => 'locks' in navigator)).toBe(false);
  const other = await context.newPage();
  await other.goto(`/question/${id}`);
  await expect(other.getByLabel('Your answer')).toBeVisible();
  await context.setOffline(true);
  for (const text of ['One', 'Two', 'Three']) await writeAnswer(page, text);
  await expect(waitingAnswer(other)).toHaveCount(3);
  await context.setOffline(false);
  for (const tab of [page, other]) {
    await expect(waitingAnswer(tab)).toHaveCount(0, { timeout: 20_000 });
    await expect(answers(tab, 'Ada Unlocked')).toHaveText([/Three/u, /Two/u, /One/u]);
  }
  expect(await answersOf(page.request, id)).toEqual(['Three', 'Two', 'One']);
});

test('an answer whose confirmation got lost, and then the connection, is posted once', async ({ page }) => {
  await register(page.request, someone('Ada Lost'));
  const id = await askAndOpen(page, unique('Did you get that?'));
  await page.routeWebSocket('**/api/live/**', (socket) => socket.close());
  await page.route('**/api/session', (route) => route.abort());
  await page.route(
    '**/answers',
    async (route) => {
      await route.fetch();
      await route.abort('connectionreset');
    },
    { times: 1 },
  );
  await writeAnswer(page, 'I did.');
  await expect(page.getByText('1 change waits to be sent.')).toBeVisible();
  expect(await answersOf(page.request, id)).toEqual(['I did.']);
  await page.unroute('**/api/session');
  await expect(page.getByText('to be sent')).toHaveCount(0);
  await expect(answers(page, 'Ada Lost')).toHaveCount(1);
  await expect(waitingAnswer(page)).toHaveCount(0);
  expect(await answersOf(page.request, id)).toEqual(['I did.']);
});

test('an answer to a question that is deleted meanwhile comes back with the reason, on whichever page one is', async ({
  page,
  context,
  browser,
}) => {
  await register(page.request);
  const ben = await secondMember(browser, 'Ben Gone');
  const id = await ask(ben.page.request, { title: unique('Gone soon?') });
  await page.goto(`/question/${id}`);
  const lookAtTopics = async () => {
    await page.getByRole('link', { name: 'Topics' }).first().click();
    await expect(page.getByRole('heading', { name: 'Discover Topics' })).toBeVisible();
  };
  await lookAtTopics();
  await page.goBack();
  await expect(page.getByLabel('Your answer')).toBeVisible();
  await context.setOffline(true);
  await writeAnswer(page, 'Not _so_ soon.');
  await expect(waitingAnswer(page)).toBeVisible();
  await lookAtTopics();
  await ben.page.request.delete(`/api/questions/${id}`);
  await context.setOffline(false);
  await expect(page.getByRole('alert')).toContainText('Your answer was not posted.');
  await page.getByRole('link', { name: 'Show it' }).click();
  await expect(page.getByRole('heading', { name: 'Question not found' })).toBeVisible();
  const refused = page.getByRole('article', { name: 'Answer that was not posted' });
  await expect(refused).toContainText('Your answer was not posted: Question not found');
  await page.reload();
  await expect(refused).toContainText('Not so soon.');
  await refused.getByRole('button', { name: 'Discard' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect(refused).toHaveCount(0);
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Question not found' })).toBeVisible();
  await expect(refused).toHaveCount(0);
});

test('a refused answer is a draft again, with the reason, and takes nothing from another draft', async ({
  page,
  context,
}) => {
  await register(page.request);
  const id = await askAndOpen(page, unique('Which characters?'));
  const field = page.getByLabel('Your answer');
  const reason = 'Your answer was not posted: The text contains characters that cannot be shown';
  await context.setOffline(true);
  await writeAnswer(page, 'A bell: \u0007');
  await writeAnswer(page, 'Another bell: \u0007');
  await field.fill('A third one, in the making');
  await context.setOffline(false);
  const refused = page.getByRole('article', { name: 'Answer that was not posted' });
  await expect(refused).toHaveText([/Another bell:/u, /A bell:/u]);
  await expect(refused.first()).toContainText(reason);
  await expect(field).toHaveValue('A third one, in the making');
  await refused.last().getByRole('button', { name: 'Edit' }).click();
  await expect(page.getByText('The form holds another draft. Post it or clear it first.')).toBeVisible();

  await button(page, 'Post Answer').click();
  await expect(field).toHaveValue('A bell: \u0007');
  await expect(page.getByRole('alert').filter({ hasText: reason })).toBeVisible();
  await expect(refused).toHaveCount(1);
  await page.reload();
  await expect(page.getByRole('alert').filter({ hasText: reason })).toBeVisible();
  await expect(field).toHaveValue('A bell: \u0007');
  await field.fill('A bell that can be shown');
  await button(page, 'Post Answer').click();
  await expect
    .poll(() => answersOf(page.request, id))
    .toEqual(['A bell that can be shown', 'A third one, in the making']);
});

test('a reply and a vote on what is deleted meanwhile come back with the reason', async ({
  page,
  context,
  browser,
}) => {
  await register(page.request);
  const ben = await secondMember(browser, 'Ben Delete');
  const id = await ask(ben.page.request, { title: unique('Whose words?') });
  const doomed = await answer(ben.page.request, id, 'Soon gone');
  const staying = await answer(ben.page.request, id, 'This one stays');
  const child = await reply(ben.page.request, staying, 'This reply goes');
  await page.goto(`/question/${id}`);
  const going = answers(page, 'Ben Delete').filter({ hasText: 'Soon gone' });
  const parent = page.getByRole('article', { name: 'Reply by Ben Delete' });
  await expect(parent).toBeVisible();
  await context.setOffline(true);
  await going.getByRole('button', { name: 'Upvote (0)' }).click();
  await expect(going.getByText('Waiting for the connection')).toBeVisible();
  await going.getByRole('button', { name: 'Reply', exact: true }).click();
  await page.getByLabel('Your reply').fill('To the doomed answer');
  await button(page, 'Post Reply').click();
  await parent.getByRole('button', { name: 'Reply', exact: true }).click();
  await page.getByLabel('Your reply').fill('To the doomed reply');
  await button(page, 'Post Reply').click();
  await expect(waitingReply(page)).toHaveCount(2);
  await ben.page.request.delete(`/api/answers/${doomed}`);
  await ben.page.request.delete(`/api/replies/${child}`);

  await context.setOffline(false);
  await expect(page.getByRole('alert').filter({ hasText: 'Your vote was not saved: ' })).toHaveText(
    /Answer not found/u,
  );
  const refused = page.getByRole('article', { name: 'Reply that was not posted' });
  await expect(refused.filter({ hasText: 'To the doomed answer' })).toContainText('Answer not found');
  await expect(refused.filter({ hasText: 'To the doomed reply' })).toContainText(
    'The reply you answer is gone.',
  );
  await expect(refused.getByRole('button', { name: 'Copy text' })).toHaveCount(2);
});

test('a refused reply opens its form again, with the reason', async ({ page, context, browser }) => {
  await register(page.request);
  const ben = await secondMember(browser, 'Ben Form');
  const id = await ask(ben.page.request, { title: unique('Which bell?') });
  await answer(ben.page.request, id, 'That one');
  await page.goto(`/question/${id}`);
  const field = page.getByLabel('Your reply');
  await expect(answers(page, 'Ben Form')).toBeVisible();
  await context.setOffline(true);
  await answers(page, 'Ben Form').getByRole('button', { name: 'Reply', exact: true }).click();
  await field.fill('Ding \u0007');
  await button(page, 'Post Reply').click();
  await expect(waitingReply(page)).toBeVisible();
  await context.setOffline(false);
  const alert = page.getByRole('alert').filter({ hasText: 'Your reply was not posted: The text contains' });
  await expect(alert).toBeVisible();
  await expect(field).toHaveValue('Ding \u0007');
  await page.reload();
  await expect(alert).toBeVisible();
  await expect(field).toHaveValue('Ding \u0007');
});

test('a waiting answer is edited and discarded', async ({ page, context }) => {
  await register(page.request);
  const id = await askAndOpen(page, unique('Second thoughts?'));
  const field = page.getByLabel('Your answer');
  await context.setOffline(true);
  await writeAnswer(page, 'First thought');
  await waitingAnswer(page).getByRole('button', { name: 'Edit' }).click();
  await expect(waitingAnswer(page)).toHaveCount(0);
  await expect(field).toBeFocused();
  await expect(field).toHaveValue('First thought');
  await page.keyboard.type(', and a second');
  await button(page, 'Post Answer').click();
  await expect(waitingAnswer(page)).toContainText('First thought, and a second');
  await writeAnswer(page, 'Nobody needs this');
  await expect(waitingAnswer(page)).toHaveCount(2);
  await waitingAnswer(page).first().getByRole('button', { name: 'Discard' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await expect(waitingAnswer(page)).toHaveCount(2);
  await waitingAnswer(page).first().getByRole('button', { name: 'Discard' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect(waitingAnswer(page)).toHaveCount(1);
  await context.setOffline(false);
  await expect(waitingAnswer(page)).toHaveCount(0);
  await expect.poll(() => answersOf(page.request, id)).toEqual(['First thought, and a second']);
});

test('what waits is never sent as another member, and goes on when its own is back', async ({ page }) => {
  const ada = await register(page.request, someone('Ada Away'));
  const id = await askAndOpen(page, unique('Who says so?'));
  const mend = await cutApi(page);
  await writeAnswer(page, 'Ada says so.');
  await expect(waitingAnswer(page)).toBeVisible();
  await page.route('**/answers', (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    return route.fulfill({ status: 503, headers: { 'retry-after': '1' }, body: '' });
  });
  await mend();
  await expect(offline(page)).toHaveCount(0);
  await logOut(page);
  await page.unroute('**/answers');

  await register(page.request, someone('Ben Instead'));
  await page.goto(`/question/${id}`);
  await expect(page.getByRole('heading', { name: '0 Answers' })).toBeVisible();
  await expect(waitingAnswer(page)).toHaveCount(0);
  await expect(page.getByText('to be sent')).toHaveCount(0);
  await logOut(page);
  await signIn(page, ada);
  await expect(page).toHaveURL('/');
  await expect.poll(() => answersOf(page.request, id)).toEqual(['Ada says so.']);
  await page.goto(`/question/${id}`);
  await expect(answers(page, 'Ada Away')).toContainText('Ada says so.');
});

test('a tab of a member who was replaced in another one sends nothing as the other', async ({
  page,
  context,
}) => {
  await register(page.request, someone('Ada First'));
  const id = await askAndOpen(page, unique('Who am I?'));
  await context.setOffline(true);
  await writeAnswer(page, 'I am Ada.');
  await expect(waitingAnswer(page)).toBeVisible();
  // As by a sign-in in another tab: this one has not heard of it.
  const ben = await register(page.request, someone('Ben Second'));
  await context.setOffline(false);
  await expect(waitingAnswer(page)).toHaveCount(0);
  await button(page, 'Account menu').click();
  await expect(page.getByRole('menu')).toContainText(ben.displayName);
  expect(await answersOf(page.request, id)).toEqual([]);
});

test('garbage in the storage breaks nothing', async ({ page, context }) => {
  await register(page.request);
  const id = await askAndOpen(page, unique('What is all this?'));
  const { member } = (await (await page.request.get('/api/session')).json()) as { member: { id: number } };
  await page.evaluate((memberId) => {
    const at = '000000000000001';
    const write = (name: string, value: string) =>
      localStorage.setItem(`parley.waiting.${memberId}.${name}`, value);
    write('x', '{');
    write(`${at}-a`, 'null');
    write(
      `${at}-b`,
      JSON.stringify({ kind: 'answer', target: 'x', data: { questionId: '1' }, refused: null }),
    );
    write(`${at}-c`, JSON.stringify({ kind: 'dance', target: 'x', data: {}, refused: null }));
    write(`${at}-d`, JSON.stringify({ kind: 'vote', target: 1, data: [], refused: 7 }));
  }, member.id);
  await page.reload();
  await expect(page.getByRole('heading', { name: '0 Answers' })).toBeVisible();
  await expect(page.getByText('to be sent')).toHaveCount(0);
  await context.setOffline(true);
  await writeAnswer(page, 'Just an answer');
  await expect(page.getByText('1 change waits to be sent.')).toBeVisible();
  await context.setOffline(false);
  await expect.poll(() => answersOf(page.request, id)).toEqual(['Just an answer']);
});

for (const theme of ['light', 'dark'] as const)
  test(`what waits has no barriers in the ${theme} theme, and fits a phone`, async ({
    page,
    context,
    browser,
  }) => {
    await page.setViewportSize({ width: 360, height: 740 });
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    await register(page.request, someone('N'.repeat(80)));
    const ben = await secondMember(browser, 'Ben');
    const id = await ask(ben.page.request, { title: unique('Narrow?') });
    await answer(ben.page.request, id);
    await page.goto(`/question/${id}`);
    await expect(answers(page, 'Ben')).toBeVisible();
    await context.setOffline(true);
    await writeAnswer(page, `https://example.org/${'z'.repeat(300)}`);
    await answers(page, 'Ben').getByRole('button', { name: 'Reply', exact: true }).click();
    await page.getByLabel('Your reply').fill('y'.repeat(300));
    await button(page, 'Post Reply').click();
    await answers(page, 'Ben').getByRole('button', { name: 'Upvote (0)' }).click();
    await button(page, 'Follow question').click();
    await expect(page.getByText('4 changes wait to be sent.')).toBeVisible();
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(overflow).toBe(0);
  });
