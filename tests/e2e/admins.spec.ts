import { type APIRequestContext, expect, type Locator, type Page, test } from '@playwright/test';
import { startOidcProvider } from '#tests/support/oidc-provider.ts';
import { startWebhookReceiver } from '#tests/support/webhook-receiver.ts';
import { expectAccessible } from './support/accessibility.ts';
import type { Community } from './support/community.ts';
import { holdRequests } from './support/held-requests.ts';
import { waitForHydration } from './support/hydration.ts';
import { expectInView, expectInViewAtBothSizes } from './support/in-view.ts';
import { askQuestion, newMember, registerMember } from './support/members.ts';
import { changeSettings, openAdminPage, startCommunityWithOwner } from './support/set-up.ts';
import { visit } from './support/visit.ts';

// One after the other: the tests share their community. The page of each is that of its admin.
test.describe.configure({ mode: 'default' });
test.slow();

let community: Community;
let owner: APIRequestContext;
test.beforeAll(async ({ playwright }) => {
  owner = await playwright.request.newContext();
  community = await startCommunityWithOwner({ request: owner }, { env: { WEBHOOK_HOSTS: '127.0.0.1' } });
});
test.afterAll(async () => {
  await owner.dispose();
  await community.remove();
});
test.beforeEach(async ({ context }) => context.addCookies((await owner.storageState()).cookies));
test.afterEach(() =>
  changeSettings(owner, community, {
    closeVotesNeeded: 3,
    closeVoteReputation: 500,
    holdForApproval: false,
    reviewFirstPosts: 0,
    tagCreation: 'everyone',
  }),
);

test('an admin creates a service account, whose program posts as a bot until it is deactivated', async ({
  page,
  playwright,
}) => {
  await page.goto(`${community.address}/admin/settings`);
  await openAdminPage(page, 'Service accounts');
  await expect(page.getByText('No service accounts')).toBeVisible();
  await page.getByRole('button', { name: 'Add service account' }).click();
  const name = page.getByLabel('Name of the service account');
  await expect(name).toBeFocused();
  await name.fill('Release notes');
  await page.getByLabel('What the program does').fill('Posts what is new.');
  await page.getByLabel('Posts per hour').fill('many');
  await page.getByRole('button', { name: 'Create service account' }).click();
  await expect(page.getByLabel('Posts per hour')).toBeFocused();
  await expect(page.getByLabel('Posts per hour')).toHaveAttribute('aria-invalid', 'true');
  await page.getByLabel('Posts per hour').fill('5');
  await expectAccessible(page, { look: 'form of a service account' });
  await page.getByRole('button', { name: 'Create service account' }).click();
  const card = page.getByRole('list', { name: 'Service accounts' }).getByRole('listitem').first();
  await expect(card).toContainText(/Release notes.*Active.*5 posts per hour.*No API tokens/su);

  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Create a token: Release notes' }).click();
  await expectInViewAtBothSizes(dialog);
  await dialog.getByLabel('Name of the token').fill('CI');
  await expect(dialog.getByLabel(/^(?:Moderation|Drafts)/u)).toHaveCount(0);
  await dialog.getByLabel(/^Write/u).check();
  await dialog.getByLabel('Your password').fill('bread and butter 7');
  await dialog.getByRole('button', { name: 'Create token' }).click();
  const token = await dialog.getByLabel('Token', { exact: true }).inputValue();
  await dialog.getByRole('button', { name: "I've saved it" }).click();
  await expect(card).toContainText(/CI.*Read · Write.*Not used yet/su);

  const program = await playwright.request.newContext({
    baseURL: community.address,
    extraHTTPHeaders: { authorization: `Bearer ${token}` },
  });
  const question = { title: 'What is new in 2.0?', content: 'It is faster.', tags: ['news'] };
  const asked = await program.post('/api/questions', { data: question });
  expect(asked.status()).toBe(201);
  const { id } = (await asked.json()) as { id: number };

  await page.getByRole('button', { name: 'Deactivate: Release notes' }).click();
  await expectInViewAtBothSizes(dialog);
  await dialog.getByRole('button', { name: 'Deactivate' }).click();
  await expect(card).toContainText('Deactivated');
  expect((await program.get('/api/feeds/recent')).status()).toBe(401);
  await program.dispose();

  await visit(page, `${community.address}/`);
  const listed = page.getByRole('article', { name: question.title });
  await expect(listed).toContainText(/Release notes\s*Bot/u);
  const separator = await listed
    .locator('time')
    .evaluate((time) => getComputedStyle(time, '::before').content);
  expect(separator).toContain('·');
  await visit(page, `${community.address}/search?q=Release&in=users`);
  const found = page.getByRole('main').getByRole('article').filter({ hasText: 'Release notes' });
  await expect(found.getByText('Bot', { exact: true })).toBeVisible();

  await visit(page, `${community.address}/question/${id}`);
  const article = page.getByRole('article', { name: question.title });
  await expect(article).toContainText(/Release notes\s*Bot/u);
  await article.getByRole('link', { name: 'Release notes' }).click();
  await expect(page.getByRole('heading', { name: 'Release notes' })).toBeVisible();
  await expect(page.locator('main header').getByText('Bot', { exact: true })).toBeVisible();
  await expectAccessible(page, { look: 'profile of a service account' });

  await visit(page, `${community.address}/admin/service-accounts`);
  await page.getByRole('button', { name: 'Delete: Release notes' }).click();
  await expectInViewAtBothSizes(dialog);
  await dialog.getByLabel(/^Delete them/u).check();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await expect(dialog.getByText('Incorrect password. Please try again.')).toBeVisible();
  await dialog.getByLabel('Your password').fill('bread and butter 7');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText('No service accounts')).toBeVisible();
});

