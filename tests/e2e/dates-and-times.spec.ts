import { expect, test } from '@playwright/test';
import { askQuestion, registerMember } from './support/members.ts';
import { uniqueText } from './support/posts.ts';
import { visit } from './support/visit.ts';

const day = 24 * 60 * 60 * 1000;

test.describe('in Auckland, with a German browser', () => {
  test.use({ timezoneId: 'Pacific/Auckland', locale: 'de-DE' });

  test("times are in the reader's time zone and in the language of the page", async ({ page }) => {
    await registerMember(page.request);
    const title = uniqueText('What time is it?');
    await askQuestion(page.request, { title });
    await page.goto('/');
    const time = page.getByRole('article', { name: title }).locator('time');
    await expect(time).toHaveText('gerade eben');
    const at = new Date((await time.getAttribute('datetime')) ?? '');
    const there = at.toLocaleString('de', {
      dateStyle: 'full',
      timeStyle: 'short',
      timeZone: 'Pacific/Auckland',
    });
    await expect(time).toHaveAttribute('title', there);
  });
});

test('a card counts minutes, hours, days and weeks, then shows the date', async ({ page }) => {
  await registerMember(page.request);
  const title = uniqueText('How long ago?');
  await askQuestion(page.request, { title });
  await page.goto('/');
  const time = page.getByRole('article', { name: title }).locator('time');
  const at = new Date((await time.getAttribute('datetime')) ?? '').getTime();
  const minute = 60_000;
  const date = new Date(at).toLocaleDateString('en', { day: 'numeric', month: 'short', year: 'numeric' });
  for (const [later, text] of [
    // A clock that is behind the server's clock.
    [-5 * minute, 'just now'],
    [59 * minute, '59 minutes ago'],
    [60 * minute, '1 hour ago'],
    [23 * 60 * minute, '23 hours ago'],
    [day, '1 day ago'],
    [6 * day, '6 days ago'],
    [7 * day, '1 week ago'],
    [29 * day, '4 weeks ago'],
    [30 * day, date],
  ] as const) {
    await page.clock.setFixedTime(at + later);
    await visit(page, '/');
    await expect(time).toHaveText(text);
  }
  await page.reload();
  await expect(time).toHaveText(date);
});

test('a post counts days up to 30, then shows its date with the exact time as title', async ({ page }) => {
  await registerMember(page.request);
  const id = await askQuestion(page.request, { title: uniqueText('How old is it?') });
  const path = `/question/${id}`;
  await page.goto(path);
  const time = page.getByRole('article').first().locator('time').first();
  const at = new Date((await time.getAttribute('datetime')) ?? '').getTime();
  const date = new Date(at).toLocaleDateString('en', { day: 'numeric', month: 'short', year: 'numeric' });
  const exact = new Date(at).toLocaleString('en', { dateStyle: 'full', timeStyle: 'short' });
  for (const [later, text] of [
    [29 * day, '29 days ago'],
    [30 * day, '30 days ago'],
    [31 * day, date],
    [3000 * day, date],
  ] as const) {
    await page.clock.setFixedTime(at + later);
    await visit(page, path);
    await expect(time).toHaveText(text);
    await expect(time).toHaveAttribute('title', exact);
    await expect(page.getByText('days ago')).toHaveCount(text === date ? 0 : 1);
  }
  await page.reload();
  await expect(time).toHaveText(date);
});
