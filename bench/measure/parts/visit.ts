import { chromium } from '@playwright/test';
import type { Community } from '../community.ts';
import type { Part } from '../part.ts';
import { formatAmount, median } from '../results.ts';
import { startBareBrowser } from '../bare-browser.ts';
import {
  measureFirstVisit,
  type OpenContext,
  measurePresses,
  slowdown,
  measureSlowVisit,
} from '../visits.ts';

const targets = { kilobytes: 170, requests: 6, longTask: 200, shift: 0.02 };

export const visit: Part = {
  name: 'visit',
  title: 'The first visit',
  description: 'bytes, requests, long tasks and layout shift of a first visit, in a real browser',
  async run({ community, rounds }) {
    const there = await community('large');
    const executablePath = process.env['PARLEY_CHROMIUM'] ?? chromium.executablePath();
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
    const bare = await startBareBrowser(executablePath);
    const open: OpenContext = async () => {
      const context = await browser.newContext({ baseURL: there.address, serviceWorkers: 'block' });
      context.setDefaultTimeout(120_000);
      await context.addCookies([cookieOf(there)]);
      return context;
    };
    try {
      const question = await newestQuestion(there);
      const visitsOf = (where: string) => visits({ there, open, bare, where, rounds });
      const home = await visitsOf('/');
      const other = await visitsOf(question);
      const presses = await repeated(rounds, () => measurePresses(open, question));
      return {
        rows: [
          {
            what: 'home page, signed in, first visit: JS and CSS compressed; requests before content',
            target: `at most ${targets.kilobytes} KB; at most ${targets.requests}`,
            measured: `${formatAmount(home.kilobytes, 1)} KB before the content, ${formatAmount(home.allKilobytes, 1)} in all; ${home.requests}`,
            holds: home.allKilobytes <= targets.kilobytes && home.requests <= targets.requests,
          },
          {
            what: `the same with the CPU throttled ${slowdown}×: long tasks; layout shift`,
            target: `none above ${targets.longTask} ms; below ${targets.shift}`,
            measured: `longest ${formatAmount(home.longestTask, 0)} ms; ${home.shift.toFixed(3)}`,
            holds: home.longestTask <= targets.longTask && home.shift < targets.shift,
          },
        ],
        table: {
          head: [
            'visit',
            'JS and CSS before the content, KB',
            'in all, KB',
            'requests before content',
            'of them to the API',
            'throttled: largest contentful paint, ms',
            'throttled: longest task, ms',
            'throttled: layout shift',
          ],
          rows: Object.entries({ home, 'a question': other }).map(([name, figures]) => [
            name,
            formatAmount(figures.kilobytes, 1),
            formatAmount(figures.allKilobytes, 1),
            figures.requests,
            figures.apiRequests,
            formatAmount(figures.content, 0),
            formatAmount(figures.longestTask, 0),
            figures.shift.toFixed(3),
          ]),
        },
        notes: [
          `${rounds} visits with an empty browser cache, on the same CPUs; the throttled ones in a browser without a test driver. Long tasks and shifts are maxima, the rest medians. KB are 1,024 bytes; a page's own HTML counts as a request, not as JS or CSS.`,
          `From a click to the next paint, by the browser's Event Timing (in steps of 8 ms), median: from the feed to a question ${median(presses.map((each) => each.navigation))} ms, a vote ${median(presses.map((each) => each.vote))} ms.`,
        ],
      };
    } finally {
      await bare.stop();
      await browser.close();
    }
  },
};

const kilobyte = 1_024;

async function visits({
  there,
  open,
  bare,
  where,
  rounds,
}: {
  there: Community;
  open: OpenContext;
  bare: Awaited<ReturnType<typeof startBareBrowser>>;
  where: string;
  rounds: number;
}) {
  const fast = await repeated(rounds, () => measureFirstVisit(open, where));
  const { url, ...cookie } = cookieOf(there);
  const slow = await repeated(rounds, () => measureSlowVisit(bare, { url: url + where, cookie }));
  return {
    kilobytes: median(fast.map((each) => each.programBytesBeforeContent)) / kilobyte,
    allKilobytes: median(fast.map((each) => each.programBytes)) / kilobyte,
    requests: median(fast.map((each) => each.requestsBeforeContent)),
    apiRequests: median(fast.map((each) => each.apiRequestsBeforeContent)),
    content: median(slow.map((each) => each.contentMs)),
    // The maximum, since the target applies to every visit.
    longestTask: Math.max(...slow.map((each) => each.longestTaskMs)),
    shift: Math.max(...slow.map((each) => each.layoutShift)),
  };
}

async function repeated<Result>(rounds: number, run: () => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (let round = 0; round < rounds; round++) results.push(await run());
  return results;
}

/** A question in the feed. */
async function newestQuestion({ db }: Community): Promise<string> {
  const { rows } = await db.query<{ id: string }>(
    'select id from question order by created_at desc, id desc limit 1',
  );
  return `/question/${rows[0]?.id}`;
}

function cookieOf({ cookies, address }: Community) {
  const [name = '', value = ''] = cookies[0]?.split('=') ?? [];
  return { name, value, url: address };
}