test('an admin adds a web hook, tests it, sees its deliveries and deletes it', async ({ page }) => {
  const receiver = await startWebhookReceiver();
  try {
    await page.goto(`${community.address}/admin/settings`);
    await openAdminPage(page, 'Web hooks');
    await expect(page.getByText('No web hooks')).toBeVisible();

    await page.getByRole('button', { name: 'Add web hook' }).click();
    await expect(page.getByLabel('Name of the web hook')).toBeFocused();
    await page.getByLabel('Name of the web hook').fill('Kitchen');
    await page.getByLabel('Address of the receiver').fill('http://10.0.0.1/hook');
    await page.getByRole('button', { name: 'Add web hook' }).click();
    await expect(page.getByLabel('Address of the receiver')).toBeFocused();
    await expect(page.getByLabel('Address of the receiver')).toHaveAttribute('aria-invalid', 'true');
    await page.getByLabel('Address of the receiver').fill(`${receiver.address}/hook`);
    await expectAccessible(page, { look: 'form of a web hook' });
    await page.getByRole('button', { name: 'Add web hook' }).click();

    const dialog = page.getByRole('dialog', { name: 'Secret of the web hook' });
    const field = dialog.getByLabel('Secret of the web hook');
    await expectInView(field);
    const secret = await field.inputValue();
    expect(secret).toMatch(/^whsec_/u);
    await expectAccessible(page, { look: 'secret of a web hook' });
    await page.keyboard.press('Escape');
    await expect(dialog).toBeVisible();
    // Browsers may refuse to copy on plain http.
    await page.evaluate(() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error('refused'));
      document.execCommand = () => false;
    });
    await dialog.getByRole('button', { name: 'Copy' }).click();
    await expect(page.getByRole('alert')).toContainText('could not be copied');
    await dialog.getByRole('button', { name: "I've saved it" }).click();

    await page.getByRole('button', { name: 'Send test event: Kitchen' }).click();
    const [received] = await receiver.accepted(1, '/hook');
    if (received === undefined) throw new Error('no request');
    receiver.verify(secret, received);
    const deliveries = page.getByRole('list', { name: 'Deliveries' }).getByRole('listitem');
    await expect(deliveries).toContainText(received.id);
    await expect(deliveries).toContainText('Delivered');
    await expectAccessible(page, { look: 'deliveries of a web hook' });
    await expect(page.getByText('Last delivery')).toBeVisible();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    receiver.behave(() => (_, response) => void released.then(() => response.writeHead(204).end()));
    await deliveries.getByRole('button', { name: 'Send again' }).click();
    await expect(deliveries).toContainText('Waiting');
    await expect(page.getByText('1 event waits')).toBeVisible();
    release();
    await expect(deliveries).toContainText('Delivered');
    await expect(page.getByText('1 event waits')).toBeHidden();
    expect(receiver.requests.map(({ id }) => id)).toEqual([received.id, received.id]);

    await page.getByRole('button', { name: 'Delete: Kitchen' }).click();
    const confirm = page
      .getByRole('dialog', { name: 'Delete web hook' })
      .getByRole('button', { name: 'Delete' });
    await expectInView(confirm);
    await confirm.click();
    await expect(page.getByText('No web hooks')).toBeVisible();
  } finally {
    await receiver.stop();
  }
});

