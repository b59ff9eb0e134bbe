import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import pg from 'pg';
import { findRunningConnection } from '#server/postgres/embedded.ts';
import { runCommand } from '#tests/support/command.ts';
import { startOidcProvider } from '#tests/support/oidc-provider.ts';
import { expectAccessible } from './support/accessibility.ts';
import { answerRow, importArchive, questionRow, userRow } from './support/archive.ts';
import { type Community, startCommunity } from './support/community.ts';
import { waitForHydration } from './support/hydration.ts';
import { expectInView, expectInViewAtBothSizes } from './support/in-view.ts';
import { askQuestion, newMember, registerMember } from './support/members.ts';
import { startCommunityWithOwner } from './support/set-up.ts';
import { visit } from './support/visit.ts';

// One after the other: the tests share their community.
test.describe.configure({ mode: 'default' });

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
  await visit(page, `${community.address}/profile`);
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
    await moderator.keyboard.press('j');
    await expect(claim).toBeFocused();
    await claim.getByRole('button', { name: button }).click();
    const dialog = moderator.getByRole('dialog');
    await expectInViewAtBothSizes(dialog);
    await dialog.getByRole('textbox').fill(reason);
    await dialog.getByRole('button', { name: button }).click();
  }
});

test('a member claims a profile with the account at a provider that the old profile had', async ({
  page,
  browser,
}) => {
  // Starts its own server and provider.
  test.slow();
  const provider = await startOidcProvider();
  const { issuer, clientId, clientSecret } = provider.settings;
  const own = await startCommunityWithOwner(page);
  const visiting = await browser.newContext();
  try {
    const added = await page.request.post(`${own.address}/api/admin/sign-in-providers`, {
      data: {
        id: 'bakery',
        name: 'Bakery',
        issuer,
        clientId,
        clientSecret,
        scopes: 'openid email profile',
        trustsEmail: true,
      },
    });
    expect(added.status()).toBe(204);
    provider.registerClient(own.address, 'bakery');
    // Posts that are here keep the import from being a move, whose members have no profile to claim.
    await askQuestion(
      page.request,
      { title: 'Is anyone here?', content: 'Hello.', tags: ['hello'] },
      own.address,
    );
    await importForum(own, { issuer, subject: 'nora' });

    provider.become({ subject: 'nora', email: 'nora@example.net', email_verified: true, name: 'Nora Now' });
    const member = await visiting.newPage();
    await member.goto(`${own.address}/login`);
    await waitForHydration(member);
    await member.getByRole('button', { name: 'Continue with Bakery' }).click();
    await expect(member).toHaveURL(`${own.address}/`);
    await member.getByRole('link', { name: 'How long does rye rise?' }).first().click();
    await member.getByRole('link', { name: 'Old Nora', exact: true }).first().click();
    await member.getByRole('link', { name: 'Is this you? Claim this profile' }).click();
    const section = member.getByRole('region', { name: 'With your account at Bakery' });
    await expectInView(section.getByRole('heading'));
    await expectAccessible(member, { look: 'claim with an account at a provider' });
    await section.getByRole('button', { name: 'Claim the profile …' }).press('Enter');
    await expect(section.getByRole('button', { name: 'Cancel' })).toBeFocused();
    await section.getByRole('button', { name: 'Claim the profile', exact: true }).click();
    await expect(member.getByRole('heading', { name: 'This profile is yours now' })).toBeVisible();
    await expect(async () => {
      await member.goto(`${own.address}/profile`);
      await expect(member.getByRole('link', { name: 'How long does rye rise?' })).toBeVisible({
        timeout: 2_000,
      });
    }).toPass();
  } finally {
    await visiting.close();
    await own.remove();
    await provider.stop();
  }
});

/** Imports a forum with a question of Old Nora, whose profile had the account at the provider. */
async function importForum(into: Community, identity: { issuer: string; subject: string }): Promise<void> {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'parley-forum-'));
  const files = {
    members: { id: 1, name: 'Old Nora', identities: [identity] },
    questions: { id: 1, title: 'How long does rye rise?', content: 'Mine is flat.', authorId: 1 },
  };
  try {
    for (const [file, row] of Object.entries(files))
      await writeFile(path.join(directory, `${file}.jsonl`), `${JSON.stringify(row)}\n`);
    const options = ['--site', 'https://forum.example.org', '--license', 'CC BY 4.0'];
    await runCommand(into.dataDirectory, 'import', 'jsonl', directory, ...options);
  } finally {
    await rm(directory, { recursive: true });
  }
}
