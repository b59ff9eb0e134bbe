import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, type Page, test } from '@playwright/test';
import pg from 'pg';
import { findRunningConnection } from '#server/postgres/embedded.ts';
import { runCommand } from '#tests/support/command.ts';
import { expectAccessible } from './support/accessibility.ts';
import { answerRow, importArchive, questionRow, userRow } from './support/archive.ts';
import { type Community, startCommunity } from './support/community.ts';
import { expectInViewAtBothSizes } from './support/in-view.ts';
import { newMember, registerMember } from './support/members.ts';

const title = 'Why is this beer bitter?';

/** A stand-in of the old site, which serves the page of every profile with this text. */
let aboutMe = 'I brew.';
let oldSite: Server;
let community: Community;
let questionId: number;

test.beforeAll(async () => {
  test.setTimeout(120_000);
  oldSite = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(`<p>${aboutMe}</p>`);
  });
  await new Promise<void>((resolve) => oldSite.listen(0, '127.0.0.1', resolve));
  community = await startCommunity({ env: { WEBHOOK_HOSTS: '127.0.0.1' } });
  await importArchive(community, {
    site: 'beer.stackexchange.com',
    files: {
      Users: [userRow(5, 'Old Ada'), userRow(6, 'Old Ben'), userRow(7, 'Carla')],
      Posts: [
        questionRow(1, title, { OwnerUserId: 7 }),
        answerRow(2, 1, { OwnerUserId: 5 }),
        answerRow(3, 1, { OwnerUserId: 6, Body: '<p>Because of the malt.</p>' }),
      ],
    },
  });
  questionId = await giveAddressOfStandIn();
});
test.afterAll(async () => {
  await community.remove();
  oldSite.closeAllConnections();
  oldSite.close();
});

/** Gives the imported site the address of the stand-in. Returns the id of the question. */
async function giveAddressOfStandIn(): Promise<number> {
  const connection = await findRunningConnection(community.dataDirectory);
  if (connection === undefined) throw new Error('the community is not running');
  const client = new pg.Client(connection);
  await client.connect();
  const { port } = oldSite.address() as AddressInfo;
  await client.query('update import_source set site = $1', [`127.0.0.1:${port}`]);
  const { rows } = await client.query<{ id: string }>('select id from base_question');
  await client.end();
  return Number(rows[0]?.id);
}

const join = async (page: Page, name: string) => {
  const member = newMember(name);
  await registerMember(page.request, member, community.address);
  return member;
};

/** Opens the page for a claim from the answer of an author. */
async function openClaim(page: Page, author: string): Promise<void> {
  await page.goto(`${community.address}/question/${questionId}`);
  await page
    .getByRole('article', { name: `Answer by ${author}` })
    .getByRole('link', { name: author, exact: true })
    .first()
    .click();
  await page.getByRole('link', { name: 'Is this you? Claim this profile' }).click();
  await expect(page.getByRole('heading', { name: 'Claim a profile' })).toBeVisible();
}

/** The posts move in the background. */
async function expectAnswerBy(page: Page, name: string): Promise<void> {
  await expect(async () => {
    await page.goto(`${community.address}/question/${questionId}`);
    await expect(page.getByRole('article', { name: `Answer by ${name}` })).toBeVisible({ timeout: 2_000 });
  }).toPass();
}

test('a member claims a profile on a phone, with a text in the old profile', async ({ page }) => {
  test.slow();
  await page.setViewportSize({ width: 390, height: 844 });
  await join(page, 'Ada Now');
  await openClaim(page, 'Old Ada');
  await page.getByRole('button', { name: 'Get the text' }).click();
  const text = await page.getByText(/^parley-[\da-f]{24}$/u).innerText();
  await expectAccessible(page, { look: 'claim of a profile' });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  const check = page.getByRole('button', { name: 'Check now' });
  await check.click();
  await expect(page.getByRole('alert')).toContainText('does not show the text yet');
  aboutMe = `I brew. ${text}`;
  await check.click();
  await expect(page.getByRole('heading', { name: 'This profile is yours now' })).toBeVisible();
  await expectAnswerBy(page, 'Ada Now');
  const answer = page.getByRole('article', { name: 'Answer by Ada Now' });
  await expect(answer.getByText('Because of the hops.')).toBeVisible();
  await page.goto(`${community.address}/profile`);
  await expect(page.getByRole('list', { name: 'Statistics' })).toContainText('1 answer');
});

test('a member asks for a profile, and a moderator declines and then approves', async ({ page, browser }) => {
  test.slow();
  await join(page, 'Ben Now');
  const staff = await browser.newContext();
  try {
    const moderator = await staff.newPage();
    const { email } = await join(moderator, 'Olga');
    await runCommand(community.dataDirectory, 'member', 'role', email, 'moderator');
    await openClaim(page, 'Old Ben');
    const claimAddress = page.url();
    await ask('I was Ben there.');

    await decide(moderator, 'Decline', 'Please name the city of your old profile.');
    await expect(moderator.getByText('No claims')).toBeVisible();
    await page.goto(claimAddress);
    await expect(page.getByText('declined your request: Please name the city')).toBeVisible();
    await ask('Ghent.');

    await decide(moderator, 'Approve', 'Ghent is right.');
    await expect(moderator.getByText('No claims')).toBeVisible();
    await page.goto(claimAddress);
    await expect(page.getByText('It belongs to a member here, or was claimed already.')).toBeVisible();
    await expectAnswerBy(page, 'Ben Now');
  } finally {
    await staff.close();
  }

  async function ask(message: string): Promise<void> {
    await page.getByLabel('How can they know that it is you?').fill(message);
    await page.getByRole('button', { name: 'Ask the moderators' }).click();
    await expect(page.getByText('The moderators have your request.')).toBeVisible();
  }

  async function decide(moderator: Page, button: 'Approve' | 'Decline', reason: string): Promise<void> {
    await moderator.goto(`${community.address}/moderation/claims`);
    const claim = moderator.getByRole('article', { name: 'Claim of Ben Now' });
    await expect(claim).toContainText(/Old Ben.*1 post/su);
    await claim.getByRole('button', { name: button }).click();
    const dialog = moderator.getByRole('dialog');
    await expectInViewAtBothSizes(dialog);
    await dialog.getByRole('textbox').fill(reason);
    await dialog.getByRole('button', { name: button }).click();
  }
});
