import {
  type Browser,
  type BrowserContext,
  expect,
  type Page,
  type PlaywrightWorkerArgs,
  type Request,
  test,
} from '@playwright/test';
import { expectAccessible } from './support/accessibility.ts';
import {
  button,
  getSecondNodeAddress,
  postAnswer,
  postReply,
  questionUrl,
  uniqueText,
} from './support/posts.ts';
import { holdRequests } from './support/held-requests.ts';
import { waitForHydration } from './support/hydration.ts';
import { getDraftText, saveDraft } from './support/drafts.ts';
import { askQuestion, type Member, newMember, registerMember, signIn, signOut } from './support/members.ts';
import { startCommunity } from './support/community.ts';

const field = (page: Page, name = 'Your answer') => page.getByLabel(name, { exact: true });
const saved = (page: Page) => page.getByText('Draft saved');
const choice = (page: Page) => page.getByRole('region', { name: 'This draft was changed on another device' });

/** A second device of the member: a separate browser context, on the other node. */
async function otherDevice(
  browser: Browser,
  member: Member,
  baseURL = getSecondNodeAddress(),
): Promise<Page> {
  const context = await browser.newContext({ baseURL });
  const page = await context.newPage();
  const { email, password } = member;
  const response = await page.request.post('/api/session', { data: { email, password } });
  expect(response.status()).toBe(200);
  return page;
}

/** A program with an API token of the member and the scope for drafts. */
async function startProgram(
  page: Page,
  { request }: PlaywrightWorkerArgs['playwright'],
  { password }: Member,
) {
  const data = { name: 'Program', scopes: ['drafts'], expiresInDays: 1, password };
  const created = await page.request.post('/api/api-tokens', { data });
  expect(created.status(), await created.text()).toBe(201);
  const { token } = (await created.json()) as { token: string };
  const extraHTTPHeaders = { authorization: `Bearer ${token}` };
  const context = await request.newContext({ baseURL: getSecondNodeAddress(), extraHTTPHeaders });
  let sequence = 0;
  return {
    dispose: () => context.dispose(),
    /** Returns the status of the response. */
    draft: async (questionId: number, content: string) => {
      const key = 'key-of-the-program';
      const draft = { key, fields: { content }, basedOn: null, clientId: 'program-1', sequence: ++sequence };
      return (await context.put(`/api/drafts/answer:${questionId}`, { data: draft })).status();
    },
  };
}

/** Kills the tab, as when the browser runs out of memory: no handler runs. */
async function killTab(page: Page): Promise<void> {
  const gone = new Promise((resolve) => page.on('crash', resolve));
  const session = await page.context().newCDPSession(page);
  void session.send('Page.crash').catch(() => {});
  await gone;
  await page.close();
}

test('a draft survives a killed tab, cleared browser storage and a sign-out, and no other member sees it', async ({
  page,
  context,
}) => {
  const member = await registerMember(page.request, newMember('Ada'));
  const id = await askQuestion(page.request, { title: uniqueText('What survives?') });
  await page.goto(`/question/${id}`);
  await field(page).pressSequentially('Typed to the last letter');
  await killTab(page);
  const second = await context.newPage();
  await second.goto(`/question/${id}`);
  await expect(field(second)).toHaveValue('Typed to the last letter');
  await expect(saved(second)).toBeVisible();

  // Unsaved text is sent when the page is left.
  await field(second).fill('Typed just before leaving');
  await second.goto('/topics');
  await second.evaluate(() => localStorage.clear());
  await expect.poll(() => getDraftText(second.request, `answer:${id}`)).toBe('Typed just before leaving');
  await second.goto(`/question/${id}`);
  await expect(field(second)).toHaveValue('Typed just before leaving');

  await signOut(second);
  await registerMember(second.request, newMember('Somebody Else'));
  await second.goto(`/question/${id}`);
  await expect(button(second, 'Post Answer')).toBeDisabled();
  await expect(field(second)).toHaveValue('');
  await second.goto('/drafts');
  await expect(second.getByText('No drafts')).toBeVisible();

  await signOut(second);
  await signIn(second, member);
  await expect(second).toHaveURL('/');
  await second.goto(`/question/${id}`);
  await expect(field(second)).toHaveValue('Typed just before leaving');
  await field(second).fill('');
  await expect.poll(() => getDraftText(second.request, `answer:${id}`)).toBeNull();
});

