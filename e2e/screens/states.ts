import type { Page } from '@playwright/test';

/** What a screen can look like, beside size and theme. */
export const states = ['loading', 'empty', 'full', 'extreme', 'failed'] as const;
export type State = (typeof states)[number];

export type Size = { name: string; width: number; height: number };

/** The sizes of the brief; `--narrow` adds the smallest phone. */
export const sizes: readonly Size[] = [
  { name: 'desktop', width: 1280, height: 800 },
  { name: 'phone', width: 390, height: 844 },
];
export const narrow: Size = { name: 'narrow', width: 320, height: 640 };

/** Lets nothing of the page's data come, or lets all of it fail; what says who is signed in comes. */
export async function hold(page: Page, state: State): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  if (state !== 'loading' && state !== 'failed') return;
  await page.route(
    (url) => url.pathname.startsWith('/api/') && url.pathname !== '/api/session',
    (route) =>
      state === 'loading'
        ? new Promise(() => {})
        : route.fulfill({ status: 500, contentType: 'application/problem+json', body: broken }),
  );
}

const broken = JSON.stringify({
  type: 'about:blank',
  title: 'Something went wrong',
  status: 500,
  code: 'internal',
  detail: 'Something went wrong on our side. Please try again.',
  errorId: '0191f0a2-6f1c-7d5e-9a77-3f1a8ac0f00d',
});
