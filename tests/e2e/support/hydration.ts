import { expect, type Page } from '@playwright/test';
import { renderedAtAttribute } from '#shared/core/protocol.ts';

/** Waits until a page that the server rendered handles keys. Presses and typed text are kept until then. */
export async function waitForHydration(page: Page): Promise<void> {
  await expect(page.locator(`#root[${renderedAtAttribute}]`)).toHaveCount(0);
}
