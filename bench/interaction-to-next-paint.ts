import os from 'node:os';
import { type Browser, chromium, type Page } from '@playwright/test';
import { startCommunity } from '../tests/e2e/support/community.ts';
import { waitForTexts } from '../tests/e2e/support/hydration.ts';
import { askQuestion, registerMember } from '../tests/e2e/support/members.ts';
import { postAnswer } from '../tests/e2e/support/posts.ts';

const help = `bench/interaction-to-next-paint.ts [rounds]

Measures the time from each press and key to the next paint (INP) on a question page with ten answers, on a phone:
processor slowed four times, 400 ms of latency, 1.6 Mbit/s. Prints median and maximum per step and the 98th percentile
of all interactions, in milliseconds, over the rounds (5). Browsers report multiples of 8 ms.

PARLEY_CHROMIUM is the program of the browser; PARLEY_ADDRESS measures a server that runs already.`;

const network = { latency: 400, bytesPerSecond: 1_600_000 / 8 };
const processorSlowdown = 4;

const text = [
  'The **first** thing to look at is the plan, which says where the time goes. Then comes the rest.',
  "```sql\nselect id, title from question where created_at > now() - interval '1 day' order by id;\n```",
  '- one reason\n- another reason with `code`\n- and a [link](https://example.com/a)',
  'Most of the work is done once the page is there, so measure what happens afterwards as well.',
].join('\n\n');

/** The name of a step and the duration of each of its interactions, in milliseconds. */
type Durations = Map<string, number[]>;

if (process.argv.includes('--help')) console.log(help);
else await main(Number(process.argv[2] ?? 5));

async function main(rounds: number): Promise<void> {
  const program = process.env['PARLEY_CHROMIUM'];
  const browser = await chromium.launch(program === undefined ? {} : { executablePath: program });
  const given = process.env['PARLEY_ADDRESS'];
  const community = given === undefined ? await startCommunity({ cheapPasswords: false }) : null;
  try {
    const durations = await measure(browser, given ?? community?.address ?? '', rounds);
    report(durations);
    console.log(`\n${os.cpus().length} cores, ${os.cpus()[0]?.model ?? 'unknown'}, ${rounds} rounds`);
  } finally {
    await browser.close();
    await community?.remove();
  }
}

async function measure(browser: Browser, address: string, rounds: number): Promise<Durations> {
  const author = await registerOnPhone(browser, address);
  const page = await author.newPage();
  const id = await askQuestion(page.request, { title: 'How quickly does it answer?', content: text });
  for (let answer = 0; answer < 10; answer++) await postAnswer(page.request, id, `${text}\n\n${answer}`);
  const reader = await registerOnPhone(browser, address);
  const durations: Durations = new Map();
  await author.close();
  for (let round = 0; round < rounds; round++) await walk(await reader.newPage(), id, durations);
  return durations;
}

async function registerOnPhone(browser: Browser, address: string) {
  const context = await browser.newContext({
    baseURL: address,
    viewport: { width: 390, height: 844 },
    isMobile: true,
    hasTouch: true,
    serviceWorkers: 'block',
  });
  const page = await context.newPage();
  await registerMember(page.request);
  await page.close();
  return context;
}

/** Acts like a reader. Each step waits until the page is idle, so that its interactions are its own. */
async function walk(page: Page, id: number, durations: Durations): Promise<void> {
  await slowDown(page);
  await page.addInitScript(observeInteractions);
  await page.goto(`/question/${id}`);
  await waitForTexts(page);
  const question = page.getByRole('article', { name: 'How quickly does it answer?' });
  const answer = page.getByRole('article', { name: /^Answer by/u }).first();
  const reply = page.getByRole('textbox', { name: 'Your reply' });
  const field = page.getByRole('textbox', { name: 'Your answer' });
  const search = page.getByLabel('Search questions');
  const step = async (name: string, act: () => Promise<unknown>) => {
    await act();
    await page.waitForTimeout(1_000);
    const found = await page.evaluate(takeDurations);
    durations.set(name, [...(durations.get(name) ?? []), ...found]);
  };
  await step('vote', () => question.getByRole('button', { name: /^Upvote/u }).tap());
  await step('follow', () => question.getByRole('button', { name: /ollow(ing)? question/u }).tap());
  await step('open the menu', () => question.getByRole('button', { name: 'More actions' }).tap());
  await step('close the menu', () => page.keyboard.press('Escape'));
  await step('open a reply', () => answer.getByRole('button', { name: 'Reply', exact: true }).tap());
  await step('type a reply', () => reply.pressSequentially('Thanks, that helps.', { delay: 100 }));
  await step('cancel the reply', async () => {
    await reply.fill('');
    await page.getByRole('button', { name: 'Cancel' }).tap();
  });
  await step('open the editor', () => field.tap());
  await step('type an answer', () => field.pressSequentially('- one way\n**bold** and more', { delay: 100 }));
  await field.fill('');
  await page.evaluate(takeDurations);
  await step('search', async () => {
    await search.tap();
    await search.pressSequentially('how quickly', { delay: 100 });
  });
  await page.close();
}

async function slowDown(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Network.enable');
  await devtools.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: network.latency,
    downloadThroughput: network.bytesPerSecond,
    uploadThroughput: network.bytesPerSecond,
  });
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: processorSlowdown });
}

type Interaction = { interactionId: number; duration: number };

/** In the page: collects the longest event of each interaction (https://web.dev/articles/inp). */
function observeInteractions(): void {
  const longest = new Map<number, number>();
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { interactionId, duration } = entry as PerformanceEntry & Interaction;
      if (interactionId > 0) longest.set(interactionId, Math.max(longest.get(interactionId) ?? 0, duration));
    }
  });
  // The shortest threshold there is; shorter interactions are not reported.
  observer.observe({ type: 'event', durationThreshold: 16, buffered: true } as PerformanceObserverInit);
  Object.assign(window, { longest });
}

/** In the page: returns what was collected since the last call. */
function takeDurations(): number[] {
  const { longest } = window as unknown as { longest: Map<number, number> };
  const found = [...longest.values()];
  longest.clear();
  return found;
}

function report(durations: Durations): void {
  for (const [step, found] of durations)
    console.log(
      `${step.padEnd(18)} ${String(found.length).padStart(4)} interactions, median ${percentile(found, 0.5)} ms, maximum ${percentile(found, 1)} ms`,
    );
  const all = [...durations.values()].flat();
  console.log(`\n98th percentile of ${all.length} interactions: ${percentile(all, 0.98)} ms`);
}

function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0);
}
