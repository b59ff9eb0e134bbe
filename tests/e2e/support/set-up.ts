import { expect, type APIRequestContext, type Page } from '@playwright/test';
import { signToken } from '#server/core/signed-tokens.ts';
import type { SettingValues } from '#shared/core/setting-catalogue.ts';
import { type Community, startCommunity } from './community.ts';
import { waitForHydration } from './hydration.ts';
import { expectInView } from './in-view.ts';

/**
 * Starts a community and sets it up over the API. The given page, which is still empty, is then that of its admin, Olga
 * Owner.
 * @param joining who may join
 * @param env further settings of the server
 */
export async function startCommunityWithOwner(
  { request }: { request: APIRequestContext },
  {
    joining = 'open',
    env = {},
  }: { joining?: 'open' | 'approval' | 'invitation'; env?: Record<string, string> } = {},
): Promise<Community> {
  const secret = 'the secret of a community of bakers';
  const community = await startCommunity({ env: { SECRET: secret, ...env } });
  try {
    const response = await request.post(`${community.address}/api/setup`, {
      data: {
        token: signToken({ secret, purpose: 'setup' }, 'setup'),
        siteName: 'Baking',
        siteDescription: '',
        joining,
        publicReading: true,
        account: { displayName: 'Olga Owner', email: 'olga@example.org', password },
      },
    });
    expect(response.status(), await response.text()).toBe(201);
    return community;
  } catch (error) {
    await community.remove();
    throw error;
  }
}

/** Changes site settings over the API, as the admin who is signed in with `request`. */
export async function changeSettings(
  request: APIRequestContext,
  { address }: Community,
  values: Partial<SettingValues>,
): Promise<void> {
  for (const [name, value] of Object.entries(values)) {
    const response = await request.put(`${address}/api/admin/settings/${name}`, { data: { value } });
    expect(response.status(), await response.text()).toBe(204);
  }
}

const password = 'bread and butter 7';

/** Fills in the form for a new account. */
export async function fillInAccount(page: Page, { name, email }: { name: string; email: string }) {
  await page.getByLabel('Full name').fill(name);
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByLabel('Confirm password').fill(password);
}

/** Opens a further page of admins from the site settings. */
export async function openAdminPage(page: Page, name: string) {
  await waitForHydration(page);
  await page.getByRole('button', { name: 'Administration', exact: true }).click();
  const entry = page.getByRole('menuitem', { name, exact: true });
  await expectInView(entry);
  await entry.click();
}
