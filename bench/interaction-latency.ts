import os from 'node:os';
import { type BrowserContext, chromium, type Locator, type Page } from '@playwright/test';
import { askQuestion, registerMember } from '../tests/e2e/support/members.ts';
import { startCommunity } from '../tests/e2e/support/community.ts';
import { postAnswer } from '../tests/e2e/support/posts.ts';

const help = `bench/interaction-latency.ts [rounds]

How long it takes from the press of a button to the picture that shows its effect, with 400 ms more on the way to the
server and back for every request. Prints median and maximum in milliseconds over the rounds (20), for each action.`;

/** What the network adds to each request, in milliseconds. */
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

/** By the browser's own emulation: the page's programs are there already, and do not count. */
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
    // The next press waits until this one is saved.
    await button()
      .page()
      .waitForTimeout(3 * latencyMs);
  }
  times.sort((a, b) => a - b);
  const median = times[Math.floor(times.length / 2)] ?? 0;
  console.log(
    `${action.padEnd(20)} median ${median.toFixed(0)} ms, at most ${(times.at(-1) ?? 0).toFixed(0)} ms`,
  );
}

/** Presses, and gives the milliseconds until the frame is painted in which the button has changed. */
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
