import { readFile } from 'node:fs/promises';
import { type APIRequestContext, type Browser, expect, type Page, test } from '@playwright/test';
import { signToken } from '#server/core/signed-tokens.ts';
import { createPngPicture } from '#tests/support/pictures.ts';
import { expectAccessible } from './support/accessibility.ts';
import { type Community, startCommunity } from './support/community.ts';
import { waitForHydration } from './support/hydration.ts';
import { expectInView } from './support/in-view.ts';
import { askQuestion, newMember, registerMember } from './support/members.ts';
import { fillInAccount } from './support/set-up.ts';
import { visit } from './support/visit.ts';

const spammers = 60;
const spamNetwork = '192.0.2.1';
const siteName = 'Sourdough Club';

/** What `npm start` prints a link with. */
const secret = 'the secret of a community of bakers';

test('a new owner gives a community its look, people and rules, and removes spam, in the browser alone', async ({
  page,
  browser,
}) => {
  // Registers 60 accounts, and the first count of the statistics begins up to a minute after the server.
  test.setTimeout(360_000);
  const community = await startCommunity({
    env: { SECRET: secret, TRUSTED_PROXIES: '1', ACCOUNTS_PER_NETWORK: '1000' },
  });
  try {
    await setUpCommunity(page, community);
    await uploadLogo(page, community);
    await postSpam(browser, community);
    await removeSpam(page, community);
    await requireInvitations(page, community);
    const [mona, nora, otto] = await inviteThree(page, browser, community);
    await makeModerator(page, { community, name: 'Mona Keeper' });
    await writeRules(page, community);
    const questionId = await askQuestion(
      nora.request,
      {
        title: 'How long does a rye loaf keep?',
        tags: ['sourdough'],
      },
      community.address,
    );
    await answerQuestion(otto, { community, questionId });
    await addSynonym(mona, community);
    await pinQuestion(page, { community, questionId });
    await seesEverything(nora, community);
    await downloadNumbers(page, community);
  } finally {
    await community.remove();
  }
});

async function setUpCommunity(page: Page, { address }: Community): Promise<void> {
  await page.goto(`${address}/setup#${signToken({ secret, purpose: 'setup' }, 'setup')}`);
  await page.getByLabel('Name of the community').fill(siteName);
  await page.getByLabel('Purpose, in one sentence').fill('Bread that needs time.');
  await fillInAccount(page, { name: 'Olga Owner', email: 'olga@example.org' });
  await page.getByRole('button', { name: 'Set up community' }).click();
  await expect(page.getByText('Your community is ready.')).toBeVisible();
}

async function openSiteSettings(page: Page, { address }: Community): Promise<void> {
  await visit(page, `${address}/`);
  await waitForHydration(page);
  await page.getByRole('button', { name: /account menu/iu }).click();
  await page.getByRole('menuitem', { name: 'Site settings' }).click();
  await expect(page.getByRole('heading', { name: 'Site settings' })).toBeVisible();
}

async function uploadLogo(page: Page, community: Community): Promise<void> {
  await openSiteSettings(page, community);
  const logo = page.getByRole('group', { name: 'Logo' });
  await logo.locator('input[type="file"]').setInputFiles({
    name: 'logo.png',
    mimeType: 'image/png',
    buffer: Buffer.from(createPngPicture()),
  });
  await expect(logo.getByRole('button', { name: 'Change picture' })).toBeVisible();
  const link = page.getByRole('banner').getByRole('link', { name: siteName });
  await expectInView(link.locator('img'));
}

/** Accounts of one network that ask a question each, with a link. */
async function postSpam(browser: Browser, { address }: Community): Promise<void> {
  const context = await browser.newContext({
    baseURL: address,
    extraHTTPHeaders: { 'x-forwarded-for': spamNetwork },
  });
  for (let n = 1; n <= spammers; n++) {
    await registerMember(context.request, newMember(`Watches ${n}`));
    const question = {
      title: `Cheap watches here, offer ${n}?`,
      content: `See https://watches.example/${n}`,
    };
    await askQuestion(context.request, question);
  }
  await context.close();
}

