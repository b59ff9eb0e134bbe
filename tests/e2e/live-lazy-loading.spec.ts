import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { projectRoot } from '#server/core/paths.ts';
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
  await page.route(`**/assets/${findSocketScript()}`, (route) =>
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

/** The name of the script with the Socket.IO client. Its name alone does not tell it from other libraries. */
function findSocketScript(): string {
  const directory = path.join(projectRoot, 'dist/web/assets');
  const found = readdirSync(directory).find(
    (name) => name.endsWith('.js') && readFileSync(path.join(directory, name), 'utf8').includes('/socket.io'),
  );
  if (found === undefined) throw new Error('no script has the Socket.IO client');
  return found;
}
