import { expect, test } from '@playwright/test';
import { waitForTexts } from './support/hydration.ts';
import { expectAccessible } from './support/accessibility.ts';
import { askAndOpen, button, postAnswer, question, secondMember, uniqueText } from './support/posts.ts';
import { askQuestion, newMember, registerMember, signIn, signOut } from './support/members.ts';
import { expectInView } from './support/in-view.ts';
import {
  answersBy,
  blockApi,
  getAnswerTexts,
  offlineBanner,
  queuedAnswer,
  writeAnswer,
} from './support/offline-queue.ts';

test('a queued answer is edited and discarded', async ({ page, context }) => {
  await registerMember(page.request);
  const id = await askAndOpen(page, uniqueText('Second thoughts?'));
  const field = page.getByLabel('Your answer');
  // The code of dialogs is loaded right after the page.
  await page.waitForFunction(() =>
    performance.getEntriesByType('resource').some(({ name }) => name.includes('/dialogs-')),
  );
  await context.setOffline(true);
  await writeAnswer(page, 'First thought');
  await queuedAnswer(page).getByRole('button', { name: 'Edit' }).click();
  await expect(queuedAnswer(page)).toHaveCount(0);
  await expect(field).toBeFocused();
  await expect(field).toHaveValue('First thought');
  await page.keyboard.type(', and a second');
  await button(page, 'Post Answer').click();
  await expect(queuedAnswer(page)).toContainText('First thought, and a second');
  await writeAnswer(page, 'Nobody needs this');
  await expect(queuedAnswer(page)).toHaveCount(2);
  await queuedAnswer(page).first().getByRole('button', { name: 'Delete' }).click();
  await expectInView(page.getByRole('dialog'));
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await expect(queuedAnswer(page)).toHaveCount(2);
  await queuedAnswer(page).first().getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect(queuedAnswer(page)).toHaveCount(1);
  await context.setOffline(false);
  await expect(queuedAnswer(page)).toHaveCount(0);
  await expect.poll(() => getAnswerTexts(page.request, id)).toEqual(['First thought, and a second']);
});

test('queued actions are never sent as another member, and are sent when their own member is back', async ({
  page,
}) => {
  const ada = await registerMember(page.request, newMember('Ada Away'));
  const id = await askAndOpen(page, uniqueText('Who says so?'));
  const unblockApi = await blockApi(page);
  await writeAnswer(page, 'Ada says so.');
  await expect(queuedAnswer(page)).toBeVisible();
  await page.route('**/answers', (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    return route.fulfill({ status: 503, headers: { 'retry-after': '1' }, body: '' });
  });
  await unblockApi();
  await expect(offlineBanner(page)).toHaveCount(0);
  await signOut(page);
  await page.unroute('**/answers');

  await registerMember(page.request, newMember('Ben Instead'));
  await page.goto(`/question/${id}`);
  await expect(page.getByRole('heading', { name: '0 Answers' })).toBeVisible();
  await expect(queuedAnswer(page)).toHaveCount(0);
  await expect(page.getByText('to be sent')).toHaveCount(0);
  await signOut(page);
  await signIn(page, ada);
  await expect(page).toHaveURL('/');
  await expect.poll(() => getAnswerTexts(page.request, id)).toEqual(['Ada says so.']);
  await page.goto(`/question/${id}`);
  await expect(answersBy(page, 'Ada Away')).toContainText('Ada says so.');
});

test('a tab of a member who was replaced in another tab sends nothing as the new member', async ({
  page,
  context,
}) => {
  await registerMember(page.request, newMember('Ada First'));
  const id = await askAndOpen(page, uniqueText('Who am I?'));
  await context.setOffline(true);
  await writeAnswer(page, 'I am Ada.');
  await expect(queuedAnswer(page)).toBeVisible();
  // As with a sign-in in another tab: this tab does not know about it yet.
  const ben = await registerMember(page.request, newMember('Ben Second'));
  await context.setOffline(false);
  await expect(queuedAnswer(page)).toHaveCount(0);
  await button(page, 'Account menu').click();
  await expect(page.getByRole('menu')).toContainText(ben.displayName);
  expect(await getAnswerTexts(page.request, id)).toEqual([]);
});

test('an answer is refused if another member signed in in another tab', async ({ page }) => {
  // This tab gets no live updates.
  await page.routeWebSocket(/./u, () => undefined);
  await registerMember(page.request, newMember('Ada First'));
  const id = await askAndOpen(page, uniqueText('Whose answer is it?'));
  // As with a sign-in in another tab: this tab does not know about it yet.
  const ben = await registerMember(page.request, newMember('Ben Second'));
  await writeAnswer(page, 'I am Ada.');
  await button(page, 'Account menu').click();
  await expect(page.getByRole('menu')).toContainText(ben.displayName);
  expect(await getAnswerTexts(page.request, id)).toEqual([]);
});