async function removeSpam(page: Page, { address }: Community): Promise<void> {
  await visit(page, `${address}/?tab=recent`);
  await expect(page.getByRole('link', { name: /Cheap watches/u }).first()).toBeVisible();
  await visit(page, `${address}/moderation/registrations`);
  await waitForHydration(page);
  const card = page.getByRole('article', { name: spamNetwork });
  await expect(card).toContainText(`${spammers} accounts`);
  await card.getByRole('button', { name: 'Remove all activity' }).click();
  const dialog = page.getByRole('dialog', { name: 'Remove all activity' });
  await expectInView(dialog);
  await expect(dialog.getByRole('list', { name: 'Preview' })).toContainText(
    `${spammers} accounts: ${spammers} questions`,
  );
  await dialog.getByLabel('Reason (public)').fill('Advertisements for watches.');
  await dialog.getByRole('button', { name: 'Remove all activity' }).click();
  const removal = page.getByRole('region', { name: 'Removed activity' }).getByRole('listitem');
  await expect(removal).toContainText('All activity is removed.', { timeout: 90_000 });
  await page.goto(`${address}/?tab=recent`);
  await expect(page.getByRole('heading', { name: 'Questions for you' })).toBeVisible();
  await expect(page.getByRole('link', { name: /Cheap watches/u })).toHaveCount(0);
}

async function requireInvitations(page: Page, community: Community): Promise<void> {
  await openSiteSettings(page, community);
  await page.getByLabel('Who may join').selectOption('People with an invitation');
  await expect(page.getByText('Saved to the moderation log').first()).toBeVisible();
}

/** Makes one link for three people, who register in browsers of their own. */
async function inviteThree(
  page: Page,
  browser: Browser,
  { address }: Community,
): Promise<[Page, Page, Page]> {
  await visit(page, `${address}/admin/invitations`);
  await waitForHydration(page);
  await expect(page.getByLabel('Uses')).toHaveValue('1');
  await page.getByLabel('Uses').fill('3');
  await page.getByRole('button', { name: 'Create invitation' }).click();
  await expectInView(page.getByLabel('Link of the invitation'));
  const link = await page.getByLabel('Link of the invitation').inputValue();
  await expectAccessible(page, { look: 'invitations' });
  const names = ['Mona Keeper', 'Nora Newman', 'Otto Baker'] as const;
  const text = `Olga Owner invites you to join ${siteName}.`;
  const join = async (name: (typeof names)[number]) => {
    const context = await browser.newContext();
    const guest = await context.newPage();
    if (name === names[0]) {
      await guest.goto(`${address}/register`);
      await expect(guest.getByText('You need an invitation to join.')).toBeVisible();
      await expect(guest.getByRole('button', { name: 'Create account' })).toBeHidden();
    }
    await guest.goto(link);
    await expect(guest.getByText(text)).toBeVisible();
    if (name === names[0]) {
      await guest.reload();
      await expect(guest.getByText(text)).toBeVisible();
      await guest.getByRole('link', { name: 'Sign in' }).click();
      await guest.getByRole('link', { name: 'Create an account' }).click();
      await expect(guest.getByText(text)).toBeVisible();
    }
    await waitForHydration(guest);
    await fillInAccount(guest, { name, email: `${name.split(' ')[0]?.toLowerCase()}@example.org` });
    await guest.getByRole('button', { name: 'Create account' }).click();
    await expect(guest).toHaveURL(`${address}/`);
    return guest;
  };
  const guests: [Page, Page, Page] = [await join(names[0]), await join(names[1]), await join(names[2])];
  await page.reload();
  const item = page.getByRole('list', { name: 'Invitations' }).getByRole('listitem');
  await expect(item).toContainText('Used up');
  for (const name of names) await expect(item.getByRole('link', { name })).toBeVisible();
  return guests;
}

