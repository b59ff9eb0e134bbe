import { expect, type Page } from '@playwright/test';
import { renderedAtAttribute } from '#shared/core/protocol.ts';

/** Waits until a page that the server rendered handles keys. Presses and typed text are kept until then. */
export async function waitForHydration(page: Page): Promise<void> {
  await expect(page.locator(`#root[${renderedAtAttribute}]`)).toHaveCount(0);
}

/**
 * Waits until the code that renders texts of members, and that of the forms and messages of a question page, is loaded
 * and has rendered the texts, which is after the page handles input. Until then a text can be rendered again, and a page
 * without a connection shows new texts as they were typed.
 */
export async function waitForTexts(page: Page): Promise<void> {
  await waitForHydration(page);
  await page.waitForFunction(() => {
    // A part is fetched before it is imported (src/web/core/load-part.ts).
    const loaded = performance
      .getEntriesByType('resource')
      .filter((entry) => entry instanceof PerformanceResourceTiming && entry.initiatorType !== 'fetch')
      .map(({ name }) => name);
    const wanted = location.pathname.startsWith('/question/')
      ? ['markdown', 'post-forms', 'dialogs', 'ConnectionBanner']
      : ['markdown', 'ConnectionBanner'];
    return wanted.every((chunk) => loaded.some((name) => name.includes(`/assets/${chunk}-`)));
  });
  // The code runs some time after it is loaded. React gives each element that it has rendered or hydrated a property.
  await page.waitForFunction(() => {
    const elements = [...document.querySelectorAll('main [class*="_text_"] > *')];
    return elements.every(
      (element) =>
        !element.className.includes('_fromServer_') &&
        Object.keys(element).some((key) => key.startsWith('__reactFiber$')),
    );
  });
}

/** Waits until the page can say that it is offline, which is after it handles input. */
export async function waitForConnectionBanner(page: Page): Promise<void> {
  await page.waitForFunction(() =>
    performance
      .getEntriesByType('resource')
      .some(
        (entry) =>
          entry instanceof PerformanceResourceTiming &&
          entry.initiatorType !== 'fetch' &&
          entry.name.includes('/assets/ConnectionBanner-'),
      ),
  );
}
