import os from 'node:os';
import { type BrowserContext, chromium, type Locator, type Page } from '@playwright/test';
import { askQuestion, registerMember } from '../tests/e2e/support/members.ts';
import { startCommunity } from '../tests/e2e/support/community.ts';
import { postAnswer } from '../tests/e2e/support/posts.ts';

const help = `bench/interaction-latency.ts [rounds]

Measures the time from a click to the paint that shows its effect, with 400 ms of added network latency per request.
Prints median and maximum in milliseconds over the rounds (20), for each action.`;

/** Latency added to each request, in milliseconds. */
const latencyMs = 400;

if (process.argv.includes('--help')) console.log(help);
else await main(Number(process.argv[2] ?? 20));

async function main(rounds: number): Promise<void> {
  const program = process.env['PARLEY_CHROMIUM'];
  const browser = await chromium.launch(program === undefined ? {} : { executablePath: program });
  const community = await startCommunity({ cheapPasswords: false });
  try {
    const context = await browser.newContext({ baseURL: community.address });
    await measure(context, rounds);
    console.log(`\n${os.cpus().length} cores, ${os.cpus()[0]?.model ?? 'unknown'}, ${rounds} rounds`);
  } finally {
    await browser.close();
    await community.remove();
  }
}

async function measure(context: BrowserContext, rounds: number): Promise<void> {
  const page = await context.newPage();
  await registerMember(page.request);
  const id = await askQuestion(page.request, { title: 'How quickly does it answer?', tags: ['speed'] });
  await postAnswer(page.request, id);
  await page.goto(`/question/${id}`);
  await slowDown(page);
  const question = page.getByRole('article', { name: 'How quickly does it answer?' });
  await report('vote on a question', rounds, () => question.getByRole('button', { name: /^Upvote/u }));
  const first = page.getByRole('article', { name: /^Answer by/u });
  await report('vote on an answer', rounds, () => first.getByRole('button', { name: /^Upvote/u }).first());
  await report('follow a question', rounds, () =>
    question.getByRole('button', { name: /ollow(ing)? question/u }),
  );
  await page.goto('/topics');
  await report('follow a topic', rounds, () =>
    page.getByRole('article', { name: 'speed' }).getByRole('button', { name: /^Follow/u }),
  );
}

/** Uses the browser's network emulation: scripts are already loaded and do not count. */
async function slowDown(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Network.enable');
  await devtools.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: latencyMs,
    downloadThroughput: -1,
    uploadThroughput: -1,
  });
}

async function report(action: string, rounds: number, button: () => Locator): Promise<void> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    times.push(await button().evaluate(timeToPaint));
    // The next click waits until this one is saved.
    await button()
      .page()
      .waitForTimeout(3 * latencyMs);
  }
  times.sort((a, b) => a - b);
  const median = times[Math.floor(times.length / 2)] ?? 0;
  console.log(
    `${action.padEnd(20)} median ${median.toFixed(0)} ms, maximum ${(times.at(-1) ?? 0).toFixed(0)} ms`,
  );
}

/** Clicks a button and measures the milliseconds until the frame with the changed button is painted. */
function timeToPaint(button: Element): Promise<number> {
  return new Promise((resolve) => {
    const start = performance.now();
    const observer = new MutationObserver(() => {
      observer.disconnect();
      requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - start)));
    });
    observer.observe(button, { subtree: true, childList: true, attributes: true, characterData: true });
    (button as HTMLElement).click();
  });
}
