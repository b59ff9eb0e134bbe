import type { APIRequestContext, Page } from '@playwright/test';
import { button } from './posts.ts';

export const queuedAnswer = (page: Page) =>
  page.getByRole('article', { name: 'Answer waiting to be posted' });
export const queuedReply = (page: Page) => page.getByRole('article', { name: 'Reply waiting to be posted' });
export const answersBy = (page: Page, name: string) =>
  page.getByRole('article', { name: `Answer by ${name}` });
export const offlineBanner = (page: Page) => page.getByText('You are offline.');

/** The texts of all answers on the server. */
export async function getAnswerTexts(request: APIRequestContext, questionId: number): Promise<string[]> {
  const response = await request.get(`/api/questions/${questionId}`);
  const { answers } = (await response.json()) as { answers: { items: { content: string }[] } };
  return answers.items.map(({ content }) => content);
}

export async function writeAnswer(page: Page, text: string): Promise<void> {
  await page.getByLabel('Your answer').fill(text);
  await button(page, 'Post Answer').click();
}

/** API requests get no response; pages and scripts still load. Returns a function that ends this. */
export async function blockApi(page: Page): Promise<() => Promise<void>> {
  await page.routeWebSocket('**/api/live/**', (socket) => socket.close());
  await page.route('**/api/**', (route) => route.abort('connectionrefused'));
  const whole = await withoutInlinedResponses(page);
  return async () => {
    await whole();
    await page.unroute('**/api/**');
  };
}

/** Serves pages without inlined API responses, as the service worker does. Returns a function that ends this. */
export async function withoutInlinedResponses(page: Page): Promise<() => Promise<void>> {
  const matches = () => true;
  await page.route(matches, async (route) => {
    const request = route.request();
    if (request.resourceType() !== 'document') return route.fallback();
    // Sends no cookies, so the response has no inlined data.
    const shell = await fetch(request.url());
    const headers = Object.fromEntries(shell.headers);
    delete headers['content-encoding'];
    return route.fulfill({ status: shell.status, headers, body: await shell.text() });
  });
  return () => page.unroute(matches);
}
