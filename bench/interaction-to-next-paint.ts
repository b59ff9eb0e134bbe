import os from 'node:os';
import { type Browser, chromium, expect, type Locator, type Page } from '@playwright/test';
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
  const upvote = question.getByRole('button', { name: /^Upvote/u });
  const follow = question.getByRole('button', { name: /ollow(ing)? question/u });
  const reply = page.getByRole('textbox', { name: 'Your reply' });
  const field = page.getByRole('textbox', { name: 'Your answer' });
  const search = page.getByLabel('Search questions');
  /** @param done waits for what the reader then sees. */
  const step = async (name: string, act: () => Promise<unknown>, done: () => Promise<void>) => {
    await act();
    const found = await page.evaluate(takeDurations);
    await done();
    found.push(...(await page.evaluate(takeDurations)));
    durations.set(name, [...(durations.get(name) ?? []), ...found]);
  };
  const isUpvoted = (await upvote.getAttribute('aria-pressed')) === 'true';
  await step('vote', await prepareTap(upvote), async () => {
    await expect(upvote).toHaveAttribute('aria-pressed', String(!isUpvoted));
    await expect(upvote).not.toHaveAttribute('aria-disabled', 'true');
  });
  const followLabel = await follow.innerText();
  await step('follow', await prepareTap(follow), async () => {
    await expect(follow).not.toHaveText(followLabel);
    await expect(follow).not.toHaveAttribute('aria-disabled', 'true');
  });
  const more = question.getByRole('button', { name: 'More actions' });
  await step('open the menu', await prepareTap(more), () => expect(page.getByRole('menu')).toBeVisible());
  await step(
    'close the menu',
    () => page.keyboard.press('Escape'),
    () => expect(page.getByRole('menu')).toHaveCount(0),
  );
  const openReply = answer.getByRole('button', { name: 'Reply', exact: true });
  await step('open a reply', await prepareTap(openReply), () => expect(reply).toBeFocused());
  await step(
    'type a reply',
    () => type(page, 'Thanks, that helps.'),
    () => expect(reply).toHaveValue('Thanks, that helps.'),
  );
  await reply.fill('');
  await page.evaluate(takeDurations);
  const cancel = page.getByRole('button', { name: 'Cancel' });
  await step('cancel the reply', await prepareTap(cancel), () => expect(reply).toHaveCount(0));
  await step('open the editor', await prepareTap(field), () => expect(field).toBeFocused());
  await step(
    'type an answer',
    () => type(page, '- one way\n**bold** and more'),
    () => expect(field).toHaveValue(/bold/u),
  );
  await field.fill('');
  await page.evaluate(takeDurations);
  await step('open the search', await prepareTap(search), () => expect(search).toBeFocused());
  await step(
    'search',
    () => type(page, 'how quickly'),
    () => expect(search).toHaveValue('how quickly'),
  );
  await page.close();
}

/**
 * Scrolls an element into view and returns a function that taps it. Playwright's own `tap` examines the page until just
 * before and while it taps, which on a slowed processor takes longer than the interaction itself.
 */
async function prepareTap(target: Locator): Promise<() => Promise<void>> {
  const page = target.page();
  await target.scrollIntoViewIfNeeded();
  const box = await target.boundingBox();
  if (box === null) throw new Error('The element to tap is not shown.');
  await page.evaluate(takeDurations);
  return () => page.touchscreen.tap(box.x + box.width / 2, box.y + box.height / 2);
}

async function type(page: Page, text: string): Promise<void> {
  await page.keyboard.type(text, { delay: 100 });
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

declare global {
  interface Window {
    /** The longest event of each interaction so far, in milliseconds, by the number of the interaction. */
    longest: Map<number, number>;
    interactions: PerformanceObserver;
  }
  interface PerformanceObserverInit {
    durationThreshold?: number;
  }
}

/** In the page: collects the longest event of each interaction (https://web.dev/articles/inp). */
function observeInteractions(): void {
  window.longest = new Map();
  window.interactions = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (!(entry instanceof PerformanceEventTiming) || entry.interactionId === 0) continue;
      const before = window.longest.get(entry.interactionId) ?? 0;
      window.longest.set(entry.interactionId, Math.max(before, entry.duration));
    }
  });
  // The shortest threshold there is; shorter interactions are not reported.
  window.interactions.observe({ type: 'event', durationThreshold: 16, buffered: true });
}

/** In the page: waits until it is idle, then returns what was collected since the last call. */
async function takeDurations(): Promise<number[]> {
  const nextIdle = () => new Promise((resolve) => requestIdleCallback(resolve));
  const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  // The events of a frame are reported when it was shown, which is after the next one has begun.
  for (let frame = 0; frame < 3; frame++) {
    await nextFrame();
    await nextIdle();
  }
  const found = [...window.longest.values()];
  window.longest.clear();
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
