import { expect, test } from '@playwright/test';
import {
  askAndOpen,
  button,
  followTag,
  postAnswer,
  secondMember,
  uniqueText,
  uniqueWord,
} from './support/posts.ts';
import { holdRequests } from './support/held-requests.ts';
import { waitForConnectionBanner, waitForTexts } from './support/hydration.ts';
import { askQuestion, newMember, registerMember } from './support/members.ts';
import { expectInView } from './support/in-view.ts';
import {
  answersBy,
  blockApi,
  getAnswerTexts,
  offlineBanner,
  queuedAnswer,
  queuedReply,
  writeAnswer,
} from './support/offline-queue.ts';

test('actions without a connection show immediately as queued, and are sent when the connection is back', async ({
  page,
  context,
  browser,
}) => {
  test.slow();
  await registerMember(page.request, newMember('Ada Waiting'));
  const title = uniqueText('Is the bridge out?');
  const ben = await secondMember(browser, 'Ben There');
  const id = await askQuestion(ben.page.request, { title });
  await postAnswer(ben.page.request, id, 'It is out.');
  await page.goto(`/question/${id}`);
  await waitForTexts(page);
  const question = page.getByRole('article', { name: title });
  const bens = answersBy(page, 'Ben There');
  await expect(bens).toBeVisible();
  await waitForTexts(page);

  await context.setOffline(true);
  await writeAnswer(page, 'Take the **ferry**.');
  await expect(queuedAnswer(page)).toContainText('Take the ferry.');
  await expect(queuedAnswer(page)).toContainText('Waiting for connection');
  await expect(queuedAnswer(page)).toBeFocused();
  await expect(page.getByLabel('Your answer')).toHaveValue('');
  await expect(queuedAnswer(page).getByRole('button')).toHaveText(['Edit', 'Delete']);

  await bens.getByRole('button', { name: 'Reply', exact: true }).click();
  await page.getByLabel('Your reply').fill('Since when?');
  await button(page, 'Post Reply').click();
  await expect(queuedReply(page)).toContainText('Since when?');
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
  await expect(question.getByText('Waiting for connection')).toHaveCount(2);
  await expect(
    page.getByRole('status').filter({ hasText: '4 changes are waiting to be sent.' }),
  ).toBeVisible();
  await expectInView(page.getByRole('status').filter({ hasText: '4 changes are waiting to be sent.' }));
  expect(await getAnswerTexts(ben.page.request, id)).toEqual(['It is out.']);

  await context.setOffline(false);
  await expect(answersBy(page, 'Ada Waiting')).toContainText('Take the ferry.');
  await expect(page.getByRole('article', { name: 'Reply by Ada Waiting' })).toContainText('Since when?');
  await expect(page.getByText('Waiting for connection')).toHaveCount(0);
  await expect(page.getByText('to be sent')).toHaveCount(0);
  await expect(offlineBanner(page)).toHaveCount(0);
  await expect(page.getByRole('heading', { name: '2 Answers', exact: true })).toBeVisible();
  for (const look of ['as it is', 'after a reload']) {
    await test.step(look, async () => {
      await expect(question.getByRole('button', { name: 'Downvote (1)' })).toHaveAttribute(
        'aria-pressed',
        'true',
      );
      await expect(question.getByRole('button', { name: 'Upvote (0)' })).toBeVisible();
      await expect(button(page, 'Following question')).toBeVisible();
      await expect(answersBy(page, 'Ada Waiting')).toHaveCount(1);
      await expect(page.getByRole('article', { name: 'Reply by Ada Waiting' })).toHaveCount(1);
    });
    await page.reload();
  }
  expect(await getAnswerTexts(ben.page.request, id)).toEqual(['Take the **ferry**.', 'It is out.']);
});

test('the focus stays with an answer while it is sent, and the answer appears only once', async ({
  page,
  context,
}) => {
  await registerMember(page.request, newMember('Ada Focus'));
  await askAndOpen(page, uniqueText('Where was I?'));
  await page.evaluate(() => {
    let most = 0;
    const count = () => {
      const visible = document.querySelectorAll('section[aria-labelledby="answers"] article').length;
      most = Math.max(most, visible);
      document.documentElement.dataset['most'] = String(most);
    };
    new MutationObserver(count).observe(document.body, { subtree: true, childList: true });
  });
  await context.setOffline(true);
  await writeAnswer(page, 'Right here.');
  await expect(queuedAnswer(page)).toBeFocused();
  await context.setOffline(false);
  await expect(answersBy(page, 'Ada Focus')).toBeFocused();
  await expect(queuedAnswer(page)).toHaveCount(0);
  await expect(page.locator('html')).toHaveAttribute('data-most', '1');
});