test('text typed before the form of an answer is loaded survives a killed tab', async ({ page, context }) => {
  await registerMember(page.request, newMember('Ada'));
  const id = await askQuestion(page.request, { title: uniqueText('What survives before the form?') });
  await page.route('**/assets/post-forms-*.js', () => {});
  await page.goto(`/question/${id}`);
  await waitForHydration(page);
  await field(page).pressSequentially('Typed to the last letter');
  await killTab(page);
  const second = await context.newPage();
  await second.goto(`/question/${id}`);
  await expect(field(second)).toHaveValue('Typed to the last letter');
  await expect(saved(second)).toBeVisible();
});

test('a draft continues on another device, and the member resolves a conflict between two devices', async ({
  page,
  context,
  browser,
}) => {
  const ada = await registerMember(page.request, newMember('Ada'));
  const id = await askQuestion(page.request, { title: uniqueText('Where do I go on?') });
  await page.goto(`/question/${id}`);
  const laptop = await otherDevice(browser, ada);
  await laptop.goto(`/question/${id}`);
  await field(page).fill('Begun on the phone.');
  await expect(field(laptop)).toHaveValue('Begun on the phone.');
  await expect(saved(laptop)).toBeVisible();
  await field(laptop).fill('Begun on the phone, ended on the laptop.');
  await expect(field(page)).toHaveValue('Begun on the phone, ended on the laptop.');

  await context.setOffline(true);
  await field(page).fill('Written on a train.');
  await expect(page.getByText('Saved on this device')).toBeVisible();
  await field(laptop).fill('Written at home.');
  await expect.poll(() => getDraftText(laptop.request, `answer:${id}`)).toBe('Written at home.');
  await context.setOffline(false);
  await expect(choice(page)).toContainText('Written at home.');
  await expect(field(page)).toHaveValue('Written on a train.');
  await button(page, 'Compare').click();
  await expect(choice(page).locator('del')).toContainText(['train']);
  await expectAccessible(page, { within: 'main form' });
  // The conflict is unresolved: both versions are there, also after a reload.
  await page.reload();
  await expect(choice(page)).toContainText('Written at home.');
  await expect(field(page)).toHaveValue('Written on a train.');
  await button(page, 'Keep the other version').click();
  await expect(choice(page)).toHaveCount(0);
  await expect(field(page)).toBeFocused();
  await expect(field(laptop)).toHaveValue('Written on a train.');

  await context.setOffline(true);
  await field(page).fill('Written in a tunnel.');
  await field(laptop).fill('Written on the sofa.');
  await expect.poll(() => getDraftText(laptop.request, `answer:${id}`)).toBe('Written on the sofa.');
  await context.setOffline(false);
  await expect(choice(page)).toBeVisible();
  await button(page, 'Use this version').click();
  await expect(field(page)).toHaveValue('Written on the sofa.');
  await expect(saved(page)).toBeVisible();
  await laptop.context().close();
});

test('a program cannot swap the text in an open form while the member reviews it', async ({
  page,
  playwright,
}) => {
  const ada = await registerMember(page.request, newMember('Ada'));
  const id = await askQuestion(page.request, { title: uniqueText('Who wrote this answer?') });
  const program = await startProgram(page, playwright, ada);
  await page.goto(`/question/${id}`);
  await waitForHydration(page);
  await program.draft(id, 'Good text of the program.');
  await expect(field(page)).toHaveValue('Good text of the program.');
  await program.draft(id, 'Swapped text of the program.');
  await expect(choice(page)).toContainText('Swapped text of the program.');
  await expect(field(page)).toHaveValue('Good text of the program.');
  await page.reload();
  await expect(choice(page)).toContainText('Swapped text of the program.');
  await expect(field(page)).toHaveValue('Good text of the program.');
  await button(page, 'Keep the other version').click();
  await expect.poll(() => getDraftText(page.request, `answer:${id}`)).toBe('Good text of the program.');
  expect(await program.draft(id, 'Swapped once more.')).toBe(409);
  await program.dispose();
});

