import { fork } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import os from 'node:os';
import { parseArgs } from 'node:util';
import { type Browser, type BrowserContextOptions, chromium, devices, type Page } from '@playwright/test';
import type { QuestionCardsDocument } from '#shared/posts/questions-document.ts';
import { startCommunity } from '#tests/e2e/support/community.ts';
import { renderedAtAttribute } from '#shared/core/protocol.ts';
import { registerMember } from '#tests/e2e/support/members.ts';
import { runCommand } from '#tests/support/command.ts';
import type { CannedResponses } from './measure/bare-http-server.ts';
import { runLoad } from './measure/community.ts';

const help = `bench/reading-pages.ts [--loads 5] [--rounds 5] [--seconds 3]

Measures question pages of the demo community with public reading, signed in and signed out:
- the largest contentful paint, the layout shift, and when the page handles input, in a browser with an empty cache: on a
  phone (processor slowed four times, 400 ms of latency, 1.6 Mbit/s) and at 1280 px (40 ms, 10 Mbit/s)
- signed-out pages per second from the cache, against a bare node:http server that writes the same bytes, in turn

PARLEY_CHROMIUM is the program of the browser. Measure on a quiet machine: the browser shares the processors.`;

const { values } = parseArgs({
  options: {
    loads: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    help: { type: 'boolean', default: false },
  },
});

/** Latency in ms, bytes per second, and the factor by which the processor is slowed. */
type Conditions = { latency: number; bytesPerSecond: number; slowdown: number };

const screens: Record<string, Conditions & { context: BrowserContextOptions }> = {
  'phone, slowed 4 times, 400 ms, 1.6 Mbit/s': {
    latency: 400,
    bytesPerSecond: 1_600_000 / 8,
    slowdown: 4,
    context: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true },
  },
  '1280 px, 40 ms, 10 Mbit/s': {
    latency: 40,
    bytesPerSecond: 10_000_000 / 8,
    slowdown: 1,
    context: { ...devices['Desktop Chrome'], viewport: { width: 1280, height: 800 } },
  },
};

/** Headers that node:http sets itself. */
const ofConnection = new Set(['date', 'connection', 'keep-alive', 'content-length', 'transfer-encoding']);

if (values.help) console.log(help);
else await main();

async function main(): Promise<void> {
  const community = await startCommunity({
    demo: true,
    cheapPasswords: false,
    env: { TRUSTED_PROXIES: '1' },
  });
  const program = process.env['PARLEY_CHROMIUM'];
  const browser = await chromium.launch(program === undefined ? {} : { executablePath: program });
  try {
    await runCommand(community.dataDirectory, 'settings', 'set', 'publicReading', 'true');
    const paths = await readQuestionPaths(community.address);
    if (Number(values.loads) > 0) await measureLoads(browser, community.address, paths);
    await measureCachedPages(community.address, paths);
    console.log(`\n${os.cpus().length} cores, ${os.cpus()[0]?.model ?? 'unknown'}`);
  } finally {
    await browser.close();
    await community.remove();
  }
}

/** The canonical addresses of the newest questions. */
async function readQuestionPaths(address: string): Promise<string[]> {
  const response = await fetch(`${address}/api/feeds/recent`);
  const { items } = (await response.json()) as QuestionCardsDocument;
  // A short address is redirected to the one with the slug.
  return Promise.all(
    items
      .slice(0, 10)
      .map(async ({ id }) => new URL((await fetch(`${address}/question/${id}`)).url).pathname),
  );
}

async function measureLoads(browser: Browser, address: string, paths: readonly string[]): Promise<void> {
  for (const [screen, { context: options, ...conditions }] of Object.entries(screens))
    for (const viewer of ['signed in', 'signed out']) {
      const visits: PageLoad[] = [];
      for (let load = 0; load < Number(values.loads); load++) {
        const context = await browser.newContext({ ...options, baseURL: address, serviceWorkers: 'block' });
        if (viewer === 'signed in') await registerMember(context.request);
        visits.push(await loadPage(await context.newPage(), paths[load % paths.length] ?? '/', conditions));
        await context.close();
      }
      const each = (name: keyof PageLoad) => visits.map((visit) => visit[name]);
      console.log(
        `${screen}, ${viewer}: largest contentful paint ${spread(each('contentMs'))} ms, ` +
          `handles input after ${spread(each('inputMs'))} ms, layout shift ${Math.max(...each('layoutShift')).toFixed(3)}`,
      );
    }
}

/** Milliseconds since the navigation began; `layoutShift` is the sum of all shifts without input. */
type PageLoad = { contentMs: number; inputMs: number; layoutShift: number };

