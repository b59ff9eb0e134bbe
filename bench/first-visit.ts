import os from 'node:os';
import { type Browser, type BrowserContext, chromium, type Page } from '@playwright/test';
import { register } from '../e2e/members.ts';
import { newCommunity } from '../e2e/parley.ts';

const help = `bench/first-visit.ts [rounds]

What a signed-in member's browser does on a first visit, with nothing in its cache, to the home page and to a question of
the demo community, served by a server of its own as shipped: bytes of JavaScript and style sheets on the wire,
requests before the first question shows; with the processor slowed 4 times, on a fast 3G network: time to the content,
longest task, layout shift; and from the press of a button to the next picture: a vote, and the way to a question.
Medians and the worst over the rounds (5). PARLEY_CHROMIUM names the browser's program.`;

/** As Chromium's developer tools have "Fast 3G": milliseconds, and bytes a second. */
const fast3G = { latency: 562.5, downloadThroughput: 180_000, uploadThroughput: 84_375, offline: false };
const slowdown = 4;

export type FirstVisit = {
  page: string;
  /** Of JavaScript and style sheets, as they came over the wire without headers, until the page is idle. */
  programBytes: number;
  /** The same, of those that were asked for before the content showed. */
  programBytesBeforeContent: number;
  /** The page itself included. */
  requestsBeforeContent: number;
  apiRequestsBeforeContent: number;
};

export type SlowVisit = {
  page: string;
  contentMs: number;
  longestTaskMs: number;
  layoutShift: number;
};

/** Milliseconds from the input to the next picture, as the browser's Event Timing has it (in steps of 8). */
export type Presses = { vote: number; navigation: number };

if (import.meta.main) {
  if (process.argv.includes('--help')) console.log(help);
  else await main(Number(process.argv[2] ?? 5));
}

async function main(rounds: number): Promise<void> {
  const program = process.env['PARLEY_CHROMIUM'];
  const browser = await chromium.launch(program === undefined ? {} : { executablePath: program });
  const community = await newCommunity({ demo: true });
  try {
    const { fast, slow, presses } = await measureFirstVisits(browser, community.address, rounds);
    for (const figures of [fast, slow, [presses]]) console.table(figures);
    console.log(`${os.cpus().length} cores, ${os.cpus()[0]?.model ?? 'unknown'}, ${rounds} rounds`);
  } finally {
    await browser.close();
    await community.remove();
  }
}

/** @param address of a server whose home page shows a question. Registers one member there. */
export async function measureFirstVisits(
  browser: Browser,
  address: string,
  rounds: number,
): Promise<{ fast: FirstVisit[]; slow: SlowVisit[]; presses: Presses }> {
  const member = await browser.newContext({ baseURL: address });
  await register(member.request);
  const state = await member.storageState();
  const question = await firstQuestion(member);
  await member.close();
  const open = () => browser.newContext({ baseURL: address, storageState: state, serviceWorkers: 'block' });

  const fast: FirstVisit[] = [];
  const slow: SlowVisit[] = [];
  for (const page of ['/', question]) {
    fast.push(await visit(await open(), page));
    const visits: SlowVisit[] = [];
    for (let round = 0; round < rounds; round++) visits.push(await slowVisit(await open(), page));
    slow.push({
      page,
      contentMs: median(visits.map(({ contentMs }) => contentMs)),
      // The worst: the target holds for every visit.
      longestTaskMs: Math.max(...visits.map(({ longestTaskMs }) => longestTaskMs)),
      layoutShift: Math.max(...visits.map(({ layoutShift }) => layoutShift)),
    });
  }
  const presses: Presses[] = [];
  for (let round = 0; round < rounds; round++) presses.push(await press(await open(), question));
  return {
    fast,
    slow,
    presses: {
      vote: median(presses.map(({ vote }) => vote)),
      navigation: median(presses.map(({ navigation }) => navigation)),
    },
  };
}