test('a posted draft does not come back on any device, also when the response is lost', async ({
  page,
  context,
  browser,
}) => {
  const ada = await registerMember(page.request, newMember('Ada'));
  const id = await askQuestion(page.request, { title: uniqueText('What comes back?') });
  const laptop = await otherDevice(browser, ada);
  await laptop.goto(`/question/${id}`);
  await field(laptop).fill('Posted once.');
  await page.goto(`/question/${id}`);
  await expect(field(page)).toHaveValue('Posted once.');
  // This device has a copy and gets no updates from here on.
  await page.goto('about:blank');

  await laptop.route('**/answers', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    await route.fetch();
    await route.abort('connectionreset');
  });
  await button(laptop, 'Post Answer').click();
  await expect(laptop.getByRole('article', { name: 'Answer by Ada' })).toHaveCount(1);
  await expect(field(laptop)).toHaveValue('');
  await laptop.unroute('**/answers');
  await laptop.reload();
  await expect(laptop.getByRole('article', { name: 'Answer by Ada' })).toHaveCount(1);
  await expect(field(laptop)).toHaveValue('');

  await page.goto(`/question/${id}`);
  await expect(page.getByRole('article', { name: 'Answer by Ada' })).toHaveCount(1);
  await expect(field(page)).toHaveValue('');
  await page.goto('/drafts');
  await expect(page.getByText('No drafts')).toBeVisible();
  expect(await context.cookies()).not.toEqual([]);
  await laptop.context().close();
});

test('a draft that is saved while it is posted does not seem to be posted elsewhere', async ({ page }) => {
  await registerMember(page.request, newMember('Ada'));
  const id = await askQuestion(page.request, { title: uniqueText('Posted by whom?') });
  await page.goto(`/question/${id}`);
  await waitForHydration(page);
  // The draft reaches the server after the answer, and the response to the answer comes after that to the draft.
  const saveResponse = page.waitForResponse(
    (response) => response.request().method() === 'PUT' && response.url().includes('/drafts/'),
  );
  const posted = Promise.withResolvers<void>();
  await page.route('**/drafts/**', async (route) => {
    if (route.request().method() === 'PUT') await posted.promise;
    await route.continue();
  });
  await page.route('**/answers', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    const response = await route.fetch();
    posted.resolve();
    await (await saveResponse).finished();
    await route.fulfill({ response });
  });
  await field(page).fill('Typed and posted at once.');
  await page.waitForRequest((request) => request.method() === 'PUT' && request.url().includes('/drafts/'));
  await button(page, 'Post Answer').click();
  expect((await saveResponse).status()).toBe(410);
  await expect(page.getByRole('article', { name: 'Answer by Ada' })).toContainText('Typed and posted');
  await expect(field(page)).toHaveValue('');
  // A message about the draft would be shown before that of a bookmark.
  await button(page, 'Bookmark').first().click();
  await expect(button(page, 'Add a note or lists')).toBeVisible();
  await expect(page.getByText('This draft was posted.')).toHaveCount(0);
});

test('an answer that was sent as a draft before its form was loaded does not come back after its post', async ({
  page,
}) => {
  await registerMember(page.request, newMember('Ada'));
  const id = await askQuestion(page.request, { title: uniqueText('Typed before the form?') });
  const releaseForms = await holdRequests(page, '**/assets/post-forms-*.js');
  const releaseSaves = await holdRequests(page, '**/api/drafts/*', 'PUT');
  const isSave = (request: Request) => request.method() === 'PUT' && request.url().includes('/api/drafts/');
  const subscribed = page
    .waitForEvent('websocket')
    .then((socket) =>
      socket.waitForEvent('framereceived', ({ payload }) => String(payload).startsWith('43')),
    );
  await page.goto(`/question/${id}`);
  await waitForHydration(page);
  await subscribed;
  await field(page).fill('Typed');
  // The event of another device's draft lets this one send its own.
  const saving = page.waitForRequest(isSave);
  await saveDraft(page.request, `answer:${id}`, { content: 'For a moment' });
  expect((await page.request.delete(`/api/drafts/answer:${id}`)).status()).toBe(204);
  await saving;
  await field(page).fill('Typed and posted at once.');
  releaseForms();
  await button(page, 'Post Answer').click();
  await expect(page.getByRole('article', { name: 'Answer by Ada' })).toContainText('Typed and posted');
  await expect(field(page)).toHaveValue('');
  const deleted = page.waitForResponse((response) => response.request().method() === 'DELETE');
  releaseSaves();
  await deleted;
  expect(await getDraftText(page.request, `answer:${id}`)).toBeNull();
  await expect(field(page)).toHaveValue('');
});

