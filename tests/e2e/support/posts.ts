import { type APIRequestContext, type Browser, expect, type Page } from '@playwright/test';
import { askQuestion, type Member, newMember, registerMember } from './members.ts';

/**
 * A member with a page of their own, beside the one of the test: on the other node, where whatever they do reaches the
 * test's page through the database.
 */
export async function secondMember(
  browser: Browser,
  displayName: string,
): Promise<{ page: Page; member: Member }> {
  const context = await browser.newContext({ baseURL: getSecondNodeAddress() });
  const page = await context.newPage();
  const member = await registerMember(page.request, newMember(displayName));
  return { page, member };
}

/** The address of the second node, on the same database as the one the tests open by default. */
export function getSecondNodeAddress(): string {
  const address = process.env['PARLEY_E2E_SECOND_ADDRESS'];
  if (address === undefined) throw new Error('the run has no second node');
  return address;
}

export const uniqueText = (text: string) => `${text} ${Date.now()}-${Math.random().toString(36).slice(2, 8)}`;

/** One word that no other test writes. */
export const uniqueWord = (start: string) =>
  `${start}${Date.now().toString(36)}${Math.random().toString(36).slice(2, 8)}`;

export const question = (page: Page, title: string) => page.getByRole('article', { name: title });

/** Asks as whoever is signed in on the page, and opens the question. Returns its id. */
export async function askAndOpen(page: Page, title: string, content?: string): Promise<number> {
  const id = await askQuestion(page.request, { title, ...(content !== undefined && { content }) });
  await page.goto(`/question/${id}`);
  await expect(page.getByRole('heading', { name: title, level: 1 })).toBeVisible();
  return id;
}

/** Answers over the API as whoever is signed in. Returns the id. */
export function postAnswer(
  request: APIRequestContext,
  questionId: number,
  content = 'Look at it from the other side.',
): Promise<number> {
  return post(request, `/api/questions/${questionId}/answers`, { content });
}

/** Replies over the API to an answer, or to a reply below it. Returns the id. */
export function postReply(
  request: APIRequestContext,
  answerId: number,
  content: string,
  parentReplyId: number | null = null,
): Promise<number> {
  return post(request, `/api/answers/${answerId}/replies`, { content, parentReplyId });
}

/** Votes a question up over the API. */
export function upvote(request: APIRequestContext, questionId: number): Promise<void> {
  return put(request, `/api/questions/${questionId}/vote`, { vote: 'up' });
}

/** Follows a topic over the API. */
export function followTag(request: APIRequestContext, tag: string): Promise<void> {
  return put(request, `/api/topics/${encodeURIComponent(tag)}/follow`, { following: true });
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

/** Keeps live updates away from a page, so that it learns of something by what it asks itself. */
export async function withoutLiveUpdates(page: Page): Promise<void> {
  await page.routeWebSocket('**/api/live/**', (socket) => socket.close());
}

/** The button with exactly that name, or one that matches. */
export const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
