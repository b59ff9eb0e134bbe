import { expect, test } from '@playwright/test';
import { askQuestion, registerMember, signIn, newMember } from './support/members.ts';
import { uniqueText } from './support/posts.ts';

test('content shared by another app fills the ask form, after signing in, below text typed before', async ({
  page,
  browser,
}) => {
  const ada = await registerMember(page.request, newMember('Ada Shares'));
  const visitor = await (await browser.newContext()).newPage();
  const shared = new URLSearchParams({
    title: 'How does it fly?',
    text: 'A bird',
    url: 'https://example.org/b',
  });
  await visitor.goto(`/ask?${shared.toString()}`);
  await expect(visitor.getByText('Please log in to ask a question')).toBeVisible();
  await signIn(visitor, ada);
  await expect(visitor).toHaveURL('/ask');
  await expect(visitor.getByLabel('Title')).toHaveValue('How does it fly?');
  await expect(visitor.getByLabel('Details')).toHaveValue('A bird\n\nhttps://example.org/b');

  await visitor.getByLabel('Details').fill('What I typed myself.');
  await visitor.goto('/ask?title=Another&url=javascript:alert(1)');
  await expect(visitor.getByLabel('Title')).toHaveValue('How does it fly?');
  await expect(visitor.getByLabel('Details')).toHaveValue('What I typed myself.\n\nAnother');
});

test('a page older than the server says so, loses no typed text, and is replaced on the next navigation', async ({
  page,
}) => {
  await registerMember(page.request, newMember('Ada Upgrades'));
  const title = uniqueText('Is it the old one?');
  const id = await askQuestion(page.request, { title });
  // The server was upgraded: another build, without this page's scripts.
  await page.route('**/index.html', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<script src="/assets/index-another1.js"></script>' }),
  );
  await page.route(/\/assets\/FollowingPage-[\w-]+\.js/u, (route) => route.fulfill({ status: 404 }));
  await page.goto(`/question/${id}`);
  await page.getByLabel('Your answer').fill('Half a thought');
  // Hovering over a link prefetches its page.
  await page.getByRole('link', { name: 'Following' }).hover();
  await expect(page.getByText('A new version is available.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Reload' })).toBeVisible();
  await expect(page.getByLabel('Your answer')).toHaveValue('Half a thought');

  await page.unrouteAll();
  await page.getByRole('link', { name: 'Following' }).click();
  await expect(page.getByRole('heading', { name: 'Following', level: 1 })).toBeVisible();
  await expect(page.getByText('A new version is available.')).toHaveCount(0);
  await page.goBack();
  await expect(page.getByRole('heading', { name: title })).toBeVisible();
  await expect(page.getByLabel('Your answer')).toHaveValue('Half a thought');
});