async function makeModerator(
  page: Page,
  { community, name }: { community: Community; name: string },
): Promise<void> {
  await visit(page, `${community.address}/moderation/members`);
  await waitForHydration(page);
  await page.getByRole('searchbox', { name: 'Search members' }).fill(name);
  const list = page.getByRole('list', { name: 'Members' });
  await expect(list.getByRole('listitem')).toHaveCount(1);
  await list.getByRole('link', { name }).click();
  await page.getByLabel('Role').selectOption('Moderator');
  const change = page.getByRole('button', { name: 'Change role' });
  await change.scrollIntoViewIfNeeded();
  await expectInView(change);
  await change.click();
  await expect(page.getByText('Saved to the moderation log').first()).toBeVisible();
}

async function writeRules(page: Page, community: Community): Promise<void> {
  await openSiteSettings(page, community);
  await page.getByLabel('Page “Rules”').fill('## Be kind\n\nBread is for **everybody**.');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Saved to the moderation log').first()).toBeVisible();
}

async function answerQuestion(
  { request }: Page,
  { community, questionId }: { community: Community; questionId: number },
): Promise<void> {
  await expectCreated(request, `${community.address}/api/questions/${questionId}/answers`, {
    content: 'A week, in a linen bag.',
  });
}

async function expectCreated(request: APIRequestContext, url: string, data: object): Promise<void> {
  const response = await request.post(url, { data });
  expect(response.status(), await response.text()).toBe(201);
}

/** The new moderator makes another name for the tag. */
async function addSynonym(page: Page, { address }: Community): Promise<void> {
  await visit(page, `${address}/topics/sourdough`);
  await waitForHydration(page);
  await page.getByRole('link', { name: 'Edit topic' }).click();
  await page.getByLabel('Add a name').fill('levain');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Remove levain' })).toBeVisible();
}

async function pinQuestion(
  page: Page,
  { community, questionId }: { community: Community; questionId: number },
): Promise<void> {
  await visit(page, `${community.address}/question/${questionId}`);
  await waitForHydration(page);
  await page.getByRole('button', { name: 'More actions' }).first().click();
  await page.getByRole('menuitem', { name: 'Pin question' }).click();
  const dialog = page.getByRole('dialog', { name: 'Pin question' });
  await expectInView(dialog);
  await dialog.getByRole('button', { name: 'Pin question' }).click();
  await expect(page.getByText('Question pinned')).toBeVisible();
}

/** A member sees the pinned question, the rules and the other name of the tag. */
async function seesEverything(page: Page, { address }: Community): Promise<void> {
  await page.goto(address);
  const announcements = page.getByRole('list', { name: 'Announcements' });
  await expectInView(announcements.getByRole('link', { name: 'How long does a rye loaf keep?' }));
  await page.getByRole('link', { name: 'Rules' }).first().click();
  await expectInView(page.getByRole('heading', { name: 'Be kind' }));
  await page.goto(`${address}/topics/levain`);
  await expect(page).toHaveURL(`${address}/topics/sourdough`);
}

async function downloadNumbers(page: Page, { address }: Community): Promise<void> {
  await visit(page, `${address}/admin/statistics?unit=week`);
  await waitForHydration(page);
  const link = page.getByRole('link', { name: 'Download Statistics as CSV' });
  const readWeek = async () => {
    await expect(link).toBeVisible({ timeout: 90_000 });
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
    expect(download.suggestedFilename()).toBe('statistics-weeks.csv');
    const [head = '', ...lines] = (await readFile(await download.path(), 'utf8')).trim().split('\r\n');
    const values = lines.at(-1)?.split(',') ?? [];
    return Object.fromEntries(head.split(',').map((name, index) => [name, values[index]]));
  };
  // The spam does not count.
  await expect
    .poll(readWeek, { timeout: 150_000, intervals: [5_000] })
    .toMatchObject({ questions: '1', answers: '1' });
}
