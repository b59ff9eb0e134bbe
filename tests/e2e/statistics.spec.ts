import { readFile } from 'node:fs/promises';
import { expect, test } from '@playwright/test';
import { expectInView } from './support/in-view.ts';
import { waitForHydration } from './support/hydration.ts';
import { askQuestion, makeModerator, newMember, registerMember } from './support/members.ts';
import { postAnswer, uniqueText } from './support/posts.ts';

test('a moderator compares periods, reads a chart by keyboard, narrows to a topic, and downloads the numbers', async ({
  page,
}) => {
  // The first count begins up to a minute after the server.
  test.setTimeout(120_000);
  const { email } = await registerMember(page.request, newMember(uniqueText('Stella Statistics')));
  const tag = `numbers${Date.now()}`;
  const id = await askQuestion(page.request, { title: uniqueText('How many?'), tags: [tag] });
  await postAnswer(page.request, id, 'Many.');
  await page.goto('/admin/statistics');
  await expect(page.getByRole('heading', { name: 'Statistics' })).toHaveCount(0);

  await makeModerator(email);
  // Before the first count, the page says so instead of showing zeros, and shows the numbers when they are there.
  const isFirst = (address: URL) => address.pathname === '/api/admin/statistics';
  await page.route(isFirst, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), countedAt: null } });
  });
  await page.goto('/moderation');
  await page.getByRole('button', { name: 'Moderation', exact: true }).click();
  await expectInView(page.getByRole('menuitem', { name: 'Statistics' }));
  await page.getByRole('menuitem', { name: 'Statistics' }).click();
  await expect(page.getByRole('heading', { name: 'Statistics', exact: true })).toBeVisible();
  await expect(page.getByText('Counting …')).toBeVisible();
  await expect(page.getByLabel('Period', { exact: true })).toHaveCount(0);
  await page.unroute(isFirst);
  await expect(page.getByLabel('Period', { exact: true })).toBeVisible({ timeout: 75_000 });
  await page.getByRole('tab', { name: 'Days' }).click();
  await expect(page.getByLabel('Period', { exact: true }).getByRole('option')).toHaveCount(30);
  const answers = page.getByRole('button', { name: /^Answers/ });
  await answers.click();
  await expect(answers).toHaveAttribute('aria-pressed', 'true');
  const chart = page.getByRole('slider', { name: 'Answers' });
  await chart.focus();
  await expect(chart).toHaveAttribute('aria-valuenow', '29');
  await page.keyboard.press('ArrowLeft');
  await expect(chart).toHaveAttribute('aria-valuenow', '28');

  await page.goto(`/admin/statistics?unit=month&tag=${tag}`);
  await waitForHydration(page);
  await expect(page.getByText(`Topic: ${tag}`)).toBeVisible();
  await expect(page.getByRole('button', { name: /^New members/ })).toHaveCount(0);
  await page.getByRole('link', { name: 'All topics' }).click();
  await expect(page.getByRole('heading', { name: 'Searches without results' })).toBeVisible();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download Statistics as CSV' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('statistics-months.csv');
  expect(await readFile(await download.path(), 'utf8')).toMatch(/^month,questions,.*moderation_actions\r\n/);
});
