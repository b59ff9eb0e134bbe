import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test, type APIRequestContext } from '@playwright/test';
import { runCommand } from '#tests/support/command.ts';
import { registerMember, newMember } from './support/members.ts';
import { startCommunity, type Community } from './support/community.ts';

const project = path.resolve(import.meta.dirname, '../..');

/** A real archive next to the checkout, on machines that have it. It is not part of the repository. */
const archive = path.join(project, '../shared/data/beer-2020');

test.describe('a real archive', () => {
  test.skip(!existsSync(archive), `NOT RUN: no real archive at ${archive}.`);
  test.slow();

  let community: Community;
  test.beforeAll(async () => {
    test.setTimeout(180_000);
    community = await startCommunity();
    await runCommand(community.dataDirectory, 'import', 'stackexchange', archive);
  });
  test.afterAll(() => community.remove());

  test("can be read, voted on and answered together with members' posts, and names its source", async ({
    page,
  }) => {
    const { address } = community;
    await registerMember(page.request, newMember('Ada'), address);
    const longest = await longestThread(page.request, address);
    await page.goto(`${address}/question/${longest.id}`);
    const asked = page.getByRole('article', { name: longest.title });
    await expect(page.getByRole('heading', { name: `${longest.answerCount} Answers` })).toBeVisible();
    await expect(page.getByRole('article', { name: /^Answer by /u })).toHaveCount(longest.answerCount);

    await expect(asked.getByText('From alcohol.stackexchange.com')).toBeVisible();
    await expect(asked.getByRole('link', { name: 'original' })).toHaveAttribute(
      'href',
      /^https:\/\/alcohol\.stackexchange\.com\/questions\/\d+$/u,
    );
    await expect(asked.getByText(/CC BY-SA/u)).toBeVisible();

    await asked.getByRole('button', { name: `Upvote (${longest.upvotes})` }).click();
    await expect(asked.getByRole('button', { name: `Upvote (${longest.upvotes + 1})` })).toHaveAttribute(
      'aria-pressed',
      'true',
    );
    await page.getByLabel('Your answer').fill('One that is cold.');
    await page.getByRole('button', { name: 'Post Answer' }).click();
    await expect(page.getByRole('heading', { name: `${longest.answerCount + 1} Answers` })).toBeVisible();
    await expect(page.getByRole('article', { name: 'Answer by Ada' })).toContainText('One that is cold.');
  });
});

type Card = { id: number; title: string; answerCount: number; upvotes: number };

/** The question with the most answers, found page by page. */
async function longestThread(request: APIRequestContext, address: string): Promise<Card> {
  let longest: Card = { id: 0, title: '', answerCount: -1, upvotes: 0 };
  let cursor: string | null = '';
  while (cursor !== null) {
    const response = await request.get(
      `${address}/api/feeds/popular${cursor === '' ? '' : `?cursor=${cursor}`}`,
    );
    const page = (await response.json()) as { items: Card[]; nextCursor: string | null };
    for (const card of page.items) if (card.answerCount > longest.answerCount) longest = card;
    cursor = page.nextCursor;
  }
  return longest;
}