test('an admin adds a sign-in provider, and a visitor signs in with it', async ({ page, browser }) => {
  const provider = await startOidcProvider();
  const { issuer, clientId, clientSecret } = provider.settings;
  try {
    await page.goto(`${community.address}/admin/settings`);
    await openAdminPage(page, 'Sign-in providers');
    await expect(page.getByText('No sign-in providers')).toBeVisible();

    await page.getByRole('button', { name: 'Microsoft' }).click();
    await page.getByLabel('Directory (tenant) ID').fill('common');
    await page.getByLabel('Client ID').fill(clientId);
    await page.getByLabel('Client secret').fill(clientSecret);
    await page.getByRole('button', { name: 'Add provider' }).click();
    await expectInView(page.getByText('Enter the ID of your own directory.'));
    await expect(page.getByLabel('Directory (tenant) ID')).toBeFocused();
    await page.getByRole('button', { name: 'Cancel' }).click();

    await page.getByRole('button', { name: 'Other provider' }).click();
    await expect(page.getByLabel('Name on the button')).toBeFocused();
    const redirectAddress = `${community.address}/sign-in/callback/bakery`;
    await page.getByText('More options').click();
    await page.getByLabel('ID', { exact: true }).fill('bakery');
    await expect(page.getByLabel('Redirect address')).toHaveValue(redirectAddress);
    provider.registerClient(community.address, 'bakery');
    await page.getByLabel('Name on the button').fill('Bakery');
    await page.getByLabel('Issuer').fill(issuer.replace('127.0.0.1', 'localhost'));
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await expectInView(page.getByText(`The metadata at this address is of another issuer: ${issuer}`));
    await page.getByLabel('Issuer').fill(issuer);
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await expectInView(page.getByText('The provider responds, and its metadata is valid.'));
    await page.getByLabel('Client ID').fill(clientId);
    await page.getByLabel('Client secret').fill(clientSecret);
    await expectAccessible(page, { look: 'form of a sign-in provider' });
    await page.getByRole('button', { name: 'Add provider' }).click();
    const card = page.getByRole('list', { name: 'Sign-in providers' }).getByRole('listitem');
    await expect(card).toContainText('Bakery');
    await expect(card).toContainText('Enabled');
    await expectAccessible(page, { look: 'sign-in providers' });

    provider.become({ subject: 'nora', email: 'nora@example.net', email_verified: true, name: 'Nora New' });
    const visiting = await browser.newContext();
    const visitor = await visiting.newPage();
    await visitor.goto(`${community.address}/login`);
    await waitForHydration(visitor);
    // An invitation from the registration counts here too.
    await visitor.goto(`${community.address}/login#invitation=token`);
    await visitor.reload();
    await waitForHydration(visitor);
    const started = visitor.waitForRequest('**/api/session/provider');
    await visitor.getByRole('button', { name: 'Continue with Bakery' }).click();
    expect((await started).postDataJSON()).toMatchObject({ invitation: 'token' });
    await expect(visitor.getByText('This invitation link is not valid.')).toBeVisible();
    await visitor.goto(`${community.address}/login`);
    await waitForHydration(visitor);
    await visitor.getByRole('button', { name: 'Continue with Bakery' }).click();
    await expect(visitor).toHaveURL(`${community.address}/`);
    await visitor.goto(`${community.address}/sign-in/callback/bakery?error=access_denied&state=none`);
    await expect(visitor.getByRole('heading', { name: 'Link an account' })).toBeVisible();
    const release = await holdRequests(visitor, '**/api/email-address');
    await visitor.getByRole('link', { name: 'Settings', exact: true }).click();
    await expect(visitor.getByRole('heading', { name: 'Password', exact: true })).toBeVisible();
    await expect(visitor.getByLabel('Current password')).not.toBeVisible();
    release();
    await expect(visitor.getByRole('button', { name: 'Unlink: Bakery' })).toBeVisible();
    await expect(visitor.getByText('Your account has no password.')).toBeVisible();
    await expect(visitor.getByLabel('Current password')).not.toBeVisible();
    // Without a password, the recent sign-in is enough.
    await visitor.getByRole('button', { name: 'Change email' }).click();
    await visitor.getByLabel('New email').fill('nora@example.com');
    await expect(visitor.getByLabel('Your password')).toHaveCount(0);
    await visitor.getByRole('button', { name: 'Change', exact: true }).click();
    await expect(visitor.getByText('Your email address has been changed.')).toBeVisible();
    await makeAdmin(visiting.request);
    await expectNoPasswordForAdmin(visitor);

    await card.getByRole('button', { name: 'Switch off: Bakery' }).click();
    const dialog = page.getByRole('dialog', { name: 'Switch off sign-in provider: Bakery' });
    const warning = '1 member has linked an account. 1 of them has no other way to sign in.';
    await expect(dialog).toContainText(warning);
    const confirm = dialog.getByRole('button', { name: 'Switch off' });
    await expectInView(confirm);
    await confirm.click();
    await expect(card).toContainText('Disabled');
    await visiting.clearCookies();
    await visitor.goto(`${community.address}/login`);
    await expect(visitor.getByLabel('Email')).toBeVisible();
    await expect(visitor.getByRole('button', { name: 'Continue with Bakery' })).toBeHidden();

    await visit(page, `${community.address}/moderation/log`);
    const entry = page.getByRole('listitem').filter({ hasText: 'Sign-in provider changed' });
    await expect(entry).toHaveCount(1);
    await entry.getByRole('button', { name: 'Undo' }).click();
    await expect(entry).toHaveCount(2);
    await expect(entry.first()).toContainText('After: enabled: true');
    await visitor.goto(`${community.address}/login`);
    await waitForHydration(visitor);
    await visitor.getByRole('button', { name: 'Continue with Bakery' }).click();
    await expect(visitor).toHaveURL(`${community.address}/`);
    await visit(visitor, `${community.address}/settings?tab=account`);
    await visitor.getByRole('button', { name: 'Delete my account' }).click();
    await visitor.getByRole('button', { name: 'Delete', exact: true }).click();
    await expect(visitor.getByText('Your account has been deleted.')).toBeVisible();
    await visiting.close();
  } finally {
    await provider.stop();
  }
});

