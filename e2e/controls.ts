import type { Page } from '@playwright/test';

/** The button with exactly that name, or one that matches. */
export const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