test('an edit is refused if another member signed in in another tab', async ({ page }) => {
  // This tab gets no live updates.
  await page.routeWebSocket(/./u, () => undefined);
  await registerMember(page.request, newMember('Ada First'));
  const title = uniqueText('Whose question is it?');
  const id = await askAndOpen(page, title);
  await question(page, title).getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByLabel('Details').fill('I am Ada.');
  const ben = await registerMember(page.request, newMember('Ben Second'));
  await button(page, 'Save').click();
  await button(page, 'Account menu').click();
  await expect(page.getByRole('menu')).toContainText(ben.displayName);
  expect(await (await page.request.get(`/api/questions/${id}`)).text()).not.toContain('I am Ada.');
});

test('a follow is refused with a message if another member signed in in another tab', async ({ page }) => {
  // This tab gets no live updates.
  await page.routeWebSocket(/./u, () => undefined);
  await registerMember(page.request, newMember('Ada First'));
  const title = uniqueText('Who follows it?');
  await askAndOpen(page, title);
  await registerMember(page.request, newMember('Ben Second'));
  await question(page, title).getByRole('button', { name: 'Follow question' }).click();
  await expect(page.getByText('The member who made this change has signed out.')).toBeVisible();
});

test('a setting of a member who was replaced in another tab is not changed for the new member', async ({
  page,
}) => {
  // This tab gets no live updates.
  await page.routeWebSocket(/./u, () => undefined);
  await registerMember(page.request, newMember('Ada First'));
  await page.goto('/settings#notifications');
  const inApp = page.getByRole('checkbox', { name: 'Answers to my questions In the app' });
  await expect(inApp).toBeInViewport();
  // As with a sign-in in another tab: this tab does not know about it yet.
  const ben = await registerMember(page.request, newMember('Ben Second'));
  const saved = page.waitForResponse((response) => response.request().method() === 'PUT');
  await inApp.click();
  expect((await saved).status()).toBe(401);
  await expect(page.getByText('The member who made this change has signed out.')).toBeVisible();
  await button(page, 'Account menu').click();
  await expect(page.getByRole('menu')).toContainText(ben.displayName);
  const { preferences } = await (await page.request.get('/api/notification-preferences')).json();
  expect(preferences).toContainEqual(expect.objectContaining({ category: 'answers', inApp: true }));
});

test('invalid data in the storage breaks nothing', async ({ page, context }) => {
  await registerMember(page.request);
  const id = await askAndOpen(page, uniqueText('What is all this?'));
  const { member } = (await (await page.request.get('/api/session')).json()) as { member: { id: number } };
  await page.evaluate((memberId) => {
    const at = '000000000000001';
    const write = (name: string, value: string) =>
      localStorage.setItem(`parley.offline-queue.${memberId}.${name}`, value);
    write('x', '{');
    write(`${at}-a`, 'null');
    write(
      `${at}-b`,
      JSON.stringify({ kind: 'answer', target: 'x', data: { questionId: '1' }, refusalReason: null }),
    );
    write(`${at}-c`, JSON.stringify({ kind: 'dance', target: 'x', data: {}, refusalReason: null }));
    write(`${at}-d`, JSON.stringify({ kind: 'vote', target: 1, data: [], refusalReason: 7 }));
  }, member.id);
  await page.reload();
  await expect(page.getByRole('heading', { name: '0 Answers' })).toBeVisible();
  await expect(page.getByText('to be sent')).toHaveCount(0);
  await context.setOffline(true);
  await writeAnswer(page, 'Just an answer');
  await expect(page.getByText('1 change is waiting to be sent.')).toBeVisible();
  await context.setOffline(false);
  await expect.poll(() => getAnswerTexts(page.request, id)).toEqual(['Just an answer']);
});

test('queued posts have no accessibility violations in both themes, and fit a phone', async ({
  page,
  context,
  browser,
}) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await registerMember(page.request, newMember('N'.repeat(80)));
  const ben = await secondMember(browser, 'Ben');
  const id = await askQuestion(ben.page.request, { title: uniqueText('Narrow?') });
  await postAnswer(ben.page.request, id);
  await page.goto(`/question/${id}`);
  await waitForTexts(page);
  await expect(answersBy(page, 'Ben')).toBeVisible();
  await context.setOffline(true);
  await writeAnswer(page, `https://example.org/${'z'.repeat(300)}`);
  await answersBy(page, 'Ben').getByRole('button', { name: 'Reply', exact: true }).click();
  await page.getByLabel('Your reply').fill('y'.repeat(300));
  await button(page, 'Post Reply').click();
  await answersBy(page, 'Ben').getByRole('button', { name: 'Upvote (0)' }).click();
  await button(page, 'Follow question').click();
  await expect(page.getByText('4 changes are waiting to be sent.')).toBeVisible();
  await expectAccessible(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark');
  await expectAccessible(page, { colours: true });
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(overflow).toBe(0);
});