/** The owner makes the member who is signed in with `request` an admin. */
async function makeAdmin(request: APIRequestContext): Promise<void> {
  const id = await findOwnId(request);
  const changed = await owner.put(`${community.address}/api/admin/members/${id}/role`, {
    data: { role: 'admin', password: 'bread and butter 7' },
  });
  expect(changed.status(), await changed.text()).toBe(204);
}

async function findOwnId(request: APIRequestContext): Promise<number> {
  const session = await request.get(`${community.address}/api/session`);
  return ((await session.json()) as { member: { id: number } }).member.id;
}

/** Deletes a service account and merges two accounts, as an admin without a password. */
async function expectNoPasswordForAdmin(page: Page): Promise<void> {
  const bot = { displayName: 'Old program', bio: '', requestsPerMinute: 60, postsPerHour: 5 };
  const created = await owner.post(`${community.address}/api/admin/service-accounts`, { data: bot });
  expect(created.status(), await created.text()).toBe(201);
  const dialog = page.getByRole('dialog');
  await page.goto(`${community.address}/admin/service-accounts`);
  await waitForHydration(page);
  await page.getByRole('button', { name: 'Delete: Old program' }).click();
  await expectInView(dialog.getByLabel(/^Keep them/u));
  await expect(dialog.getByLabel('Your password')).toHaveCount(0);
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText('No service accounts')).toBeVisible();

  const [twin, stays] = [newMember('Tilly Twin'), newMember('Stella Stays')];
  const ids: number[] = [];
  for (const member of [twin, stays]) {
    const joining = await page.context().browser()?.newContext();
    if (joining === undefined) throw new Error('no browser');
    await registerMember(joining.request, member, community.address);
    ids.push(await findOwnId(joining.request));
    await joining.close();
  }
  await page.goto(`${community.address}/moderation/member/${ids[0]}`);
  await waitForHydration(page);
  await page.getByRole('button', { name: 'Merge into another account' }).click();
  await dialog.getByLabel('Account that stays').fill(stays.displayName);
  await dialog.getByRole('radio', { name: stays.displayName }).check();
  await dialog.getByRole('button', { name: 'Preview' }).click();
  await dialog.getByLabel('Name of the account that is merged').fill(twin.displayName);
  await expect(dialog.getByLabel('Your password')).toHaveCount(0);
  await dialog.getByRole('button', { name: 'Merge accounts' }).click();
  await expect(page.getByText(`Merged into ${stays.displayName}`)).toBeVisible();
}