test('text typed while the form of an answer is rendered is posted with the key of its draft', async ({
  page,
}) => {
  await registerMember(page.request, newMember('Ada'));
  const id = await askQuestion(page.request, { title: uniqueText('Typed meanwhile?') });
  const releaseForms = await holdRequests(page, '**/assets/post-forms-*.js');
  await page.goto(`/question/${id}`);
  await waitForHydration(page);
  // The form reads the draft in its first rendering.
  const keyOfDraft = page.evaluate(
    (target) =>
      new Promise<string>((resolve) => {
        const read: (this: Storage, name: string) => string | null = Reflect.get(
          Storage.prototype,
          'getItem',
        );
        Storage.prototype.getItem = function (name) {
          const before = read.call(this, name);
          if (!name.endsWith(target)) return before;
          Storage.prototype.getItem = read;
          const quietField = document.querySelector<HTMLTextAreaElement>('#your-answer textarea');
          if (quietField === null) throw new Error('The form has been shown already.');
          quietField.value = 'Typed meanwhile.';
          quietField.dispatchEvent(new Event('input'));
          resolve(JSON.parse(localStorage.getItem(name) ?? '').fields.key);
          return before;
        };
      }),
    `.answer:${id}`,
  );
  releaseForms();
  await expect(button(page, 'Post Answer')).toBeEnabled();
  const posting = page.waitForRequest(
    (request) => request.method() === 'POST' && request.url().endsWith('/answers'),
  );
  await button(page, 'Post Answer').click();
  expect(await (await posting).headerValue('idempotency-key')).toBe(await keyOfDraft);
});

test('a draft typed while the server is down is on every device after the restart', async ({ browser }) => {
  // Starts a server twice, the second time with a crash recovery of the database.
  test.setTimeout(120_000);
  const community = await startCommunity();
  let contexts: BrowserContext[] = [];
  try {
    const context = await browser.newContext({ baseURL: community.address });
    const page = await context.newPage();
    const ada = await registerMember(page.request, newMember('Ada'), community.address);
    await page.goto('/ask');
    await field(page, 'Title').fill('Does a crash take words?');
    await expect(saved(page)).toBeVisible();
    const details = field(page, 'Details');
    const saving = page.waitForRequest((request) => request.method() === 'PUT');
    await details.pressSequentially('Not one, however often it happens. ');
    // The server may have stored this sentence. It does not get the next ones.
    await saving;
    await community.kill();
    await details.pressSequentially('Not one, however often it happens. '.repeat(2));
    await expect(page.getByText('Saved on this device')).toBeVisible();
    await community.start();
    await expect(saved(page)).toBeVisible({ timeout: 30_000 });
    const other = await otherDevice(browser, ada, community.address);
    contexts = [context, other.context()];
    await other.goto('/ask');
    await expect(field(other, 'Details')).toHaveValue('Not one, however often it happens. '.repeat(3));
    await expect(field(other, 'Title')).toHaveValue('Does a crash take words?');
  } finally {
    for (const context of contexts) await context.close();
    await community.remove();
  }
});

