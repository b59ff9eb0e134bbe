import { chromium, type Page } from '@playwright/test';
import type { Community } from '../community.ts';
import type { Part } from '../part.ts';
import { amount, median } from '../results.ts';

const wanted = { kilobytes: 170, requests: 6, longTask: 200, shift: 0.02 };
const processorSlowed = 4;

type Visit = {
  /** JS and CSS asked for before the content stood there, as they came over the wire, in kilobytes. */
  kilobytes: number;
  /** Requests sent before the content stood there. */
  requests: number;
  /** The longest task, in milliseconds. */
  longTask: number;
  /** Cumulative layout shift (web.dev/cls). */
  shift: number;
  /** From the beginning until the content stood there, in milliseconds. */
  content: number;
};

export const visit: Part = {
  name: 'visit',
  title: 'The first visit',
  explains: 'bytes, requests, long tasks and layout shift of a first visit, in a real browser',
  async run({ community, rounds }) {
    const there = await community('large');
    const file = process.env['PARLEY_CHROMIUM'];
    const browser = await chromium.launch({
      ...(file !== undefined && { executablePath: file }),
      args: ['--no-sandbox', '--disable-gpu'],
    });
    try {
      const visits = {
        home: [] as Visit[],
        'a question': [] as Visit[],
        'home, slowed': [] as Visit[],
        'a question, slowed': [] as Visit[],
      };
      const question = `/question/${await answered(there)}`;
      const once = async (path: string, slowed: number) => {
        const context = await browser.newContext({ serviceWorkers: 'block' });
        try {
          await context.addCookies([cookieOf(there)]);
          return await measure(await context.newPage(), `${there.address}${path}`, slowed);
        } finally {
          await context.close();
        }
      };
      for (let round = 0; round < rounds; round++) {
        visits.home.push(await once('/', 1));
        visits['a question'].push(await once(question, 1));
        visits['home, slowed'].push(await once('/', processorSlowed));
        visits['a question, slowed'].push(await once(question, processorSlowed));
      }
      const of = (name: keyof typeof visits, what: keyof Visit) =>
        median(visits[name].map((each) => each[what]));
      const [bytes, requests] = [of('home', 'kilobytes'), of('home', 'requests')];
      const [task, shift] = [of('home, slowed', 'longTask'), of('home, slowed', 'shift')];
      return {
        rows: [
          {
            what: 'home page, signed in, first visit: JS and CSS compressed; requests before content',
            wanted: `at most ${wanted.kilobytes} KB; at most ${wanted.requests}`,
            measured: `${amount(bytes, 1)} KB; ${requests}`,
            holds: bytes <= wanted.kilobytes && requests <= wanted.requests,
          },
          {
            what: `the same with the processor slowed ${processorSlowed}×: long tasks; layout shift`,
            wanted: `none above ${wanted.longTask} ms; below ${wanted.shift}`,
            measured: `longest ${amount(task, 0)} ms; ${shift.toFixed(3)}`,
            holds: task <= wanted.longTask && shift < wanted.shift,
          },
        ],
        table: {
          head: [
            'visit',
            'JS and CSS, KB',
            'requests before content',
            'content after, ms',
            'longest task, ms',
            'layout shift',
          ],
          rows: (Object.keys(visits) as (keyof typeof visits)[]).map((name) => [
            name,
            amount(of(name, 'kilobytes'), 1),
            of(name, 'requests'),
            amount(of(name, 'content'), 0),
            amount(of(name, 'longTask'), 0),
            of(name, 'shift').toFixed(3),
          ]),
        },
        notes: [
          `Medians of ${rounds} visits with nothing kept by the browser, which runs on the same processors. KB are 1,000 bytes; a page's own HTML counts as a request, not as JS or CSS.`,
        ],
      };
    } finally {
      await browser.close();
    }
  },
};

/** A question with a few answers, in the middle. */
async function answered({ db, counts }: Community): Promise<number> {
  const { rows } = await db.query<{ id: string }>(
    'select id from question where id >= $1 and answer_count between 3 and 6 order by id limit 1',
    [Math.floor(counts.questions / 2)],
  );
  return Number(rows[0]?.id);
}

function cookieOf({ cookies, address }: Community) {
  const [name = '', value = ''] = cookies[0]?.split('=') ?? [];
  return { name, value, url: address };
}

async function measure(page: Page, address: string, slowed: number): Promise<Visit> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Network.enable');
  if (slowed > 1) await devtools.send('Emulation.setCPUThrottlingRate', { rate: slowed });
  const kinds = new Map<string, string>();
  const sent: number[] = [];
  const came = new Map<string, { at: number; bytes: number }>();
  devtools.on('Network.requestWillBeSent', ({ requestId, type, request, timestamp }) => {
    if (request.url.startsWith('data:')) return;
    kinds.set(requestId, type ?? '');
    sent.push(timestamp);
    came.set(requestId, { at: timestamp, bytes: 0 });
  });
  devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const one = came.get(requestId);
    if (one !== undefined && ['Script', 'Stylesheet'].includes(kinds.get(requestId) ?? ''))
      one.bytes = encodedDataLength;
  });
  page.setDefaultTimeout(120_000);
  await page.addInitScript(watch);
  await page.goto(address);
  await page.getByRole('article').first().waitFor();
  // What comes later, such as a prefetch, is of the visit as well: until nothing has come for half a second.
  await page.waitForLoadState('networkidle');
  const seen = await page.evaluate(() => ({ ...(globalThis as unknown as { seen: Seen }).seen }));
  const first = Math.min(...sent);
  const before = (at: number) => (at - first) * 1_000 < seen.content;
  return {
    kilobytes: [...came.values()].reduce((sum, { at, bytes }) => sum + (before(at) ? bytes : 0), 0) / 1_000,
    requests: sent.filter(before).length,
    longTask: seen.longTask,
    shift: seen.shift,
    content: seen.content,
  };
}

type Seen = { longTask: number; shift: number; content: number };

/** In the page: long tasks, layout shifts, and when the first question or answer stands there. */
function watch(): void {
  const seen: Seen = { longTask: 0, shift: 0, content: 0 };
  Object.assign(globalThis, { seen });
  const observe = (type: string, take: (entries: PerformanceEntry[]) => void) => {
    const options = { type, buffered: true } as unknown as Parameters<PerformanceObserver['observe']>[0];
    new PerformanceObserver((list) => take(list.getEntries())).observe(options);
  };
  observe('longtask', (entries) => {
    for (const { duration } of entries) seen.longTask = Math.max(seen.longTask, duration);
  });
  observe('layout-shift', (entries) => {
    for (const entry of entries as (PerformanceEntry & { value: number; hadRecentInput: boolean })[])
      if (!entry.hadRecentInput) seen.shift += entry.value;
  });
  const { document } = globalThis as unknown as { document: { querySelector(selector: string): unknown } };
  const look = () => {
    if (document.querySelector('article, [role=article]') === null) setTimeout(look, 4);
    else seen.content = performance.now();
  };
  look();
}
