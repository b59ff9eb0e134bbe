import { expect, type APIRequestContext, type Page, request } from '@playwright/test';
import type { MemberList } from '#shared/moderation/member-list.ts';

export type Member = { displayName: string; email: string; password: string };

let count = 0;

/** A member who is not registered yet; each call returns another one. */
export function newMember(displayName = 'Robin Page'): Member {
  count++;
  return {
    displayName,
    email: `m${process.pid}-${Date.now()}-${count}@example.org`,
    password: 'correct horse',
  };
}

/**
 * Registers a member over the API at `address`, by default the server of the run. Afterwards the cookies of `request`
 * hold the session.
 */
export async function registerMember(
  request: APIRequestContext,
  member = newMember(),
  address = '',
): Promise<Member> {
  const response = await request.post(`${address}/api/members`, { data: member });
  expect(response.status(), await response.text()).toBe(201);
  return member;
}

/** Makes a member a moderator or an admin, as the admin of the run. No later member can have a similar name. */
export async function makeModerator(email: string, role: 'moderator' | 'admin' = 'moderator'): Promise<void> {
  const admin = await request.newContext({
    baseURL: process.env['PARLEY_E2E_ADDRESS'] ?? '',
    storageState: JSON.parse(process.env['PARLEY_E2E_ADMIN'] ?? ''),
  });
  const found = await admin.get('/api/moderation/members', { params: { q: email } });
  expect(found.status(), await found.text()).toBe(200);
  const [member] = ((await found.json()) as MemberList).items;
  const changed = await admin.put(`/api/admin/members/${member?.id}/role`, {
    data: { role, password: newMember('').password },
  });
  expect(changed.status(), await changed.text()).toBe(204);
  await admin.dispose();
}

/** Asks a question over the API as the signed-in member. Returns its id. */
export async function askQuestion(
  request: APIRequestContext,
  question: { title: string; content?: string; tags?: string[] },
  address = '',
): Promise<number> {
  const data = { content: 'What is there to know about it?', tags: [], ...question };
  const response = await request.post(`${address}/api/questions`, { data });
  expect(response.status(), await response.text()).toBe(201);
  const { id } = (await response.json()) as { id: number };
  return id;
}

/**
 * Waits until the links of a sign-in page no longer move. Passkeys do not work at an IP address, so their button
 * disappears after hydration.
 */
export async function waitForSignInPage(page: Page): Promise<void> {
  await expect(page.getByRole('button', { name: 'Use a passkey' })).toHaveCount(0);
}

/** Fills in and submits the sign-in form. */
export async function signIn(
  page: Page,
  { email, password }: Pick<Member, 'email' | 'password'>,
): Promise<void> {
  await page.getByRole('textbox', { name: 'Email' }).fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Signs out with the account menu. */
export async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Account menu' }).click();
  await page.getByRole('menuitem', { name: 'Logout' }).click();
  await expect(page).toHaveURL('/login');
}
