import { expect, test, type Page } from '@playwright/test';
import { askQuestion, registerMember } from './support/members.ts';
import { postAnswer, postReply, secondMember, uniqueText, upvote } from './support/posts.ts';
import { deleteState } from './support/three-members.ts';

// With animations, as most members see it.
test.use({ contextOptions: { reducedMotion: 'no-preference' } });

/** Cumulative layout shift a page may have (0.1 counts as good elsewhere). */
const most = 0.02;

test('no page shifts while it loads with slow responses', async ({ page }) => {
  test.slow();
  await registerMember(page.request);
  const id = await askQuestion(page.request, {
    title: uniqueText('Does this page move?'),
    tags: ['steadiness'],
  });
  await postAnswer(page.request, id);
  await page.route('**/api/**', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    await route.continue();
  });
  await watchShifts(page);
  const addresses = [
    '/',
    '/?tab=unanswered',
    `/question/${id}`,
    '/ask',
    '/topics',
    '/topics/steadiness',
    '/following',
    '/notifications',
    '/profile',
    '/settings',
    '/settings?tab=account',
    '/bookmarks',
    '/search?q=page',
  ];
  const moved: string[] = [];
  for (const address of addresses) {
    await page.goto(address);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
    const { total, what } = await shifts(page);
    if (total > most) moved.push(`${address}: ${total.toFixed(3)} by ${what}`);
  }
  expect(moved).toEqual([]);
});

test('text does not move when its fonts arrive late and later style sheets in another order', async ({
  page,
}) => {
  await registerMember(page.request);
  const title = uniqueText('Which width has a title that is long enough for two lines on this page');
  const id = await askQuestion(page.request, { title });
  const fonts: string[] = [];
  await page.route('**/*.woff2', async (route) => {
    fonts.push(route.request().url());
    await new Promise((resolve) => setTimeout(resolve, 500));
    await route.continue();
  });
  // The first of those requested together arrives last.
  let delay = 600;
  await page.route('**/assets/*.css', async (route) => {
    delay = Math.max(0, delay - 100);
    await new Promise((resolve) => setTimeout(resolve, delay));
    await route.continue();
  });
  await watchShifts(page);
  await page.goto(`/question/${id}`);
  await expect(page.getByLabel('Your answer')).toBeVisible();
  await expect(page.locator('markdown-toolbar').first()).toBeAttached();
  await page.waitForLoadState('networkidle');
  expect(fonts.length).toBeGreaterThan(1);
  const { total, what } = await shifts(page);
  expect(total, what).toBe(0);
});

test('the sign-in page does not shift at an IP address, where passkeys do not work', async ({
  page,
  baseURL,
}) => {
  await page.route('**/assets/*.js', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    await route.continue();
  });
  await watchShifts(page);
  const address = new URL('/login', baseURL);
  // The style sheet hides it before hydration.
  const passkeys = page.getByRole('button', { name: 'Use a passkey', includeHidden: true });
  for (const [hostname, count] of [
    ['localhost', 1],
    ['127.0.0.1', 0],
  ] as const) {
    address.hostname = hostname;
    await page.goto(address.href);
    await expect(passkeys).toHaveCount(count);
    const { total, what } = await shifts(page);
    expect(total, what).toBe(0);
  }
});

test('nothing shifts while a slow device renders the first page in steps', async ({ page }) => {
  test.slow();
  await registerMember(page.request);
  for (let n = 1; n <= 21; n++)
    await askQuestion(page.request, { title: uniqueText(`Question ${n} of more than a page`) });
  const devtools = await page.context().newCDPSession(page);
  // Keeps questions of other tests out of the list.
  await page.routeWebSocket(/./u, () => undefined);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: 6 });
  await watchShifts(page);
  await page.goto('/');
  // The page is slow at a sixth of the CPU speed.
  await expect(page.getByRole('button', { name: 'Load more' })).toBeVisible({ timeout: 60_000 });
  await expect(page.getByRole('article')).toHaveCount(20);
  const { total, sinceParsed, what } = await shifts(page);
  // A browser may show the top bar before it has parsed all buttons in it.
  expect(total, what).toBeLessThanOrEqual(most);
  expect(sinceParsed, what).toBe(0);
});

