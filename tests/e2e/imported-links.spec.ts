import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { runCommand } from '#tests/support/command.ts';
import { registerMember, newMember } from './support/members.ts';
import { startCommunity, type Community } from './support/community.ts';

// One after the other: the tests share their community.
test.describe.configure({ mode: 'default' });

const post = (attributes: string) =>
  `<row ${attributes} CreationDate="2015-01-01T00:00:00" OwnerDisplayName="Ben" Score="0" />`;

/** The first question here has the id 1, which '#1' must not mean. */
const posts = `<posts>
${post('Id="7" PostTypeId="1" Title="Why is it bitter?" Tags="" Body="&lt;p&gt;#1 of my questions.&lt;/p&gt;&lt;p&gt;See &lt;a href=&quot;/a/9&quot;&gt;the answer&lt;/a&gt;.&lt;/p&gt;"')}
${post('Id="8" PostTypeId="1" Title="Why is it sweet?" Tags="" Body="&lt;p&gt;Another.&lt;/p&gt;"')}
${post('Id="9" PostTypeId="2" ParentId="8" Body="&lt;p&gt;Because of the malt.&lt;/p&gt;"')}
</posts>`;

let community: Community;
let archive: string;
test.beforeAll(async () => {
  test.setTimeout(120_000);
  archive = await mkdtemp(path.join(os.tmpdir(), 'parley-links-'));
  await writeFile(path.join(archive, 'Posts.xml'), posts);
  community = await startCommunity({ env: { IMPORTED_ADDRESSES: 'beer.stackexchange.com' } });
  await runCommand(
    community.dataDirectory,
    'import',
    'stackexchange',
    archive,
    '--site',
    'beer.stackexchange.com',
  );
});
test.afterAll(async () => {
  await community.remove();
  await rm(archive, { recursive: true });
});

test('a link between imported posts leads to the post here, and #1 is text', async ({ page }) => {
  const { address } = community;
  await registerMember(page.request, newMember('Ada'), address);
  await page.goto(`${address}/search?q=bitter`);
  await page.getByRole('link', { name: 'Why is it bitter?' }).click();
  const asked = page.getByRole('article', { name: 'Why is it bitter?' });
  await expect(asked.getByText('#1 of my questions.')).toBeVisible();
  await page.waitForLoadState('networkidle');
  await expect(asked.getByRole('link', { name: '#1' })).toHaveCount(0);
  await asked.getByRole('link', { name: 'the answer' }).click();
  await expect(page).toHaveURL(/\/question\/\d+(\/[^/?#]+)?#answer-\d+$/u);
  await expect(page.getByRole('article', { name: 'Answer by Ben' })).toContainText('Because of the malt.');
});

test('an old address leads a member to the imported post, and a visitor there after signing in', async ({
  page,
}) => {
  const { address } = community;
  const ben = newMember('Ben');
  await registerMember(page.request, ben, address);
  await page.goto(`${address}/questions/8/why-is-it-sweet/9`);
  await expect(page).toHaveURL(/\/question\/\d+(\/[^/?#]+)?#answer-\d+$/u);
  await page.context().clearCookies();
  await page.goto(`${address}/questions/7/why-is-it-bitter`);
  await expect(page).toHaveURL(/\/login\?next=/u);
  await page.getByLabel('Email').fill(ben.email);
  await page.getByLabel('Password', { exact: true }).fill(ben.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(page).toHaveURL(/\/question\/\d+(\/[^/?#]+)?$/u);
  await expect(page.getByRole('article', { name: 'Why is it bitter?' })).toBeVisible();
  await page.goto(`${address}/questions/12345`);
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible();
});