test('a held question is shown to its author only, and to everyone once a moderator approves it', async ({
  page,
  browser,
}) => {
  await changeSettings(page.request, community, { reviewFirstPosts: 1, holdForApproval: true });

  const own = await browser.newContext();
  const author = await own.newPage();
  await registerMember(author.request, newMember('Nora New'), community.address);
  await author.goto(`${community.address}/ask`);
  await author.getByLabel('Title').fill('Does sourdough freeze?');
  await author.getByLabel('Details').fill('A whole loaf.');
  await author.getByLabel('Tags').fill('bread');
  await author.getByRole('button', { name: 'Post Question' }).click();
  await expectInView(author.getByText('A moderator reviews your post before others see it.'));
  const waiting = author.getByRole('article', { name: 'Hidden post by Nora New' });
  await expectInView(waiting);
  await expect(waiting).toContainText('Waiting for a moderator.');
  await expect(waiting).toContainText('A whole loaf.');
  await expectAccessible(author, { look: 'held question' });

  await page.goto(`${community.address}/`);
  await expect(page.getByText('Does sourdough freeze?')).toHaveCount(0);
  await visit(page, `${community.address}/moderation`);
  const item = page.getByRole('article', { name: 'Post by Nora New' });
  await expectInView(item.getByText('Held: others do not see it yet'));
  await expectAccessible(page, { look: 'held post in the review queue' });
  await item.getByRole('button', { name: 'Approve' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
  await expect(item).toHaveCount(0);
  await page.goto(`${community.address}/`);
  await expect(page.getByRole('link', { name: 'Does sourdough freeze?' })).toBeVisible();

  await author.reload();
  const notice = author.getByRole('dialog', { name: 'Message from the moderators' });
  await expectInView(notice.getByText('Your post in “Does sourdough freeze?” was approved.'));
  await notice.getByRole('button', { name: 'Got it' }).click();
  await expect(author.getByRole('heading', { name: 'Does sourdough freeze?' })).toBeVisible();
  await own.close();
});

test('members close a question as a duplicate by votes, and the page names them', async ({
  page,
  browser,
}) => {
  await changeSettings(page.request, community, { closeVotesNeeded: 2, closeVoteReputation: 5 });
  const join = async (name: string) => {
    const member = await (await browser.newContext()).newPage();
    await registerMember(member.request, newMember(name), community.address);
    return member;
  };
  const ask = async (member: typeof page, title: string) => {
    const asked = await member.request.post(`${community.address}/api/questions`, {
      data: { title, content: 'For a loaf of one kilo.', tags: ['bread'] },
      headers: { origin: community.address },
    });
    expect(asked.status()).toBe(201);
    return ((await asked.json()) as { id: number }).id;
  };
  const [ada, ben, cleo] = [await join('Ada Asks'), await join('Ben Baker'), await join('Cleo Cook')];
  const original = await ask(ben, 'Which flour for bread?');
  const another = await ask(cleo, 'How hot is the oven?');
  const id = await ask(ada, 'What flour do I need?');
  // One upvote each gives the reputation for a vote.
  for (const question of [original, another]) {
    const voted = await page.request.put(`${community.address}/api/questions/${question}/vote`, {
      data: { vote: 'up' },
      headers: { origin: community.address },
    });
    expect(voted.status()).toBe(200);
  }
  const openMenu = async (member: typeof page) => {
    await member.goto(`${community.address}/question/${id}`);
    await member
      .getByRole('article', { name: 'What flour do I need?' })
      .getByRole('button', { name: 'More actions' })
      .click();
  };
  await openMenu(ada);
  await expectInView(ada.getByRole('menuitem', { name: 'Copy link' }));
  await expect(ada.getByRole('menuitem', { name: /^Close/u })).toHaveCount(0);

  await openMenu(ben);
  await ben.getByRole('menuitem', { name: 'Close (0/2 votes)' }).click();
  const dialog = ben.getByRole('dialog', { name: 'Close as a duplicate' });
  await expectInViewAtBothSizes(dialog);
  await dialog.getByRole('button', { name: 'Vote to close' }).click();
  await expect(dialog.getByText('Enter the number of the original question.')).toBeVisible();
  await dialog.getByLabel('Number or link of the original question').fill(`/question/${original}`);
  await dialog.getByRole('button', { name: 'Vote to close' }).click();
  await expectInView(ben.getByText('Vote saved'));

  await openMenu(cleo);
  await cleo.getByRole('menuitem', { name: 'Close (1/2 votes)' }).click();
  const second = cleo.getByRole('dialog', { name: 'Close as a duplicate' });
  await expect(second.getByRole('radio', { name: 'Which flour for bread?' })).toBeChecked();
  await expectAccessible(cleo, { look: 'vote to close' });
  await second.getByRole('button', { name: 'Vote to close' }).click();
  await expectInView(cleo.getByText('Question closed as a duplicate'));
  await expect(cleo.getByText('Closed by Ben Baker and Cleo Cook')).toBeVisible();
  await expect(ada.getByText('Closed by Ben Baker and Cleo Cook')).toBeVisible();
  await openMenu(ben);
  await expectInView(ben.getByRole('menuitem', { name: 'Reopen (0/2 votes)' }));
});

test('a member proposes a tag, and a moderator makes it a synonym, rejects another by keyboard, and approves a third', async ({
  page,
  browser,
}) => {
  await askQuestion(page.request, { title: 'Which flour?', tags: ['flour', 'sourdough'] }, community.address);
  await changeSettings(page.request, community, { tagCreation: 'moderators' });

  const own = await browser.newContext();
  const author = await own.newPage();
  await registerMember(author.request, newMember('Nora New'), community.address);
  await author.goto(`${community.address}/ask`);
  await author.getByLabel('Title').fill('How do I feed it?');
  await author.getByLabel('Details').fill('Every day?');
  await author.getByLabel('Tags').fill('flour, sour-dough, rye');
  await propose(author, 'sour-dough', 'It is alive.');
  // What is typed stays when the page is left.
  await author.getByRole('button', { name: 'Propose “rye”' }).click();
  await expect(author.getByText('Draft saved')).toBeVisible();
  await author.reload();
  await expect(reasonOf(author, 'sour-dough')).toHaveValue('It is alive.');
  await author
    .getByRole('group', { name: 'Proposed tag: “rye”' })
    .getByRole('button', { name: "Don't propose" })
    .click();
  await expect(author.getByLabel('Tags')).toBeFocused();
  await propose(author, 'rye', 'Many questions are about it.');
  await expectAccessible(author, { look: 'proposed tags' });
  await author.getByRole('button', { name: 'Post Question' }).click();
  await expectInView(author.getByText('Posted. Moderators will decide about “sour-dough”, “rye”.'));
  const tags = author
    .getByRole('main')
    .getByRole('article')
    .first()
    .getByRole('link', { name: /^(flour|sourdough|rye|bran)$/ });
  await expect(tags).toHaveText(['flour']);
  await author.getByRole('button', { name: 'Edit' }).first().click();
  await author.getByLabel('Tags').fill('flour, bran');
  await propose(author, 'bran', '');
  await author.getByRole('button', { name: 'Save', exact: true }).click();
  await expectInView(author.getByText('Posted. Moderators will decide about “bran”.'));

  await page.goto(`${community.address}/moderation?cause=tag_proposal`);
  await waitForHydration(page);
  await expect(page.getByLabel('Show')).toHaveValue('tag_proposal');
  await expect(page.getByLabel('Show').getByRole('option', { name: 'Proposed topics (3)' })).toHaveCount(1);
  const entry = (name: string) => page.getByRole('article', { name: `Proposed topic “${name}”` });
  await expect(entry('sour-dough')).toContainText('It is alive.');
  await expect(entry('sour-dough').getByRole('link', { name: 'How do I feed it?' })).toBeVisible();
  await expect(entry('sour-dough').getByRole('link', { name: 'sourdough', exact: true })).toBeVisible();
  await expectAccessible(page, { look: 'proposed topics' });
  const dialog = page.getByRole('dialog');
  await entry('sour-dough').getByRole('button', { name: 'Make it another name' }).click();
  await expect(dialog.getByLabel('Existing topic')).toHaveValue('sourdough');
  await expectInViewAtBothSizes(dialog);
  await expectAccessible(page, { look: 'deciding about a proposed topic' });
  await dialog.getByRole('button', { name: 'Make it another name' }).click();
  await expect(entry('sour-dough')).toHaveCount(0);
  // A dialog that closes moves the focus.
  await expect(dialog).toHaveCount(0);
  await entry('rye').focus();
  await page.keyboard.press('r');
  await dialog.getByRole('button', { name: 'Reject', exact: true }).click();
  await expect(dialog).toContainText('Enter a reason');
  await dialog.getByLabel('Reason (public)').fill('“flour” is enough.');
  await dialog.getByRole('button', { name: 'Reject', exact: true }).click();
  await expect(entry('rye')).toHaveCount(0);
  await entry('bran').getByRole('button', { name: 'Approve' }).click();
  await dialog.getByRole('button', { name: 'Approve' }).click();
  await expect(entry('bran')).toHaveCount(0);
  await expectInView(page.getByText('Nothing to review'));

  // The open page of the author.
  await expect(tags).toHaveText(['flour', 'sourdough', 'bran']);
  const notice = author.getByRole('dialog', { name: 'Message from the moderators' });
  await expect(notice).toBeVisible();
  await author.reload();
  await expect(notice).toContainText(
    '“sour-dough”, which you proposed, is now another name of the topic “sourdough”.',
  );
  await expect(notice).toContainText('The topic “rye” that you proposed was not created.');
  await expect(notice).toContainText('“flour” is enough.');
  await expect(notice).toContainText('The topic “bran” that you proposed exists now.');
  await expectAccessible(author, { look: 'message about proposed topics' });
  await own.close();
});

test('a setting that could not be saved has its error below its description, announced as an alert', async ({
  page,
  context,
}) => {
  await page.goto(`${community.address}/admin/settings`);
  await waitForHydration(page);
  const fieldOf = (control: Locator) => page.locator('form').filter({ has: control });
  const minimum = page.getByLabel('Reputation for new topics');
  await minimum.fill('');
  await fieldOf(minimum).getByRole('button', { name: 'Save' }).click();
  await expect(fieldOf(minimum).getByRole('alert')).toBeVisible();
  await context.setOffline(true);
  const formulas = page.getByLabel('Formulas', { exact: true });
  await formulas.click();
  const joining = page.getByLabel('Who may join');
  await joining.selectOption('approval');
  for (const [control, description] of [
    [formulas, /in the notation of LaTeX/u],
    [joining, /Who may register/u],
  ] as const) {
    await expect(fieldOf(control).getByRole('alert')).toBeVisible();
    await expect(control).toHaveAccessibleDescription(description);
    await expect(control).toHaveAttribute('aria-invalid', 'true');
  }
  await expect(formulas).not.toBeChecked();
  await expect(joining).toHaveValue('open');
});

const reasonOf = (page: Page, tag: string) =>
  page.getByRole('group', { name: `Proposed tag: “${tag}”` }).getByLabel('Why is this tag needed?');

/** Proposes a typed tag. The field for the reason then has the focus. */
async function propose(page: Page, tag: string, reason: string): Promise<void> {
  await page.getByRole('button', { name: `Propose “${tag}”` }).click();
  await expect(reasonOf(page, tag)).toBeFocused();
  await reasonOf(page, tag).fill(reason);
}
