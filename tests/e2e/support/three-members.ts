import { expect, type APIRequestContext, type Browser, type Page } from '@playwright/test';
import { registerMember, newMember } from './members.ts';
import { secondMember } from './posts.ts';

/** A member with a page. Ada is on one node, Ben and Cleo are on the other. */
export type MemberPage = { page: Page; request: APIRequestContext; id: number };
export type ThreeMembers = { ada: MemberPage; ben: MemberPage; cleo: MemberPage; close: () => Promise<void> };

/** Opens three members on two nodes, for all tests of a file. */
export async function openThreeMembers(browser: Browser): Promise<ThreeMembers> {
  const context = await browser.newContext();
  const adaPage = await context.newPage();
  await registerMember(adaPage.request, newMember('Ada'));
  const others = [
    await secondMember(browser, 'Ben', { staysOpen: true }),
    await secondMember(browser, 'Cleo', { staysOpen: true }),
  ] as const;
  const [ada, ben, cleo] = [
    await openMemberPage(adaPage),
    await openMemberPage(others[0].page),
    await openMemberPage(others[1].page),
  ] as const;
  const close = async () => {
    for (const { page } of [ada, ben, cleo]) await page.context().close();
  };
  return { ada, ben, cleo, close };
}

/** Cuts the network of a page, and of its member's other pages, during `work`. */
export async function whileOffline(page: Page, work: () => Promise<unknown>): Promise<void> {
  const banner = page.getByText('You are offline.');
  await page.context().setOffline(true);
  await expect(banner).toBeVisible();
  await work();
  await page.context().setOffline(false);
  await expect(banner).toBeHidden({ timeout: 20_000 });
}

/** A card or a post, by its name. */
export const article = (page: Page, name: string) => page.getByRole('article', { name, exact: true });

/** Sets a state over the API, such as a vote or a follow. */
export async function putState(request: APIRequestContext, path: string, data: object): Promise<void> {
  const response = await request.put(path, { data });
  expect(response.status(), await response.text()).toBeLessThan(300);
}

export async function deleteState(request: APIRequestContext, path: string): Promise<void> {
  const response = await request.delete(path);
  expect(response.status(), await response.text()).toBeLessThan(300);
}

async function openMemberPage(page: Page): Promise<MemberPage> {
  const session = await page.request.get('/api/session');
  const { member } = (await session.json()) as { member: { id: number } };
  return { page, request: page.request, id: member.id };
}