test('a topic is followed and unfollowed without a connection', async ({ page, context }) => {
  await registerMember(page.request);
  const [wanted, left] = [uniqueWord('moor'), uniqueWord('fen')];
  await askQuestion(page.request, { title: uniqueText('Wet feet?'), tags: [wanted, left] });
  await followTag(page.request, left);
  await page.goto(`/topics/${wanted}`);
  await waitForConnectionBanner(page);
  await context.setOffline(true);
  await button(page, 'Follow').click();
  await expect(button(page, 'Following')).toBeEnabled();
  await expect(button(page, 'Following')).toHaveAccessibleDescription(/Waiting for connection$/u);
  await button(page, 'Following').click();
  await expect(button(page, 'Follow')).toBeEnabled();
  await button(page, 'Follow').click();
  await expect(page.getByText('1 change is waiting to be sent.')).toBeVisible();
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

test('muting a topic and removing a bookmark replace what is queued for the same topic and post', async ({
  page,
  context,
}) => {
  await registerMember(page.request);
  const tag = uniqueWord('heath');
  const title = uniqueText('Dry feet?');
  const id = await askQuestion(page.request, { title, tags: [tag] });
  await page.request.put(`/api/questions/${id}/bookmark`, { data: { bookmarked: true } });
  await page.goto(`/question/${id}`);
  await waitForConnectionBanner(page);
  await context.setOffline(true);
  await button(page, 'Bookmarked').click();
  await button(page, 'Bookmark').click();
  await expect(page.getByText('1 change is waiting to be sent.')).toBeVisible();
  // The server is busy for what is queued.
  let fails = true;
  await page.route(/\/(follow|bookmark)$/u, (route) => {
    const { bookmarked = true } = route.request().postDataJSON() as { bookmarked?: boolean };
    if (!bookmarked) return fails ? route.fulfill({ status: 500 }) : route.continue();
    return route.fulfill({
      status: 429,
      headers: { 'content-type': 'application/problem+json', 'retry-after': '600' },
      body: JSON.stringify({ status: 429, kind: 'too-many', title: 'Too many', detail: 'Please wait.' }),
    });
  });
  const refused = page.waitForResponse((response) => response.status() === 429);
  await context.setOffline(false);
  await refused;
  await page.goto(`/topics/${tag}`);
  await button(page, 'Follow').click();
  await expect(page.getByText('2 changes are waiting to be sent.')).toBeVisible();

  const mutes = /\/mute$/u;
  await page.route(mutes, (route) => route.fulfill({ status: 500 }));
  const failed = page.waitForResponse(mutes);
  await button(page, 'Mute').click();
  await failed;
  await expect(button(page, 'Mute')).toBeEnabled();
  await expect(page.getByText('2 changes are waiting to be sent.')).toBeVisible();
  await page.unroute(mutes);
  await button(page, 'Mute').click();
  await expect(button(page, 'Muted')).toBeEnabled();
  await expect(page.getByText('1 change is waiting to be sent.')).toBeVisible();
  await page.goto('/bookmarks');
  await expect(page.getByText('1 change is waiting to be sent.')).toBeVisible();
  await button(page, 'Remove').click();
  await expect(page.getByText('The bookmark could not be removed')).toBeVisible();
  await expect(page.getByText('1 change is waiting to be sent.')).toBeVisible();
  fails = false;
  await button(page, 'Remove').click();
  await expect(page.getByText('Bookmark removed')).toBeVisible();
  await expect(page.getByText('to be sent')).toHaveCount(0);
  await expect(page.getByText('No bookmarks yet')).toBeVisible();
});

test('queued actions survive a reload during an outage and a busy server, and are sent once', async ({
  page,
}) => {
  await registerMember(page.request, newMember('Ada Reload'));
  // Without the offline cache, which would show the question.
  await page.route(/\/assets\/offline-store-[\w-]+\.js/u, (route) => route.abort());
  const id = await askAndOpen(page, uniqueText('Still there?'));
  const unblockApi = await blockApi(page);
  await writeAnswer(page, 'I waited.');
  await expect(queuedAnswer(page)).toBeVisible();
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Parley cannot be reached' })).toBeVisible();
  await expect(page.getByText('1 change is waiting to be sent.', { exact: true })).toBeVisible();

  let refusals = 0;
  await unblockApi();
  await page.route('**/answers', (route) => {
    if (route.request().method() !== 'POST' || refusals >= 1) return route.continue();
    refusals++;
    return route.fulfill({
      status: 429,
      headers: { 'content-type': 'application/problem+json', 'retry-after': '4' },
      body: JSON.stringify({ status: 429, kind: 'too-many', title: 'Too many', detail: 'Please wait.' }),
    });
  });
  await expect(queuedAnswer(page)).toContainText('I waited.');
  await expect(page.getByRole('status').filter({ hasText: '1 change is waiting to be sent.' })).toBeVisible();
  await expect(answersBy(page, 'Ada Reload')).toContainText('I waited.');
  await expect(queuedAnswer(page)).toHaveCount(0);
  expect(refusals).toBe(1);
  expect(await getAnswerTexts(page.request, id)).toEqual(['I waited.']);
});

test('a queued action is sent after the page that the server rendered handles input', async ({
  page,
  context,
}) => {
  await registerMember(page.request);
  const id = await askQuestion(page.request, { title: uniqueText('When is it sent?'), tags: ['queues'] });
  await page.goto(`/question/${id}`);
  await waitForTexts(page);
  await context.setOffline(true);
  await writeAnswer(page, 'Before the page is ready.');
  await expect(queuedAnswer(page)).toBeVisible();
  await page.goto('about:blank');
  await context.setOffline(false);

  const release = await holdRequests(page, '**/assets/TagsPage-*.js');
  let isSent = false;
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/answers')) isSent = true;
  });
  await page.goto('/topics', { waitUntil: 'commit' });
  await waitForConnectionBanner(page);
  // It would be sent by now.
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 500)));
  expect(isSent).toBe(false);
  release();
  await expect.poll(() => isSent).toBe(true);
});