test('the list of drafts shows all drafts, opens each at its place, and can restore a discarded one', async ({
  page,
}) => {
  await registerMember(page.request, newMember('Ada'));
  const title = uniqueText('What is in the drawer?');
  const id = await askQuestion(page.request, { title, content: 'As asked.' });
  const answerId = await postAnswer(page.request, id, 'As answered.');
  const replyId = await postReply(page.request, answerId, 'As replied.');
  await saveDraft(page.request, `edit:answer:${answerId}`, { content: 'A better answer' });
  await saveDraft(page.request, `reply:reply:${replyId}`, { content: 'A reply to that' });
  await page.goto('/profile');
  await page.getByRole('link', { name: 'Drafts' }).click();
  await expect(page.getByRole('main').getByRole('listitem')).toHaveText([
    new RegExp(`^Your reply to a reply in "${title.replace('?', '\\?')}"A reply to that`, 'u'),
    /^Your edit of your answer to .*A better answer/u,
  ]);

  await page.getByRole('link', { name: /^Your reply to a reply/u }).click();
  await expect(field(page, 'Your reply')).toHaveValue('A reply to that');
  await expect(page).toHaveURL(questionUrl(id, `#reply-${replyId}`));
  await page.goBack();
  await page.getByRole('link', { name: /^Your edit of your answer/u }).click();
  await expect(field(page, 'Edit answer')).toHaveValue('A better answer');
  await page.goBack();

  const discard = page
    .getByRole('listitem')
    .filter({ hasText: 'Your edit' })
    .getByRole('button', { name: 'Discard' });
  await discard.click();
  await expect(page.getByText('Draft discarded')).toBeVisible();
  await expect(button(page, 'Undo')).toBeFocused();
  await expect.poll(() => getDraftText(page.request, `edit:answer:${answerId}`)).toBeNull();
  await button(page, 'Undo').click();
  await expect(discard).toBeVisible();
  await expect.poll(() => getDraftText(page.request, `edit:answer:${answerId}`)).toBe('A better answer');
  await discard.click();
  await expect(page.getByText('Draft discarded')).toBeVisible();
  await page.reload();
  await expect(page.getByRole('main').getByRole('listitem')).toHaveCount(1);
});

for (const connection of ['online', 'offline'] as const)
  test(`a draft that is discarded ${connection} while it is saved does not come back`, async ({
    page,
    context,
  }) => {
    await registerMember(page.request, newMember('Ada'));
    const id = await askQuestion(page.request, { title: uniqueText('What is thrown away?') });
    await page.goto(`/question/${id}`);
    const release = await holdRequests(page, '**/api/drafts/*', 'PUT');
    const saving = page.waitForRequest((request) => request.method() === 'PUT');
    await field(page).fill('Not for long');
    await saving;
    await page.getByRole('link', { name: 'Drafts' }).first().click();
    const draft = page.getByRole('main').getByRole('listitem').filter({ hasText: 'Not for long' });
    await expect(draft).toContainText('Saved on this device');
    await context.setOffline(connection === 'offline');
    await draft.getByRole('button', { name: 'Discard' }).click();
    await expect(page.getByText('Draft discarded')).toBeVisible();
    await context.setOffline(false);
    const savedDraft = page.waitForResponse((response) => response.request().method() === 'PUT');
    release();
    await savedDraft;
    await expect.poll(() => getDraftText(page.request, `answer:${id}`)).toBeNull();
    await page.reload();
    await expect(page.getByText('No drafts')).toBeVisible();
  });

for (const opened of ['before', 'during'] as const)
  test(`a draft that is discarded in a tab opened ${opened} the save of another tab does not come back`, async ({
    page,
    context,
  }) => {
    await registerMember(page.request, newMember('Ada'));
    const id = await askQuestion(page.request, { title: uniqueText('What is thrown away elsewhere?') });
    const other = await context.newPage();
    if (opened === 'before') await other.goto('/topics');
    await page.goto(`/question/${id}`);
    await waitForHydration(page);
    const isSave = (request: Request) => request.method() === 'PUT' && request.url().includes('/api/drafts/');
    const release = await holdRequests(page, '**/api/drafts/*', 'PUT');
    const saving = page.waitForRequest(isSave);
    await field(page).fill('Not for long');
    await saving;
    // The form, which follows other tabs.
    await expect(button(page, 'Post Answer')).toBeEnabled();
    if (opened === 'before') await other.getByRole('link', { name: 'Drafts' }).first().click();
    // This tab saves the draft, too.
    else await other.goto('/drafts');
    const draft = other.getByRole('main').getByRole('listitem').filter({ hasText: 'Not for long' });
    await draft.getByRole('button', { name: 'Discard' }).click();
    await expect(other.getByText('Draft discarded')).toBeVisible();
    const savedDraft = page.waitForResponse((response) => isSave(response.request()));
    release();
    await savedDraft;
    await expect.poll(() => getDraftText(page.request, `answer:${id}`)).toBeNull();
    await expect(field(page)).toHaveValue('');
    await other.reload();
    await expect(other.getByText('No drafts')).toBeVisible();
  });

