import { type Browser, expect, type Page } from '@playwright/test';
import { expectAccessible } from './support/accessibility.ts';
import { saveDraft } from './support/drafts.ts';
import { askQuestion, makeModerator, registerMember, newMember } from './support/members.ts';
import { postAnswer, secondMember, uniqueText } from './support/posts.ts';
import { waitForHydration } from './support/hydration.ts';
import { expectInView } from './support/in-view.ts';
import { test } from './support/shared-page.ts';
import { visit } from './support/visit.ts';

const visitorPages = ['/login', '/register'];
const memberPages = {
  'feeds and asking': ['/', '/ask', '/?tab=unanswered', '/nowhere'],
  'profiles and settings': [
    '/profile',
    '/settings',
    '/profile?tab=answers',
    '/settings?tab=account',
    '/profile/999999999',
  ],
  'drafts and bookmarks': ['/drafts', '/bookmarks'],
  'suggested edits and removed posts': ['/suggested-edits', '/removed-posts', '/suggested-edits?list=own'],
  topics: ['/topics', `/topics/${'a'.repeat(35)}`, '/topics?q=nothing-like-it', '/topics/nothing-like-it'],
  'following and notifications': [
    '/following',
    '/notifications',
    '/following?tab=activity',
    '/following?tab=topics',
  ],
  'search results': [
    '/search',
    '/search?q=x',
    '/search?q=n&in=users',
    '/search?q=nothing-like-it&in=answers',
  ],
};

/** The page of a member with content that strains a layout. It stays open, so that the app is loaded once. */
let extremes: Page | undefined;
test.afterAll(async () => {
  await extremes?.context().close();
  // A worker that runs another group of the tests of this file opens it again.
  extremes = undefined;
});

/** Creates content that strains a layout: long words, right-to-left text, many tags, a long name. */
async function openExtremes(browser: Browser): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  await registerMember(page.request, newMember('N'.repeat(80)));
  const long = await askQuestion(page.request, {
    title: 'W'.repeat(200),
    content: 'x'.repeat(2000),
    tags: ['a', 'b', 'c', 'd'].map((c) => c.repeat(35)),
  });
  for (const [place, id] of [
    ['ask', 0],
    ['edit:question', long],
    ['answer', 999_999_999],
  ] as const)
    await saveDraft(page.request, id === 0 ? place : `${place}:${id}`, { content: 'x'.repeat(2000) });
  await askQuestion(page.request, {
    title: 'كيف أتعلم البرمجة من الصفر؟',
    content: 'من أين أبدأ؟',
    tags: ['برمجة'],
  });
  return page;
}

const looks = [
  { theme: 'light', viewport: { width: 1280, height: 800 } },
  { theme: 'dark', viewport: { width: 320, height: 640 } },
] as const;

for (const address of visitorPages)
  test(`${address} is accessible and scrolls only vertically, on a desktop in light and on a phone in dark`, async ({
    page,
  }) => {
    await check(page, address);
  });

for (const [group, addresses] of Object.entries(memberPages))
  test(`${group} are accessible and scroll only vertically, on a desktop in light and on a phone in dark`, async ({
    browser,
  }) => {
    test.slow();
    extremes ??= await openExtremes(browser);
    for (const address of addresses) await check(extremes, address);
  });

test('moderation pages are accessible and scroll only vertically, on a desktop in light and on a phone in dark', async ({
  page,
  browser,
}) => {
  test.slow();
  const { page: seller } = await secondMember(browser, 'S'.repeat(80));
  const code = `\`\`\`\n${'wide '.repeat(100)}\n\`\`\``;
  const table = `| ${'column | '.repeat(20)}\n|${' --- |'.repeat(20)}\n| ${'cell | '.repeat(20)}`;
  const id = await askQuestion(seller.request, {
    title: 'W'.repeat(200),
    content: `${'x'.repeat(500)}\n\n${code}\n\n${table}`,
  });
  const { email } = await registerMember(page.request, newMember(uniqueText('Quinn Queue')));
  await makeModerator(email);
  const report = { reason: 'spam', note: 'n'.repeat(200) };
  expect((await page.request.put(`/api/questions/${id}/report`, { data: report })).status()).toBe(200);
  const session = (await (await seller.request.get('/api/session')).json()) as { member: { id: number } };
  const memberPage = `/moderation/member/${session.member.id}`;
  expect(
    (
      await page.request.post(`/api/moderation/members/${session.member.id}/notes`, {
        data: { text: `${'n'.repeat(300)}\n\n${code}` },
      })
    ).status(),
  ).toBe(201);
  for (const address of [
    '/moderation',
    '/moderation/log',
    '/moderation/registrations',
    '/moderation/applications',
    '/moderation/applications?status=refused',
    '/moderation/claims',
    '/admin/statistics',
    memberPage,
    ...['posts', 'reports', 'log', 'sign-ins', 'notes'].map((tab) => `${memberPage}?tab=${tab}`),
  ])
    await check(page, address);
});

