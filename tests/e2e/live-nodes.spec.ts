import path from 'node:path';
import { expect, test } from '@playwright/test';
import { projectRoot } from '#server/core/paths.ts';
import { runCommand } from '#tests/support/command.ts';
import { askQuestion, registerMember, newMember } from './support/members.ts';
import { type Community, startCommunity, type ServerNode } from './support/community.ts';
import { postAnswer, uniqueText, upvote } from './support/posts.ts';

// One after the other: the tests share their community.
test.describe.configure({ mode: 'default' });

test.describe('with its own nodes', () => {
  test.slow();
  let community: Community;
  let second: ServerNode;
  test.beforeAll(async () => {
    community = await startCommunity();
    second = await community.addNode();
  });
  test.afterAll(() => community.remove());

  test('a page recovers without a reload after its node restarts, with everything that happened meanwhile', async ({
    browser,
  }) => {
    const [here, there] = [
      await browser.newContext({ baseURL: second.address }),
      await browser.newContext({ baseURL: community.address }),
    ] as const;
    const page = await here.newPage();
    await registerMember(page.request, newMember('Ada'));
    await registerMember(there.request, newMember('Ben'));
    const title = uniqueText('Who restarts?');
    const id = await askQuestion(there.request, { title });
    await page.goto(`/question/${id}`);
    await expect(page.getByRole('heading', { name: title, level: 1 })).toBeVisible();
    const feed = await here.newPage();
    await feed.goto('/');
    const card = feed.getByRole('article', { name: title });
    await expect(card).toBeVisible();
    await feed.evaluate(() => document.body.setAttribute('data-loaded-once', ''));

    await second.stop();
    await feed.getByRole('tab', { name: 'Popular' }).click();
    await expect(feed.getByText('You are offline. What you see may be old.')).toBeVisible();
    await postAnswer(there.request, id, 'Meanwhile, next door.');
    await upvote(there.request, id);
    await second.start();
    await expect(page.getByText('Meanwhile, next door.')).toBeVisible({ timeout: 30_000 });
    await expect(feed.getByText('You are offline. What you see may be old.')).toBeHidden({ timeout: 30_000 });
    await expect(feed.getByRole('tab', { name: 'Popular' })).toHaveAttribute('aria-selected', 'true');
    await expect(page.getByRole('button', { name: 'Upvote (1)' })).toBeVisible();
    await expect(card).toContainText('1 answer');
    await postAnswer(there.request, id, 'And live again.');
    // The answer would push down what is in view.
    await page.getByRole('button', { name: '1 new answer' }).click({ timeout: 20_000 });
    await expect(page.getByRole('heading', { name: '2 Answers' })).toBeVisible();
    await expect(card).toContainText('2 answers');
    await expect(feed.locator('[data-loaded-once]')).toHaveCount(1);
    for (const context of [here, there]) await context.close();
  });

  test('an import appears in open feeds of running nodes', async ({ browser }) => {
    const context = await browser.newContext({ baseURL: second.address });
    const page = await context.newPage();
    await registerMember(page.request);
    await askQuestion(page.request, { title: uniqueText('Alone here?') });
    await page.goto('/topics');
    const topics = page.getByRole('main').getByRole('article');
    await expect(page.getByText('No topics yet')).toBeVisible();
    const feed = await context.newPage();
    await feed.goto('/?tab=popular');
    const cards = feed.getByRole('main').getByRole('article');
    await expect(cards.first()).toBeVisible();
    const before = await cards.count();

    const archive = path.join(projectRoot, 'demo');
    await runCommand(community.dataDirectory, 'import', 'stackexchange', archive, '--site', 'demo.example');
    await expect.poll(() => cards.count(), { timeout: 20_000 }).toBeGreaterThan(before);
    await expect(topics.first()).toBeVisible({ timeout: 20_000 });
    await context.close();
  });
});
