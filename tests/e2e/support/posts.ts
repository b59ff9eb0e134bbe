import {
  type APIRequestContext,
  type Browser,
  type BrowserContext,
  expect,
  type Page,
  test,
} from '@playwright/test';
import { waitForTexts } from './hydration.ts';
import { askQuestion, type Member, newMember, registerMember } from './members.ts';
import { visit } from './visit.ts';

/** The contexts that `secondMember` opened, each with its test. */
let opened: { context: BrowserContext; testId: string }[] = [];

/**
 * Registers a member with a page on the other node, so that their actions reach the page of the test through the
 * database. A later call closes the pages of earlier tests, which would show what all other tests post. `staysOpen`:
 * not the page of this call.
 */
export async function secondMember(
  browser: Browser,
  displayName: string,
  { staysOpen = false }: { staysOpen?: boolean } = {},
): Promise<{ page: Page; member: Member }> {
  const { testId } = test.info();
  const left = opened.filter((each) => each.testId !== testId);
  opened = opened.filter((each) => each.testId === testId);
  await Promise.all(left.map(({ context }) => context.close()));
  const context = await browser.newContext({ baseURL: getSecondNodeAddress() });
  if (!staysOpen) opened.push({ context, testId });
  const page = await context.newPage();
  const member = await registerMember(page.request, newMember(displayName));
  return { page, member };
}

/** The address of the second node, on the same database as the default node. */
export function getSecondNodeAddress(): string {
  const address = process.env['PARLEY_E2E_SECOND_ADDRESS'];
  if (address === undefined) throw new Error('the run has no second node');
  return address;
}

export const uniqueText = (text: string) => `${text} ${Date.now()}-${Math.random().toString(36).slice(2, 8)}`;

/** A word that no other test uses. */
export const uniqueWord = (start: string) =>
  `${start}${Date.now().toString(36)}${Math.random().toString(36).slice(2, 8)}`;

export const question = (page: Page, title: string) => page.getByRole('article', { name: title });

/** Asks as the signed-in member of the page and opens the question. Returns its id. */
export async function askAndOpen(page: Page, title: string, content?: string): Promise<number> {
  const id = await askQuestion(page.request, { title, ...(content !== undefined && { content }) });
  await visit(page, `/question/${id}`);
  await waitForTexts(page);
  await expect(page.getByRole('heading', { name: title, level: 1 })).toBeVisible();
  return id;
}

/** Posts an answer over the API as the signed-in member. Returns its id. */
export function postAnswer(
  request: APIRequestContext,
  questionId: number,
  content = 'Look at it from the other side.',
): Promise<number> {
  return post(request, `/api/questions/${questionId}/answers`, { content });
}

/** Posts a reply over the API to an answer, or to another reply. Returns its id. */
export function postReply(
  request: APIRequestContext,
  answerId: number,
  content: string,
  parentReplyId: number | null = null,
): Promise<number> {
  return post(request, `/api/answers/${answerId}/replies`, { content, parentReplyId });
}

/** Upvotes a question over the API. */
export function upvote(request: APIRequestContext, questionId: number): Promise<void> {
  return put(request, `/api/questions/${questionId}/vote`, { vote: 'up' });
}

/** Follows a tag over the API. */
export function followTag(request: APIRequestContext, tag: string): Promise<void> {
  return put(request, `/api/tags/${encodeURIComponent(tag)}/follow`, { following: true });
}

async function put(request: APIRequestContext, path: string, data: object): Promise<void> {
  const response = await request.put(path, { data });
  expect(response.status(), await response.text()).toBe(200);
}

async function post(request: APIRequestContext, path: string, data: object): Promise<number> {
  const response = await request.post(path, { data });
  expect(response.status(), await response.text()).toBe(201);
  const { id } = (await response.json()) as { id: number };
  return id;
}

/** Blocks live updates of a page, so that it learns of changes only from its own requests. */
export async function withoutLiveUpdates(page: Page): Promise<void> {
  await page.routeWebSocket('**/api/live/**', (socket) => socket.close());
}

/** The button with exactly this name, or with a name that matches. */
export const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });

/** The address of a question's page, with or without its readable part. `rest`: query and fragment. */
export function questionUrl(id: number | string, rest = ''): RegExp {
  return new RegExp(`/question/${id}(/[^/?#]+)?${rest.replace('?', String.raw`\?`)}$`, 'u');
}