test('two tabs show the same queue and send it once', async ({ page, context }) => {
  test.slow();
  await registerMember(page.request, newMember('Ada Twice'));
  const id = await askAndOpen(page, uniqueText('In both tabs?'));
  const other = await context.newPage();
  await other.goto(`/question/${id}`);
  await expect(other.getByLabel('Your answer')).toBeVisible();
  let sent = 0;
  context.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/answers')) sent++;
  });
  await context.setOffline(true);
  await writeAnswer(page, 'One of one.');
  await expect(queuedAnswer(other)).toContainText('One of one.');
  await writeAnswer(other, 'Two of two.');
  await expect(queuedAnswer(page)).toHaveText([/Two of two\./u, /One of one\./u]);
  const tried = sent;
  await context.setOffline(false);
  for (const tab of [page, other]) {
    await expect(answersBy(tab, 'Ada Twice')).toHaveText([/Two of two\./u, /One of one\./u]);
    await expect(queuedAnswer(tab)).toHaveCount(0);
  }
  expect(await getAnswerTexts(page.request, id)).toEqual(['Two of two.', 'One of one.']);
  expect(sent - tried).toBe(2);
});

test('two tabs of a browser without locks, as on plain http, post once as well', async ({
  page,
  context,
}) => {
  test.slow();
  await context.addInitScript(() => Reflect.deleteProperty(Navigator.prototype, 'locks'));
  await registerMember(page.request, newMember('Ada Unlocked'));
  const id = await askAndOpen(page, uniqueText('No locks?'));
  expect(await page.evaluate(() => 'locks' in navigator)).toBe(false);
  const other = await context.newPage();
  await other.goto(`/question/${id}`);
  await expect(other.getByLabel('Your answer')).toBeVisible();
  await context.setOffline(true);
  for (const text of ['One', 'Two', 'Three']) await writeAnswer(page, text);
  await expect(queuedAnswer(other)).toHaveCount(3);
  await context.setOffline(false);
  for (const tab of [page, other]) {
    await expect(queuedAnswer(tab)).toHaveCount(0, { timeout: 20_000 });
    await expect(answersBy(tab, 'Ada Unlocked')).toHaveText([/Three/u, /Two/u, /One/u]);
  }
  expect(await getAnswerTexts(page.request, id)).toEqual(['Three', 'Two', 'One']);
});

test('an answer is posted once when the response and then the connection are lost', async ({ page }) => {
  await registerMember(page.request, newMember('Ada Lost'));
  const id = await askAndOpen(page, uniqueText('Did you get that?'));
  const unblockApi = await blockApi(page);
  await page.route(
    '**/answers',
    async (route) => {
      await route.fetch();
      await route.abort('connectionreset');
    },
    { times: 1 },
  );
  await writeAnswer(page, 'I did.');
  await expect(page.getByText('1 change is waiting to be sent.')).toBeVisible();
  expect(await getAnswerTexts(page.request, id)).toEqual(['I did.']);
  await unblockApi();
  await expect(page.getByText('to be sent')).toHaveCount(0);
  await expect(answersBy(page, 'Ada Lost')).toHaveCount(1);
  await expect(queuedAnswer(page)).toHaveCount(0);
  expect(await getAnswerTexts(page.request, id)).toEqual(['I did.']);
});
