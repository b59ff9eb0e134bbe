import { expect, test, type Page } from '@playwright/test';
import { expectAccessible } from './support/accessibility.ts';
import { saveDraft } from './support/drafts.ts';
import { askQuestion, registerMember, newMember } from './support/members.ts';
import { expectInView } from './support/in-view.ts';

const visitorPages = ['/login', '/register'];
const memberPages = {
  'feeds and asking': ['/', '/?tab=unanswered', '/ask', '/nowhere'],
  'profiles and settings': [
    '/profile',
    '/profile?tab=answers',
    '/profile/999999999',
    '/settings',
    '/settings?tab=account',
  ],
  'what is kept': ['/drafts', '/bookmarks'],
  topics: ['/topics', '/topics?q=nothing-like-it', `/topics/${'a'.repeat(35)}`, '/topics/nothing-like-it'],
  'following and notifications': [
    '/following',
    '/following?tab=activity',
    '/following?tab=topics',
    '/notifications',
  ],
  'search results': [
    '/search',
    '/search?q=x',
    '/search?q=n&in=users',
    '/search?q=nothing-like-it&in=answers',
  ],
};

/** What strains a layout: long words, another direction, many tags, a long name. */
async function seedExtremes(page: Page): Promise<void> {
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
}

const looks = [
  { theme: 'light', viewport: { width: 1280, height: 800 } },
  { theme: 'dark', viewport: { width: 320, height: 640 } },
] as const;

for (const address of visitorPages)
  test(`${address} is accessible and scrolls downwards only, wide in light and on a phone in dark`, async ({
    page,
  }) => {
    await check(page, address);
  });

for (const [group, addresses] of Object.entries(memberPages))
  test(`${group} are accessible and scroll downwards only, wide in light and on a phone in dark`, async ({
    page,
  }) => {
    test.slow();
    await seedExtremes(page);
    for (const address of addresses) await check(page, address);
  });

async function check(page: Page, address: string) {
  await page.goto(address);
  for (const { theme, viewport } of looks) {
    await page.setViewportSize(viewport);
    // Colours that are still on their way from one theme to the other are nobody's.
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', theme);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
    const look = `${address} at ${viewport.width} in ${theme}`;
    await expectAccessible(page, { look });
    expect(await getHorizontalOverflow(page), look).toBeLessThanOrEqual(0);
  }
  // A phone on its side, and a window of 1280 by 800 at twice its size.
  for (const viewport of [
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

test('the bar at the top and the sidebar have the names people and programs look for', async ({ page }) => {
  await registerMember(page.request);
  await page.goto('/');
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

test('a phone has the bar at the bottom, with targets a finger can hit', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await registerMember(page.request);
  await page.goto('/');
  const bar = page.getByRole('navigation', { name: 'Main' });
  await expect(bar.getByRole('link')).toHaveText(['Home', 'Topics', 'Ask', 'Following', 'Alerts']);
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

test('the first Tab offers to skip to the content', async ({ page }) => {
  await registerMember(page.request);
  await page.goto('/');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('tab', { name: 'Recent' })).toBeFocused();
});

test('an address with nothing behind it says so', async ({ page }) => {
  await registerMember(page.request);
  await page.goto('/nowhere/at/all');
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible();
  await expect(page).toHaveTitle('Page not found · Parley');
  await page.getByRole('link', { name: 'Go to Home' }).click();
  await expect(page.getByRole('heading', { name: 'Questions for you' })).toBeFocused();
});

test('files arrive compressed and are kept; those of an earlier build are gone, not another page', async ({
  request,
}) => {
  const page = await request.get('/anywhere');
  expect(page.headers()['cache-control']).toBe('no-cache');
  const program = /assets\/index-[\w-]+\.js/u.exec(await page.text())?.[0];
  const kept = await request.get(`/${program}`, { headers: { 'accept-encoding': 'br' } });
  expect(kept.headers()).toMatchObject({
    'content-encoding': 'br',
    'cache-control': 'public, max-age=31536000, immutable',
  });
  const gone = await request.get('/assets/index-gone.js');
  expect(gone.status()).toBe(404);
  expect(gone.headers()['cache-control']).toBe('no-store');
});