async function check(page: Page, address: string) {
  await page.setViewportSize(looks[0].viewport);
  await visit(page, address);
  for (const { theme, viewport } of looks) {
    await page.setViewportSize(viewport);
    // Without motion: colours in transition between the themes are not measured.
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', theme);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
    const look = `${address} at ${viewport.width} in ${theme}`;
    await expectAccessible(page, { look });
    expect(await getHorizontalOverflow(page), look).toBeLessThanOrEqual(0);
  }
  // Larger phones, a phone in landscape, and a window of 1280 by 800 at 200 % zoom.
  for (const viewport of [
    { width: 390, height: 844 },
    { width: 360, height: 740 },
    { width: 740, height: 360 },
    { width: 640, height: 400 },
  ]) {
    await page.setViewportSize(viewport);
    expect(await getHorizontalOverflow(page), `${address} at ${viewport.width}`).toBeLessThanOrEqual(0);
  }
}

function getHorizontalOverflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
}

test('the top bar and the sidebar have the accessible names of the specification', async ({
  sharedPage: page,
}) => {
  await visit(page, '/');
  const top = page.getByRole('banner');
  await expect(top.getByRole('link', { name: 'Parley', exact: true })).toHaveAttribute('href', '/');
  await expect(top.getByRole('searchbox', { name: 'Search questions' })).toBeVisible();
  await expect(top.getByRole('link', { name: 'Ask Question' })).toHaveAttribute('href', '/ask');
  await expect(top.getByRole('button', { name: 'Notifications' })).toBeVisible();
  await expect(page.getByRole('navigation', { name: 'Main' }).getByRole('link')).toHaveText([
    'Home',
    'Following',
    'Topics',
    'Your Profile',
  ]);
  await top.getByRole('button', { name: 'Account menu' }).click();
  await expectInView(page.getByRole('menu'), { opener: top.getByRole('button', { name: 'Account menu' }) });
  await expect(page.getByRole('menuitem')).toHaveText(['Profile', 'Following', 'Settings', 'Logout']);
  await page.keyboard.press('Escape');
  await expect(top.getByRole('button', { name: 'Account menu' })).toBeFocused();
});

test('a phone has the bar at the bottom, with targets large enough for a finger', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await registerMember(page.request);
  await page.goto('/');
  const bar = page.getByRole('navigation', { name: 'Main' });
  await expect(bar.getByRole('link')).toHaveText(['Home', 'Topics', 'Ask', 'Following', 'Notifications']);
  const targets = page.locator(
    'header a:visible, header button:visible, nav a:visible, [role="tab"]:visible',
  );
  for (const target of await targets.all()) {
    const box = await target.boundingBox();
    expect(Math.min(box?.width ?? 0, box?.height ?? 0), await target.innerText()).toBeGreaterThanOrEqual(44);
  }
  await bar.getByRole('link', { name: 'Ask' }).click();
  await expect(page).toHaveURL('/ask');
});

test('the bottom bar fits its labels in every language on a phone', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await registerMember(page.request);
  await page.goto('/');
  for (const language of ['ar', 'de', 'en', 'es', 'fr', 'ja', 'zh']) {
    await page.evaluate((chosen) => localStorage.setItem('language', chosen), language);
    await page.reload();
    await expect(page.locator('html')).toHaveAttribute('lang', language);
    const links = page.locator('nav').filter({ visible: true }).getByRole('link');
    await expect(links).toHaveCount(5);
    await page.evaluate(() => document.fonts.ready);
    const overflowing = await links.evaluateAll((all) =>
      all
        .filter((link) => {
          const words = document.createRange();
          words.selectNodeContents(link);
          const [inner, outer] = [words.getBoundingClientRect(), link.getBoundingClientRect()];
          return inner.left < outer.left || inner.right > outer.right || outer.left < 0 || outer.right > 360;
        })
        .map((link) => link.textContent),
    );
    expect(overflowing, language).toEqual([]);
  }
});

