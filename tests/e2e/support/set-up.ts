import { expect, type Page } from '@playwright/test';
import { signToken } from '#server/core/signed-tokens.ts';
import { type Community, startCommunity } from './community.ts';

/**
 * Starts a community and sets it up in the browser. The page is then that of its admin, Olga Owner.
 * @param fillIn makes further choices in the form
 * @param env further settings of the server
 */
export async function startCommunityWithOwner(
  page: Page,
  fillIn?: (page: Page) => Promise<unknown>,
  env: Record<string, string> = {},
): Promise<Community> {
  const secret = 'the secret of a community of bakers';
  const community = await startCommunity({ env: { SECRET: secret, ...env } });
  try {
    await setUp(page, { community, secret, fillIn });
    return community;
  } catch (error) {
    await community.remove();
    throw error;
  }
}

async function setUp(
  page: Page,
  {
    community,
    secret,
    fillIn,
  }: { community: Community; secret: string; fillIn: ((page: Page) => Promise<unknown>) | undefined },
): Promise<void> {
  await page.goto(`${community.address}/setup#${signToken({ secret, purpose: 'setup' }, 'setup')}`);
  await page.getByLabel('Name of the community').fill('Baking');
  await fillIn?.(page);
  await fillInAccount(page, { name: 'Olga Owner', email: 'olga@example.org' });
  await page.getByRole('button', { name: 'Set up community' }).click();
  await expect(page.getByText('Your community is ready.')).toBeVisible();
}

/** Fills in the form for a new account. */
export async function fillInAccount(page: Page, { name, email }: { name: string; email: string }) {
  await page.getByLabel('Full name').fill(name);
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByLabel('Password', { exact: true }).fill('bread and butter 7');
  await page.getByLabel('Confirm password').fill('bread and butter 7');
}
