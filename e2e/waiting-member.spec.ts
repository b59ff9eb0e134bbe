import { expect, test } from '@playwright/test';
import { expectAccessible } from './axe.ts';
import { button } from './controls.ts';
import { ask, logOut, register, signIn, someone } from './members.ts';
import { expectOpened } from './opened.ts';
import { answer, askAndOpen, secondMember, unique } from './posts.ts';
import { answers, answersOf, cutApi, offline, waitingAnswer, writeAnswer } from './waiting.ts';

test('a waiting answer is edited and discarded', async ({ page, context }) => {
  await register(page.request);
  const id = await askAndOpen(page, unique('Second thoughts?'));
  const field = page.getByLabel('Your answer');
  await context.setOffline(true);
  await writeAnswer(page, 'First thought');
  await waitingAnswer(page).getByRole('button', { name: 'Edit' }).click();
  await expect(waitingAnswer(page)).toHaveCount(0);
  await expect(field).toBeFocused();
  await expect(field).toHaveValue('First thought');
  await page.keyboard.type(', and a second');
  await button(page, 'Post Answer').click();
  await expect(waitingAnswer(page)).toContainText('First thought, and a second');
  await writeAnswer(page, 'Nobody needs this');
  await expect(waitingAnswer(page)).toHaveCount(2);
  await waitingAnswer(page).first().getByRole('button', { name: 'Delete' }).click();
  await expectOpened(page.getByRole('dialog'));
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await expect(waitingAnswer(page)).toHaveCount(2);
  await waitingAnswer(page).first().getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect(waitingAnswer(page)).toHaveCount(1);
  await context.setOffline(false);
  await expect(waitingAnswer(page)).toHaveCount(0);
  await expect.poll(() => answersOf(page.request, id)).toEqual(['First thought, and a second']);
});

test('what waits is never sent as another member, and goes on when its own is back', async ({ page }) => {
  const ada = await register(page.request, someone('Ada Away'));
  const id = await askAndOpen(page, unique('Who says so?'));
  const mend = await cutApi(page);
  await writeAnswer(page, 'Ada says so.');
  await expect(waitingAnswer(page)).toBeVisible();
  await page.route('**/answers', (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    return route.fulfill({ status: 503, headers: { 'retry-after': '1' }, body: '' });
  });
  await mend();
  await expect(offline(page)).toHaveCount(0);
  await logOut(page);
  await page.unroute('**/answers');

  await register(page.request, someone('Ben Instead'));
  await page.goto(`/question/${id}`);
  await expect(page.getByRole('heading', { name: '0 Answers' })).toBeVisible();
  await expect(waitingAnswer(page)).toHaveCount(0);
  await expect(page.getByText('to be sent')).toHaveCount(0);
  await logOut(page);
  await signIn(page, ada);
  await expect(page).toHaveURL('/');
  await expect.poll(() => answersOf(page.request, id)).toEqual(['Ada says so.']);
  await page.goto(`/question/${id}`);
  await expect(answers(page, 'Ada Away')).toContainText('Ada says so.');
});

test('a tab of a member who was replaced in another one sends nothing as the other', async ({
  page,
  context,
}) => {
  await register(page.request, someone('Ada First'));
  const id = await askAndOpen(page, unique('Who am I?'));
  await context.setOffline(true);
  await writeAnswer(page, 'I am Ada.');
  await expect(waitingAnswer(page)).toBeVisible();
  // As by a sign-in in another tab: this one has not heard of it.
  const ben = await register(page.request, someone('Ben Second'));
  await context.setOffline(false);
  await expect(waitingAnswer(page)).toHaveCount(0);
  await button(page, 'Account menu').click();
  await expect(page.getByRole('menu')).toContainText(ben.displayName);
  expect(await answersOf(page.request, id)).toEqual([]);
});

test('garbage in the storage breaks nothing', async ({ page, context }) => {
  await register(page.request);
  const id = await askAndOpen(page, unique('What is all this?'));
  const { member } = (await (await page.request.get('/api/session')).json()) as { member: { id: number } };
  await page.evaluate((memberId) => {
    const at = '000000000000001';
    const write = (name: string, value: string) =>
      localStorage.setItem(`parley.waiting.${memberId}.${name}`, value);
    write('x', '{');
    write(`${at}-a`, 'null');
    write(
      `${at}-b`,
      JSON.stringify({ kind: 'answer', target: 'x', data: { questionId: '1' }, refused: null }),
    );
    write(`${at}-c`, JSON.stringify({ kind: 'dance', target: 'x', data: {}, refused: null }));
    write(`${at}-d`, JSON.stringify({ kind: 'vote', target: 1, data: [], refused: 7 }));
  }, member.id);
  await page.reload();
  await expect(page.getByRole('heading', { name: '0 Answers' })).toBeVisible();
  await expect(page.getByText('to be sent')).toHaveCount(0);
  await context.setOffline(true);
  await writeAnswer(page, 'Just an answer');
  await expect(page.getByText('1 change waits to be sent.')).toBeVisible();
  await context.setOffline(false);
  await expect.poll(() => answersOf(page.request, id)).toEqual(['Just an answer']);
});

test('what waits has no barriers in both themes, and fits a phone', async ({ page, context, browser }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await register(page.request, someone('N'.repeat(80)));
  const ben = await secondMember(browser, 'Ben');
  const id = await ask(ben.page.request, { title: unique('Narrow?') });
  await answer(ben.page.request, id);
  await page.goto(`/question/${id}`);
  await expect(answers(page, 'Ben')).toBeVisible();
  await context.setOffline(true);
  await writeAnswer(page, `https://example.org/${'z'.repeat(300)}`);
  await answers(page, 'Ben').getByRole('button', { name: 'Reply', exact: true }).click();
  await page.getByLabel('Your reply').fill('y'.repeat(300));
  await button(page, 'Post Reply').click();
  await answers(page, 'Ben').getByRole('button', { name: 'Upvote (0)' }).click();
  await button(page, 'Follow question').click();
  await expect(page.getByText('4 changes wait to be sent.')).toBeVisible();
  await expectAccessible(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark');
  await expectAccessible(page, { colours: true });
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(overflow).toBe(0);
});
