import type { Page, Request } from '@playwright/test';
import { withoutInlinedResponses } from '#tests/e2e/support/offline-queue.ts';

/** The states of a screen, in addition to size and theme. */
export const states = ['loading', 'empty', 'full', 'extreme', 'failed'] as const;
export type State = (typeof states)[number];

export type Size = { name: string; width: number; height: number };

export const desktop: Size = { name: 'desktop', width: 1280, height: 800 };
export const phone: Size = { name: 'phone', width: 390, height: 844 };
/** The sizes to check; `--narrow` adds the smallest phone. */
export const sizes: readonly Size[] = [desktop, phone];
export const smallPhone: Size = { name: 'narrow', width: 320, height: 640 };

export const themes = ['light', 'dark'] as const;

/** Holds back or fails all data requests of the page, except the session request. */
export async function holdOrFailData(page: Page, state: State): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  if (state !== 'loading' && state !== 'failed') return;
  await withoutInlinedResponses(page);
  if (state === 'loading') await holdRequests(page, '/api/');
  if (state === 'failed') await failRequests(page, '/api/');
}

/** Requests whose path starts with `start` get no response. */
export function holdRequests(page: Page, start: string): Promise<unknown> {
  return page.route(matching(start), async (route) => {
    if (isSessionRequest(route.request())) await route.fallback();
  });
}

/** Requests whose path starts with `start` get a response with an error status. */
export function failRequests(page: Page, start: string, status = 500): Promise<unknown> {
  const body = JSON.stringify({ ...problemBody, status });
  return page.route(matching(start), (route) =>
    isSessionRequest(route.request())
      ? route.fallback()
      : route.fulfill({ status, contentType: 'application/problem+json', body }),
  );
}

const matching = (start: string) => (url: URL) => url.pathname.startsWith(start);

/** Every page first requests its session. Signing in is a request like any other. */
const isSessionRequest = (request: Request) =>
  request.method() === 'GET' && new URL(request.url()).pathname === '/api/session';

const problemBody = {
  type: 'about:blank',
  title: 'Something went wrong',
  kind: 'internal',
  detail: 'Something went wrong on our side. Please try again.',
  errorId: '0191f0a2-6f1c-7d5e-9a77-3f1a8ac0f00d',
};
