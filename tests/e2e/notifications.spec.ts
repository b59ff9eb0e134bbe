import { expect, test, type APIRequestContext, type Page } from '@playwright/test';
import { askQuestion, registerMember } from './support/members.ts';
import { postAnswer, uniqueText, upvote } from './support/posts.ts';

// With animations, as most members see it.
test.use({ contextOptions: { reducedMotion: 'no-preference' } });

const notificationButton = (page: Page) =>
  page.getByRole('banner').getByRole('button', { name: 'Notifications' });
const menu = (page: Page) => page.getByRole('dialog', { name: 'Notifications' });

async function answers(request: APIRequestContext, questionId: number, times: number): Promise<void> {
  for (let n = 1; n <= times; n++) await postAnswer(request, questionId, `Answer ${n}`);
}

test('the menu lists 10, and links to the full list from 11 on', async ({ page, request }) => {
  await registerMember(page.request);
  await registerMember(request);
  const id = await askQuestion(page.request, { title: uniqueText('Eleven?') });
  await answers(request, id, 10);
  await page.goto('/');
  await notificationButton(page).click();
  await expect(menu(page).getByRole('listitem')).toHaveCount(10);
  await expect(menu(page).getByRole('link', { name: 'View all notifications' })).toBeHidden();
  await page.keyboard.press('Escape');

  await upvote(request, id);
  // Opening the menu requests new notifications.
  await notificationButton(page).click();
  await expect(menu(page).getByRole('listitem').first()).toContainText('upvoted your question');
  await expect(menu(page).getByRole('listitem')).toHaveCount(10);

  // A page from before an upgrade leaves out a kind that it does not know.
  await page.keyboard.press('Escape');
  const isList = ({ pathname }: URL) => pathname === '/api/notifications';
  await page.route(isList, async (route) => {
    const response = await route.fetch();
    const list = (await response.json()) as { items: { kind: string }[] };
    const [newest, ...others] = list.items;
    await route.fulfill({ response, json: { ...list, items: [{ ...newest, kind: 'added' }, ...others] } });
  });
  await notificationButton(page).click();
  await expect(menu(page).getByText('upvoted your question')).toHaveCount(0);
  await expect(menu(page).getByText('answered your question').first()).toBeVisible();
  await page.unroute(isList);
  await menu(page).getByRole('link', { name: 'View all notifications' }).click();
  await expect(page).toHaveURL('/notifications');
  await expect(menu(page)).toBeHidden();
  await expect(page.getByRole('heading', { name: 'Notifications', level: 1 })).toBeVisible();
  await expect(page.getByRole('main').getByRole('listitem')).toHaveCount(11);
});

test('above 99 the badge reads 99+', async ({ page, playwright, baseURL }) => {
  test.slow();
  await registerMember(page.request);
  const id = await askQuestion(page.request, { title: uniqueText('A hundred?') });
  // A member can write only a few dozen answers in ten minutes: two members reach a hundred.
  for (const times of [50, 50]) {
    const other = await playwright.request.newContext({ ...(baseURL && { baseURL }) });
    await registerMember(other);
    await answers(other, id, times);
    await other.dispose();
  }
  await page.goto('/');
  await expect(notificationButton(page)).toHaveText('99+');
  await expect(notificationButton(page)).toHaveAccessibleName('Notifications, 100 unread');
  await expect(page).toHaveTitle('(99+) Questions for you · Parley');
});

