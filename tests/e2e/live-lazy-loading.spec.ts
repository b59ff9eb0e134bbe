import { expect, test } from '@playwright/test';
import { askQuestion, registerMember } from './support/members.ts';
import { postAnswer, secondMember, uniqueText } from './support/posts.ts';

test('live updates start later, without an error, when their script fails to load at first', async ({
  page,
  browser,
}) => {
  const errors: string[] = [];
  page.on('pageerror', ({ message }) => errors.push(message));
  await registerMember(page.request);
  const id = await askQuestion(page.request, { title: uniqueText('Does it become live?') });
  let asked = 0;
  // The script of the Socket.IO client.
  await page.route(/\/assets\/esm-[\w-]+\.js$/u, (route) =>
    asked++ === 0 ? route.abort() : route.continue(),
  );
  await page.goto(`/question/${id}`);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect.poll(() => asked, { timeout: 30_000 }).toBeGreaterThan(1);
  const { page: other } = await secondMember(browser, 'Quincy Other');
  await postAnswer(other.request, id, 'This one comes live.');
  await expect(page.getByText('This one comes live.')).toBeVisible();
  expect(errors).toEqual([]);
});