async function loadPage(
  page: Page,
  path: string,
  { latency, bytesPerSecond, slowdown }: Conditions,
): Promise<PageLoad> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Network.enable');
  await devtools.send('Network.emulateNetworkConditions', {
    offline: false,
    latency,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: bytesPerSecond,
  });
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
  await page.addInitScript(noteHydration, renderedAtAttribute);
  await page.goto(path);
  const inputAt = await page.waitForFunction(() => window.inputAt, undefined, {
    polling: 100,
    timeout: 60_000,
  });
  await page.waitForLoadState('networkidle');
  return { inputMs: (await inputAt.jsonValue()) ?? Number.NaN, ...(await page.evaluate(readPaints)) };
}

declare global {
  interface Window {
    /** When the page began to handle input: its mark as rendered by the server is gone. */
    inputAt?: number;
  }
}

/** In the page, before its scripts. */
function noteHydration(attribute: string): void {
  new MutationObserver((_, observer) => {
    const root = document.getElementById('root');
    if (root === null || root.childElementCount === 0 || root.hasAttribute(attribute)) return;
    window.inputAt = performance.now();
    observer.disconnect();
  }).observe(document, { attributes: true, childList: true, subtree: true, attributeFilter: [attribute] });
}

/** In the page: reads the browser's performance entries. */
async function readPaints(): Promise<Omit<PageLoad, 'inputMs'>> {
  const read = (type: 'largest-contentful-paint' | 'layout-shift') =>
    new Promise<PerformanceEntry[]>((resolve) => {
      new PerformanceObserver((list) => resolve(list.getEntries())).observe({ type, buffered: true });
      setTimeout(() => resolve([]), 500);
    });
  const [paints, shifts] = await Promise.all([read('largest-contentful-paint'), read('layout-shift')]);
  return {
    contentMs: paints.at(-1)?.startTime ?? Number.NaN,
    layoutShift: (shifts as (PerformanceEntry & { value: number; hadRecentInput: boolean })[])
      .filter(({ hadRecentInput }) => !hadRecentInput)
      .reduce((total, { value }) => total + value, 0),
  };
}

async function measureCachedPages(address: string, paths: readonly string[]): Promise<void> {
  const bare = fork(new URL('measure/bare-http-server.ts', import.meta.url), { serialization: 'advanced' });
  try {
    bare.send(await readResponses(address, paths));
    const [barePort] = (await once(bare, 'message')) as [number];
    // So many networks that none reaches the limit of visitors.
    const requests = Array.from({ length: 50_000 }, (_, index) => ({
      method: 'GET' as const,
      path: paths[index % paths.length] ?? '/',
      member: 0,
      network: `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`,
    }));
    const order = {
      cookies: [],
      requests,
      from: 0,
      connections: 32,
      warmUp: 0.5,
      seconds: Number(values.seconds),
    };
    const rate = async (port: number) => {
      const { requests: count, seconds, refused } = await runLoad({ ...order, port });
      if (Object.keys(refused).length > 0) throw new Error(`Refused: ${JSON.stringify(refused)}`);
      return count / seconds;
    };
    const rates: [parley: number, bare: number][] = [];
    for (let round = 0; round < Number(values.rounds); round++)
      rates.push([await rate(Number(new URL(address).port)), await rate(barePort)]);
    console.log(
      `\nsigned-out pages from the cache: ${spread(rates.map(([parley]) => parley))} per second, bare node:http with the same ` +
        `bytes ${spread(rates.map(([, other]) => other))}, ratio ${spread(
          rates.map(([parley, other]) => parley / other),
          2,
        )}`,
    );
  } finally {
    bare.kill();
  }
}

/** Reads each page twice, so that it is cached. Uses node:http, since fetch decompresses responses. */
async function readResponses(address: string, paths: readonly string[]): Promise<CannedResponses> {
  const read = async (path: string) => {
    const request = http.get(`${address}${path}`, {
      headers: { 'accept-encoding': 'gzip, deflate, br, zstd' },
    });
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    const body = Buffer.concat(await response.toArray()).toString('base64');
    const headers = Object.entries(response.headers).flatMap(([name, value]) =>
      typeof value === 'string' && !ofConnection.has(name) ? [[name, value]] : [],
    );
    return { headers: Object.fromEntries(headers) as Record<string, string>, body };
  };
  const responses: CannedResponses = {};
  for (const path of paths) {
    await read(path);
    responses[path] = await read(path);
  }
  return responses;
}

/** Median, minimum and maximum. */
function spread(figures: readonly number[], digits = 0): string {
  const sorted = figures.toSorted((one, other) => one - other);
  const [median = Number.NaN, least = Number.NaN, most = Number.NaN] = [
    sorted[Math.floor(sorted.length / 2)],
    sorted[0],
    sorted.at(-1),
  ];
  return `${median.toFixed(digits)} (${least.toFixed(digits)} to ${most.toFixed(digits)})`;
}