test('/notifications lists all and unread ones, 20 at a time', async ({ page, request }) => {
  test.slow();
  await registerMember(page.request);
  await registerMember(request);
  const id = await askQuestion(page.request, { title: uniqueText('Many answers?') });
  await answers(request, id, 23);
  await page.goto('/notifications');
  await expect(page).toHaveTitle('(23) Notifications · Parley');
  const items = page.getByRole('main').getByRole('listitem');
  await expect(items).toHaveCount(20);
  await page.getByRole('button', { name: 'Load more' }).click();
  await expect(items).toHaveCount(23);
  await items.first().getByRole('link').click();
  await expect(page).toHaveURL(/\/question\//u);
  await page.goBack();
  await page.getByRole('tab', { name: 'Unread' }).click();
  await expect(page).toHaveURL('/notifications?tab=unread');
  await expect(page.getByRole('button', { name: 'Load more' })).toBeVisible();
  await page.getByRole('button', { name: 'Load more' }).click();
  await expect(items).toHaveCount(22);
  await page.getByRole('button', { name: 'Mark all read' }).click();
  await expect(page.getByText('All caught up')).toBeVisible();
  await expect(notificationButton(page)).toHaveAccessibleName('Notifications');
  await page.getByRole('tab', { name: 'All' }).click();
  await expect(items).toHaveCount(23);
  await expect(page.getByRole('main').getByText('Unread:')).toHaveCount(0);
});

test('a failed mark-as-read restores unread, without a message', async ({ page, request }) => {
  await registerMember(page.request);
  await registerMember(request);
  const id = await askQuestion(page.request, { title: uniqueText('Refused?') });
  await answers(request, id, 2);
  await page.goto('/notifications');
  const logged: string[] = [];
  page.on('console', (message) => logged.push(message.text()));
  const { promise: held, resolve: fail } = Promise.withResolvers<void>();
  await page.route('**/api/notifications/read', async (route) => {
    await held;
    await route.abort();
  });
  const unread = page.getByRole('main').getByText('Unread:');
  await page.getByRole('button', { name: 'Mark all read' }).click();
  await expect(unread).toHaveCount(0);
  // A response written before the failed request does not restore it.
  await page.getByRole('tab', { name: 'Unread' }).click();
  const again = page.waitForEvent('requestfinished', (request) => request.url().includes('filter=all'));
  await page.getByRole('tab', { name: 'All' }).click();
  await again;
  await expect(unread).toHaveCount(0);
  const afterwards = page.waitForEvent('requestfinished', (request) => request.url().includes('filter=all'));
  fail();
  await expect(unread).toHaveCount(2);
  await afterwards;
  await expect(unread).toHaveCount(2);
  await expect(notificationButton(page)).toHaveAccessibleName('Notifications, 2 unread');
  expect(logged.join('\n')).toContain('Marking all notifications read failed');
  await expect(page.getByRole('alert')).toBeHidden();
});

test('a failed mark-as-read keeps other marks and the pages that were loaded meanwhile', async ({
  page,
  request,
}) => {
  test.slow();
  await registerMember(page.request);
  await registerMember(request);
  const id = await askQuestion(page.request, { title: uniqueText('One of two?') });
  await answers(request, id, 22);
  await page.goto('/notifications');
  const items = page.getByRole('main').getByRole('listitem');
  await expect(items).toHaveCount(20);
  const { promise: held, resolve: fail } = Promise.withResolvers<void>();
  const isMark = (url: URL) => /^\/api\/notifications\/\d+\/read$/u.test(url.pathname);
  await page.route(
    isMark,
    async (route) => {
      await held;
      await route.abort();
    },
    { times: 1 },
  );
  const markButton = (index: number) => items.nth(index).getByRole('button', { name: 'Mark read' });
  await markButton(0).click();
  await expect(markButton(0)).toHaveCount(0);
  const saved = page.waitForResponse((response) => isMark(new URL(response.url())));
  await markButton(1).click();
  await saved;
  await page.getByRole('button', { name: 'Load more' }).click();
  await expect(items).toHaveCount(22);
  fail();
  await expect(markButton(0)).toBeVisible();
  await expect(markButton(1)).toHaveCount(0);
  await expect(items).toHaveCount(22);
  await expect(notificationButton(page)).toHaveAccessibleName('Notifications, 21 unread');
});

test('marks nothing read before the list is loaded', async ({ page, request }) => {
  await registerMember(page.request);
  await registerMember(request);
  const id = await askQuestion(page.request, { title: uniqueText('Not shown yet?') });
  await answers(request, id, 2);
  await page.goto('/');
  await expect(notificationButton(page)).toHaveText('2');
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/api/notifications?filter=all*', async (route) => {
    await held;
    await route.continue();
  });
  await page.goto('/notifications');
  const button = page.getByRole('button', { name: 'Mark all read' });
  await expect(notificationButton(page)).toHaveText('2');
  await expect(button).toHaveAttribute('aria-disabled', 'true');
  release();
  await expect(page.getByRole('main').getByRole('listitem')).toHaveCount(2);
  await button.click();
  await expect(page.getByRole('main').getByText('Unread:')).toHaveCount(0);
});

test('menu and page have an empty state without notifications', async ({ page }) => {
  await registerMember(page.request);
  await page.goto('/notifications');
  await expect(page.getByText('No notifications yet')).toBeVisible();
  await page.getByRole('tab', { name: 'Unread' }).click();
  await expect(page.getByText('All caught up')).toBeVisible();
  await notificationButton(page).click();
  await expect(
    menu(page).getByText('Answers, replies and upvotes on your posts show up here.'),
  ).toBeVisible();
});

test('on a phone, the Notifications tab says how many are unread', async ({ page, request }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await registerMember(page.request);
  await registerMember(request);
  const id = await askQuestion(page.request, { title: uniqueText('In the pocket?') });
  await answers(request, id, 2);
  await page.goto('/');
  const alerts = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Notifications' });
  await expect(alerts).toHaveAccessibleName('Notifications, 2 unread');
  await alerts.click();
  await expect(page.getByRole('main').getByRole('listitem')).toHaveCount(2);
});