test('actions of other members move nothing in view', async ({ page, browser }) => {
  await registerMember(page.request);
  const id = await askQuestion(page.request, { title: uniqueText('Does it stay where it is?') });
  for (const n of [1, 2, 3, 4]) await postAnswer(page.request, id, `Answer ${n}. `.repeat(90));
  await watchShifts(page);
  await page.goto(`/question/${id}`);
  await expect(page.getByRole('article', { name: /^Answer by/u })).toHaveCount(4);
  const answers = page.getByRole('article', { name: /^Answer by/u });
  const top = Number((await answers.first().getAttribute('id'))?.replace('answer-', ''));
  await answers.last().scrollIntoViewIfNeeded();
  await expect(answers.first()).not.toBeInViewport();
  const before = await shifts(page);
  const { page: other } = await secondMember(browser, 'Quincy Other');
  await upvote(other.request, id);
  await postAnswer(other.request, id, 'One that comes in above.');
  await postReply(other.request, top, 'A reply that comes in above.');
  await expect(page.getByText('A reply that comes in above.')).toBeAttached();
  await expect(page.getByRole('button', { name: 'Upvote (1)' })).toHaveCount(1);
  await expect(page.getByRole('heading', { name: '5 Answers' })).toBeAttached();
  const after = await shifts(page);
  expect(after.total - before.total, after.what).toBeLessThanOrEqual(most);

  // Between two answers in view there is no room for a reply: it is held back.
  const short = await askQuestion(page.request, { title: uniqueText('Is there room between them?') });
  const [lower, upper] = [await postAnswer(page.request, short), await postAnswer(page.request, short)];
  await page.goto(`/question/${short}`);
  // The page may not be subscribed yet; it then gets the vote with its first response.
  await upvote(other.request, short);
  await expect(page.getByRole('button', { name: 'Upvote (1)' })).toHaveCount(1);
  await page.locator(`#answer-${lower}`).scrollIntoViewIfNeeded();
  await postReply(other.request, upper, 'One for which there is no room.');
  await postReply(other.request, lower, 'One below all others.');
  await expect(page.getByText('One below all others.')).toBeVisible();
  const pill = page.getByRole('button', { name: '1 new reply' });
  await expect(pill).toBeVisible();
  await expect(page.getByText('One for which there is no room.')).toBeHidden();
  const { total, what } = await shifts(page);
  expect(total, what).toBeLessThanOrEqual(most);
  await pill.click();
  await expect(page.getByRole('article', { name: 'Reply by Quincy Other' }).first()).toBeFocused();
  await expect(pill).toBeHidden();
});

test('actions of other members move nothing in view in a browser without scroll anchoring', async ({
  page,
  browser,
}) => {
  await page.addInitScript(() => {
    // As in WebKit.
    const supports = CSS.supports.bind(CSS);
    CSS.supports = (property: string, value?: string) =>
      property !== 'overflow-anchor' &&
      (value === undefined ? supports(property) : supports(property, value));
  });
  await registerMember(page.request);
  const { page: other } = await secondMember(browser, 'Quincy Other');
  const id = await askQuestion(other.request, { title: uniqueText('Does it stay in every browser?') });
  for (const n of [1, 2, 3, 4]) await postAnswer(other.request, id, `Answer ${n}. `.repeat(90));
  await page.goto(`/question/${id}`);
  const answers = page.getByRole('article', { name: /^Answer by/u });
  await expect(answers).toHaveCount(4);
  const first = Number((await answers.first().getAttribute('id'))?.replace('answer-', ''));
  const read = answers.last();
  await read.scrollIntoViewIfNeeded();
  await expect(answers.first()).not.toBeInViewport();
  await page.evaluate(() => document.documentElement.style.setProperty('overflow-anchor', 'none'));
  const top = async () => (await read.boundingBox())?.y ?? Number.NaN;
  const height = () => page.evaluate(() => document.documentElement.scrollHeight);
  let place = await top();
  const before = await height();
  // Pages scroll by whole pixels.
  const moved = async () => Math.abs((await top()) - place);

  await postReply(other.request, first, 'A reply that comes in above.\n\n'.repeat(8));
  await expect(page.getByText('A reply that comes in above.').first()).toBeAttached();
  await expect.poll(height).toBeGreaterThan(before + 100);
  await expect.poll(moved).toBeLessThan(2);

  // Near the end, so that the page becomes too short for its scroll position.
  await page.evaluate(() =>
    window.scrollTo(0, document.documentElement.scrollHeight - window.innerHeight - 100),
  );
  place = await top();
  const grown = await height();
  await deleteState(other.request, `/api/answers/${first}`);
  await expect(answers).toHaveCount(3);
  await expect.poll(height).toBeLessThan(grown - 100);
  await expect.poll(moved).toBeLessThan(2);
});

type SeenShift = { value: number; at: number; what: string };

/** Records the layout shifts without user input, from the next page on. */
async function watchShifts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const seen: SeenShift[] = [];
    const place = ({ x, y, width, height }: DOMRect) => [x, y, width, height].map(Math.round).join(' ');
    Object.assign(window, { seenShifts: seen });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & {
        value: number;
        hadRecentInput: boolean;
        sources: { node: Node | null; previousRect: DOMRect; currentRect: DOMRect }[];
      })[]) {
        if (entry.hadRecentInput) continue;
        const what = entry.sources.map(({ node, previousRect, currentRect }) => {
          const name = node instanceof Element ? node.outerHTML.slice(0, 120) : String(node?.textContent);
          return `${name} from ${place(previousRect)} to ${place(currentRect)}`;
        });
        seen.push({ value: entry.value, at: entry.startTime, what: what.join(' | ') });
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
}

/** The sum of the shifts: all of them, and those since the whole HTML of the page was parsed. */
function shifts(page: Page): Promise<{ total: number; sinceParsed: number; what: string }> {
  return page.evaluate(() => {
    const { seenShifts } = window as unknown as { seenShifts: SeenShift[] };
    const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
    const parsed = navigation?.domInteractive ?? 0;
    const sum = (some: SeenShift[]) => some.reduce((total, { value }) => total + value, 0);
    return {
      total: sum(seenShifts),
      sinceParsed: sum(seenShifts.filter(({ at }) => at > parsed)),
      what: seenShifts.map(({ what }) => what).join(' | '),
    };
  });
}