async function firstQuestion(context: BrowserContext): Promise<string> {
  const page = await context.newPage();
  await page.goto('/');
  const href = await page.locator('main article h2 a').first().getAttribute('href');
  if (href === null) throw new Error('The home page shows no question.');
  return href;
}

async function visit(context: BrowserContext, path: string): Promise<FirstVisit> {
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
    page: kindOf(path),
    programBytes: sum(programs.map(([, size]) => size)),
    programBytesBeforeContent: sum(programs.filter(([url]) => early.has(url)).map(([, size]) => size)),
    // The page itself is no resource.
    requestsBeforeContent: before.length + 1,
    apiRequestsBeforeContent: before.filter(({ url }) => new URL(url).pathname.startsWith('/api/')).length,
  };
}

async function slowVisit(context: BrowserContext, path: string): Promise<SlowVisit> {
  const page = await observed(context);
  const devtools = await context.newCDPSession(page);
  await devtools.send('Network.enable');
  await devtools.send('Network.emulateNetworkConditions', fast3G);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
  await page.goto(path);
  await idle(page);
  const { contentAt, longestTask, layoutShift } = await seen(page);
  await context.close();
  return {
    page: kindOf(path),
    contentMs: Math.round(contentAt),
    longestTaskMs: Math.round(longestTask),
    layoutShift: Number(layoutShift.toFixed(4)),
  };
}

async function press(context: BrowserContext, question: string): Promise<Presses> {
  const page = await observed(context);
  await page.goto('/');
  await idle(page);
  const link = page.locator(`main article h2 a[href="${question}"]`);
  // As people do: what is pointed at is fetched.
  await link.hover();
  await page.waitForLoadState('networkidle');
  const navigation = await timed(page, () => link.click(), page.getByLabel('Your answer'));
  await idle(page);
  const vote = page.locator('#question').getByRole('button', { name: /^Upvote/u });
  // The vote of an earlier round is taken back.
  const pressed = (await vote.getAttribute('aria-pressed')) !== 'true';
  const voted = page.locator('#question').getByRole('button', { name: /^Upvote/u, pressed });
  const upvote = await timed(page, () => vote.click(), voted);
  await context.close();
  return { vote: upvote, navigation };
}

async function timed(
  page: Page,
  act: () => Promise<void>,
  shown: ReturnType<Page['locator']>,
): Promise<number> {
  await page.evaluate(() => (window.seenByBench.longestPress = 0));
  await act();
  await shown.waitFor();
  await page.waitForFunction(() => window.seenByBench.longestPress > 0);
  return page.evaluate(() => window.seenByBench.longestPress);
}

type Seen = { contentAt: number; longestTask: number; layoutShift: number; longestPress: number };
declare global {
  interface Window {
    seenByBench: Seen;
  }
}

/** A page that notes what happens in it from its beginning. */
async function observed(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  await page.addInitScript(() => {
    const seen: Seen = { contentAt: Infinity, longestTask: 0, layoutShift: 0, longestPress: 0 };
    window.seenByBench = seen;
    const note = (type: string, each: (entry: PerformanceEntry) => void, options: object = {}) =>
      new PerformanceObserver((list) => list.getEntries().forEach(each)).observe({
        type,
        buffered: true,
        ...options,
      });
    note('longtask', ({ duration }) => (seen.longestTask = Math.max(seen.longestTask, duration)));
    note('layout-shift', (entry) => {
      const { value, hadRecentInput } = entry as PerformanceEntry & {
        value: number;
        hadRecentInput: boolean;
      };
      if (!hadRecentInput) seen.layoutShift += value;
    });
    note(
      'event',
      ({ name, duration }) => {
        if (name === 'click') seen.longestPress = Math.max(seen.longestPress, duration);
      },
      { durationThreshold: 0 },
    );
    const content = new MutationObserver(() => {
      if (document.querySelector('main article') === null) return;
      seen.contentAt = performance.now();
      content.disconnect();
    });
    content.observe(document, { childList: true, subtree: true });
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

/** The bytes of each script and style sheet, by address. */
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

function kindOf(path: string): string {
  return path === '/' ? 'home' : 'question';
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