test('a draft that is discarded between two saves of a page that is left does not come back', async ({
  page,
  context,
}) => {
  await registerMember(page.request, newMember('Ada'));
  const id = await askQuestion(page.request, { title: uniqueText('What is thrown away on leaving?') });
  const other = await context.newPage();
  await other.goto('/topics');
  await page.goto(`/question/${id}`);
  await waitForHydration(page);
  const isSave = (request: Request) => request.method() === 'PUT' && request.url().includes('/api/drafts/');
  const releases: (() => void)[] = [];
  await page.route('**/api/drafts/*', async (route) => {
    if (isSave(route.request())) await new Promise<void>((resolve) => releases.push(resolve));
    await route.continue();
  });
  const release = async (index: number) => {
    const response = page.waitForResponse((each) => isSave(each.request()));
    releases[index]?.();
    await (await response).finished();
  };
  await field(page).fill('Not for');
  await expect.poll(() => releases.length).toBe(1);
  // The form, which sends what is typed when the page is left.
  await expect(button(page, 'Post Answer')).toBeEnabled();
  await field(page).fill('Not for long');
  await page.evaluate(() => window.dispatchEvent(new Event('pagehide')));
  await expect.poll(() => releases.length).toBe(2);
  await release(0);
  await other.getByRole('link', { name: 'Drafts' }).first().click();
  const draft = other.getByRole('main').getByRole('listitem').filter({ hasText: 'Not for long' });
  await draft.getByRole('button', { name: 'Discard' }).click();
  await expect(other.getByText('Draft discarded')).toBeVisible();
  await release(1);
  await expect.poll(() => getDraftText(page.request, `answer:${id}`)).toBeNull();
  await expect(field(page)).toHaveValue('');
  await other.reload();
  await expect(other.getByText('No drafts')).toBeVisible();
});

test('a discarded draft does not replace what another tab has written since, and can be copied', async ({
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await registerMember(page.request, newMember('Ada'));
  const id = await askQuestion(page.request, { title: uniqueText('What is written anew?') });
  await page.goto(`/question/${id}`);
  await field(page).fill('The old text');
  await expect(saved(page)).toBeVisible();
  const list = await context.newPage();
  await list.goto('/drafts');
  await button(list, 'Discard').click();
  await expect(button(list, 'Undo')).toBeFocused();
  await expect(field(page)).toHaveValue('');
  await field(page).fill('The new text');
  await button(list, 'Undo').click();
  await expect(list.getByText(/There is a newer draft of this post/u)).toBeVisible();
  await expect(button(list, 'Copy text')).toBeFocused();
  await expectAccessible(list, { within: 'main' });
  await button(list, 'Copy text').click();
  await expect(list.getByText('Text copied to clipboard!')).toBeVisible();
  expect(await list.evaluate(() => navigator.clipboard.readText())).toBe('The old text');
  await expect(list.getByRole('listitem').filter({ hasText: 'The new text' })).toBeVisible();
  await expect(field(page)).toHaveValue('The new text');
  await expect.poll(() => getDraftText(page.request, `answer:${id}`)).toBe('The new text');
});

test('the list of drafts shows and copies a reply that only this browser has', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await registerMember(page.request);
  const id = await askQuestion(page.request, { title: uniqueText('Not yet on the server?') });
  const answerId = await postAnswer(page.request, id, 'As answered.');
  await page.route('**/api/drafts/**', (route) => route.fulfill({ status: 413, json: {} }));
  await page.goto(`/question/${id}`);
  await page.locator(`#answer-${answerId}`).getByRole('button', { name: 'Reply' }).click();
  await field(page, 'Your reply').fill('Only here');
  await page.goto('/drafts');
  const draft = page.getByRole('main').getByRole('listitem');
  await expect(draft).toContainText('Only here');
  await expect(draft).toContainText('Saved on this device');
  await expect(draft).not.toContainText('was deleted');
  await draft.getByRole('button', { name: 'Copy text' }).click();
  await expect(page.getByText('Text copied to clipboard!')).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('Only here');
});
