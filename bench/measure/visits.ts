import type { BrowserContext, Page } from '@playwright/test';
import type { PageProbe, startBareBrowser } from './bare-browser.ts';

/** CPU throttling factor. */
export const slowdown = 4;

/** Opens a browser context with a signed-in member and an empty cache. */
export type OpenContext = () => Promise<BrowserContext>;

export type FirstVisit = {
  /** JavaScript and style sheets in transferred bytes without headers, until the page is idle. */
  programBytes: number;
  /** The same for files requested before the content was shown. */
  programBytesBeforeContent: number;
  /** Including the page itself. */
  requestsBeforeContent: number;
  apiRequestsBeforeContent: number;
};

/** `contentMs`: until the largest contentful paint. */
export type SlowVisit = { contentMs: number; longestTaskMs: number; layoutShift: number };

/** Milliseconds from the input to the next paint, by the Event Timing API (in steps of 8). */
export type Presses = { vote: number; navigation: number };

/** Measures the transfers of a first visit. */
export async function measureFirstVisit(open: OpenContext, path: string): Promise<FirstVisit> {
  const context = await open();
  const page = await observed(context);
  const bytes = await countPrograms(page);
  await page.goto(path);
  await idle(page);
  const { contentAt, requests } = await seen(page);
  const before = requests.filter(({ startedAt }) => startedAt < contentAt);
  const programs = [...bytes()];
  await context.close();
  const early = new Set(before.map(({ url }) => url));
  return {
    programBytes: sum(programs.map(([, size]) => size)),
    programBytesBeforeContent: sum(programs.filter(([url]) => early.has(url)).map(([, size]) => size)),
    // The page itself is not a resource entry.
    requestsBeforeContent: before.length + 1,
    apiRequestsBeforeContent: before.filter(({ url }) => new URL(url).pathname.startsWith('/api/')).length,
  };
}

/** Measures a first visit with a throttled CPU, in a browser without other commands. */
export async function measureSlowVisit(
  browser: Awaited<ReturnType<typeof startBareBrowser>>,
  { url, cookie }: Pick<PageProbe, 'url' | 'cookie'>,
): Promise<SlowVisit> {
  const visit = await browser.look({
    url,
    cookie,
    slowdown,
    ready: `document.querySelector('main article') !== null`,
    expression: `(${readPageMetrics.toString()})()`,
  });
  return visit as SlowVisit;
}

/** Runs in the page: reads the browser's performance entries. */
async function readPageMetrics(): Promise<SlowVisit> {
  const entriesOf = (type: string) =>
    new Promise<PerformanceEntry[]>((resolve) => {
      const all: PerformanceEntry[] = [];
      const observer = new PerformanceObserver((list) => all.push(...list.getEntries()));
      observer.observe({ type, buffered: true });
      setTimeout(() => resolve(all), 500);
    });
  const [tasks, paints, shifts] = await Promise.all(
    ['longtask', 'largest-contentful-paint', 'layout-shift'].map(entriesOf),
  );
  return {
    contentMs: paints?.at(-1)?.startTime ?? Number.NaN,
    longestTaskMs: Math.max(0, ...(tasks ?? []).map(({ duration }) => duration)),
    layoutShift: (shifts as (PerformanceEntry & { value: number; hadRecentInput: boolean })[])
      .filter(({ hadRecentInput }) => !hadRecentInput)
      .reduce((total, { value }) => total + value, 0),
  };
}

/**
 * Opens a question from a list, and votes on it.
 * @param question its URL
 */
export async function measurePresses(open: OpenContext, question: string): Promise<Presses> {
  const context = await open();
  const page = await observed(context);
  await page.goto('/');
  await idle(page);
  const link = page.locator(`main article h2 a[href="${question}"]`);
  // As people do: hovering prefetches the page.
  await link.hover();
  await page.waitForLoadState('networkidle');
  const navigation = await timed(page, () => link.click(), page.getByLabel('Your answer'));
  await idle(page);
  const vote = page.locator('#question').getByRole('button', { name: /^Upvote/u });
  // Removes the vote of an earlier round.
  const pressed = (await vote.getAttribute('aria-pressed')) !== 'true';
  const voted = page.locator('#question').getByRole('button', { name: /^Upvote/u, pressed });
  const upvote = await timed(page, () => vote.click(), voted);
  await context.close();
  return { vote: upvote, navigation };
}

async function timed(
  page: Page,
  act: () => Promise<void>,
  visible: ReturnType<Page['locator']>,
): Promise<number> {
  await page.evaluate(() => (window.seenByBench.longestPress = 0));
  await act();
  await visible.waitFor();
  await page.evaluate(painted);
  // The browser does not report interactions below 16 ms.
  return page.evaluate(() => Math.max(16, window.seenByBench.longestPress));
}

/** Runs in the page: waits until the current state is painted and reported. */
const painted = () =>
  new Promise<void>((resolve) =>
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve, 0))),
  );

type ObservedMetrics = { contentAt: number; longestPress: number };
declare global {
  interface Window {
    seenByBench: ObservedMetrics;
  }
}

/** A page that records its events from the start. */
async function observed(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  await page.addInitScript(() => {
    const seen: ObservedMetrics = { contentAt: Infinity, longestPress: 0 };
    window.seenByBench = seen;
    const note = (type: string, each: (entry: PerformanceEntry) => void, options: object = {}) =>
      new PerformanceObserver((list) => list.getEntries().forEach(each)).observe({
        type,
        buffered: true,
        ...options,
      });
    note(
      'event',
      ({ name, duration }) => {
        if (name === 'click') seen.longestPress = Math.max(seen.longestPress, duration);
      },
      { durationThreshold: 0 },
    );
    // Measured during insertion: an observer runs only after the rest of the task.
    const look = () => {
      if (seen.contentAt === Infinity && document.querySelector('main article') !== null)
        seen.contentAt = performance.now();
    };
    const { appendChild, insertBefore } = Object.getOwnPropertyDescriptors(Node.prototype);
    Node.prototype.appendChild = function append<Child extends Node>(this: Node, child: Child): Child {
      appendChild.value?.call(this, child);
      if (this.isConnected) look();
      return child;
    };
    Node.prototype.insertBefore = function insert<Child extends Node>(
      this: Node,
      child: Child,
      before: Node | null,
    ): Child {
      insertBefore.value?.call(this, child, before);
      if (this.isConnected) look();
      return child;
    };
  });
  return page;
}

async function seen(page: Page) {
  return page.evaluate(() => ({
    ...window.seenByBench,
    requests: performance
      .getEntriesByType('resource')
      .map(({ name, startTime }) => ({ url: name, startedAt: startTime })),
  }));
}

async function idle(page: Page): Promise<void> {
  await page.locator('main article').first().waitFor({ timeout: 60_000 });
  await page.waitForLoadState('networkidle');
}

/** Counts the bytes of each script and style sheet, by URL. */
async function countPrograms(page: Page): Promise<() => Map<string, number>> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Network.enable');
  const programs = new Map<string, { url: string; headers: number }>();
  const sizes = new Map<string, number>();
  devtools.on('Network.responseReceived', ({ requestId, type, response }) => {
    if (type === 'Script' || type === 'Stylesheet')
      programs.set(requestId, { url: response.url, headers: response.encodedDataLength });
  });
  devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const program = programs.get(requestId);
    if (program !== undefined) sizes.set(program.url, encodedDataLength - program.headers);
  });
  return () => sizes;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