test('the bottom bar of low windows has whole labels, and the unread count beside them', async ({
  page,
  browser,
}) => {
  await registerMember(page.request);
  const id = await askQuestion(page.request, { title: uniqueText('Low windows?') });
  const other = await secondMember(browser, 'Sasha Low');
  await postAnswer(other.page.request, id, 'Yes.');
  await page.goto('/');
  const bar = page.getByRole('navigation', { name: 'Main' });
  // A window of 1280 by 800 at 200 % zoom, and one of 1280 by 1024 at 400 %.
  for (const viewport of [
    { width: 640, height: 400 },
    { width: 320, height: 256 },
  ]) {
    await page.setViewportSize(viewport);
    await expect(bar.getByRole('link', { name: 'Notifications, 1 unread' })).toBeVisible();
    const problems = await bar.evaluate((element) => {
      const labels = [...element.querySelectorAll('a')].map((link) => {
        const label = document.createRange();
        const text = [...link.childNodes].find(({ nodeName }) => nodeName === '#text');
        label.selectNodeContents(text ?? link.querySelector('span') ?? link);
        return [...label.getClientRects()];
      });
      const badge = element.querySelector('a > span:last-child')?.getBoundingClientRect();
      const covered = labels.flat().some((box) => {
        if (badge === undefined) return true;
        return (
          box.right > badge.left && box.left < badge.right && box.bottom > badge.top && box.top < badge.bottom
        );
      });
      return { broken: labels.filter((boxes) => boxes.length !== 1).length, covered };
    });
    expect(problems, `${viewport.width}`).toEqual({ broken: 0, covered: false });
  }
});

test('the first Tab focuses a link that skips to the content', async ({ page }) => {
  await registerMember(page.request);
  await page.goto('/');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('tab', { name: 'Recent' })).toBeFocused();
});

test('a reader in the middle of a page stays there while the focus is in the top bar', async ({
  sharedPage: page,
}) => {
  const id = await askQuestion(page.request, {
    title: uniqueText('Who reads on?'),
    content: 'A line.\n\n'.repeat(150),
  });
  await visit(page, `/question/${id}`);
  await waitForHydration(page);
  await page.evaluate(() => window.scrollTo({ top: 1500 }));
  const top = page.getByRole('banner');
  await page.keyboard.press('/');
  await expect(top.getByRole('searchbox')).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(top.getByRole('link', { name: 'Ask Question' })).toBeFocused();
  await expect(top.getByRole('link', { name: 'Ask Question' })).toBeInViewport();
  expect(await page.evaluate(() => window.scrollY)).toBe(1500);
  const skip = page.getByRole('link', { name: 'Skip to content' });
  while (!(await skip.evaluate((link) => link === document.activeElement)))
    await page.keyboard.press('Shift+Tab');
  await expect(skip).toBeInViewport();
  expect(await page.evaluate(() => window.scrollY)).toBe(1500);
});

test('a reader on a phone stays in the middle of a page while its keyboard makes the window low', async ({
  page,
}) => {
  await registerMember(page.request);
  const id = await askQuestion(page.request, {
    title: uniqueText('Who types on?'),
    content: 'A line.\n\n'.repeat(150),
  });
  await page.setViewportSize({ width: 390, height: 700 });
  await page.goto(`/question/${id}`);
  await waitForHydration(page);
  await page.evaluate(() => window.scrollTo({ top: 1500 }));
  const search = page.getByRole('banner').getByRole('searchbox');
  await page.keyboard.press('/');
  await expect(search).toBeFocused();
  await page.setViewportSize({ width: 390, height: 400 });
  await page.keyboard.type('r');
  await expect(search).toHaveValue('r');
  await expect(search).toBeInViewport();
  expect(await page.evaluate(() => window.scrollY)).toBe(1500);
});

test('an unknown URL shows that the page does not exist', async ({ page }) => {
  await registerMember(page.request);
  await page.goto('/nowhere/at/all');
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible();
  await expect(page).toHaveTitle('Page not found · Parley');
  await page.getByRole('link', { name: 'Go to Home' }).click();
  await expect(page.getByRole('heading', { name: 'Questions for you' })).toBeFocused();
});

test('assets are compressed and cached, and assets of an earlier build respond 404 instead of a page', async ({
  request,
}) => {
  const page = await request.get('/anywhere');
  expect(page.headers()['cache-control']).toBe('no-cache');
  const program = /assets\/index-[\w-]+\.js/u.exec(await page.text())?.[0];
  const cached = await request.get(`/${program}`, { headers: { 'accept-encoding': 'br' } });
  expect(cached.headers()).toMatchObject({
    'content-encoding': 'br',
    'cache-control': 'public, max-age=31536000, immutable',
  });
  const gone = await request.get('/assets/index-gone.js');
  expect(gone.status()).toBe(404);
  expect(gone.headers()['cache-control']).toBe('no-store');
});
