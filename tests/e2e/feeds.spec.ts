import { expect, test, type Page } from '@playwright/test';
import { askQuestion, registerMember, newMember } from './support/members.ts';
import { expectInView } from './support/in-view.ts';
import { startCommunity, type Community } from './support/community.ts';
import { waitForHydration } from './support/hydration.ts';

const cards = (page: Page) => page.getByRole('main').getByRole('article');
const uniqueText = (text: string) => `${text} ${Date.now()}-${Math.random().toString(36).slice(2, 8)}`;

test('the counts of cards are a column in wide windows, and a line below the text in narrow ones', async ({
  page,
}) => {
  await registerMember(page.request);
  const titles = [uniqueText('A short one?'), uniqueText(`A ${'long '.repeat(20)} one?`)];
  for (const title of titles) await askQuestion(page.request, { title });
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto('/');
  const boxes = async (title: string) => {
    const card = page.getByRole('article', { name: title });
    await expect(card.getByText('0 answers', { exact: true })).toBeVisible();
    // At one moment: questions of other tests move the cards.
    return card.evaluate((article) => {
      const texts = new Set(['0 upvotes', '0 answers', '1 view', '0 views']);
      const elements = [...article.querySelectorAll('*')].filter(
        ({ children, textContent }) => children.length === 0 && texts.has(textContent.trim()),
      );
      const heading = article.querySelector('h2')!.getBoundingClientRect();
      return {
        counts: elements.map((element) => element.getBoundingClientRect()),
        heading,
      };
    });
  };
  const edges: number[] = [];
  for (const title of titles) {
    const { counts, heading } = await boxes(title);
    expect(counts).toHaveLength(3);
    edges.push(...counts.map(({ x }) => x));
    for (const { x, width } of counts) expect(x + width).toBeLessThan(heading.x);
  }
  expect(new Set(edges).size).toBe(1);

  await page.setViewportSize({ width: 900, height: 800 });
  for (const title of titles) {
    const { counts, heading } = await boxes(title);
    for (const { y } of counts) expect(y).toBeGreaterThan(heading.y + heading.height);
  }
});

test('shortcuts move between questions, search, ask and show help', async ({ page }) => {
  await registerMember(page.request);
  const older = uniqueText('The older question');
  const newer = uniqueText('The newer question');
  await askQuestion(page.request, { title: older });
  await askQuestion(page.request, { title: newer });
  await page.goto('/');
  await expect(page.getByRole('article', { name: newer })).toBeVisible();
  await waitForHydration(page);
  const focused = page.getByRole('main').locator('h2 a:focus');
  await page.keyboard.press('j');
  const first = (await focused.textContent()) ?? '';
  await page.keyboard.press('j');
  await expect(focused).not.toHaveText(first);
  const second = (await focused.textContent()) ?? '';
  await page.keyboard.press('k');
  await expect(focused).toHaveText(first);
  // After Back, they continue from the question that was opened.
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: first })).toBeVisible();
  await page.goBack();
  await expect(page.getByRole('heading', { name: 'Questions for you' })).toBeFocused();
  await page.keyboard.press('j');
  await expect(focused).toHaveText(second);

  await page.keyboard.press('/');
  const search = page.getByRole('searchbox', { name: 'Search questions' });
  await expect(search).toBeFocused();
  await page.keyboard.type('nj?');
  await expect(search).toHaveValue('nj?');
  await search.blur();
  await page.keyboard.press('?');
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expectInView(sheet);
  await expect(sheet.getByText('Ask a question')).toBeVisible();
  await page.keyboard.press('n');
  await expect(page).toHaveURL('/');
  await page.keyboard.press('Escape');
  await expect(sheet).toBeHidden();
  await page.keyboard.press('n');
  await expect(page).toHaveURL('/ask');
  await expect(page.getByRole('heading', { name: 'Ask a question' })).toBeFocused();
  await page.keyboard.press('g');
  await page.keyboard.press('h');
  await expect(page).toHaveURL('/');
});

test('the search box searches for its text, and does nothing when it is blank', async ({ page }) => {
  await registerMember(page.request);
  await page.goto('/');
  const search = page.getByRole('searchbox', { name: 'Search questions' });
  await search.fill('   ');
  await search.press('Enter');
  await expect(page).toHaveURL('/');
  await search.fill(' a&b c ');
  await search.press('Enter');
  await expect(page).toHaveURL('/search?q=a%26b+c');
});

test('without a network the page says so, keeps its content and recovers on its own', async ({
  page,
  context,
}) => {
  await registerMember(page.request);
  const title = uniqueText('Still here without a network');
  await askQuestion(page.request, { title });
  await page.goto('/');
  await expect(page.getByRole('article', { name: title })).toBeVisible();
  const banner = page.getByRole('status').getByText('You are offline. What you see may be old.');
  await context.setOffline(true);
  await expect(banner).toBeVisible();
  await expectInView(banner);
  await expect(page.getByRole('article', { name: title })).toBeVisible();
  await context.setOffline(false);
  await expect(banner).toBeHidden();
});

test.describe('with its own server', () => {
  // Starts its own server.
  test.slow();
  let community: Community;
  test.beforeEach(async () => {
    community = await startCommunity();
  });
  test.afterEach(() => community.remove());

  test('the feed grows from empty to more than a page, and Back restores all loaded items', async ({
    page,
    playwright,
  }) => {
    const { address } = community;
    await registerMember(page.request, newMember('The First'), address);
    for (const tab of ['', '?tab=popular', '?tab=unanswered']) {
      await page.goto(`${address}/${tab}`);
      await expect(page.getByRole('heading', { name: 'No questions found' })).toBeVisible();
      await expect(page.getByRole('link', { name: 'Ask a question' })).toHaveAttribute('href', '/ask');
    }

    const asked: { id: number; title: string }[] = [];
    for (const name of ['One', 'Two']) {
      const request = await playwright.request.newContext({ baseURL: address });
      await registerMember(request, newMember(name));
      for (let number = 1; number <= 21; number++) {
        const title = `Question ${number} of member ${name}`;
        asked.push({ id: await askQuestion(request, { title }), title });
      }
      await request.dispose();
    }
    const newestFirst = asked.toReversed().map(({ title }) => title);
    const [first, third] = [asked[0], asked[2]];
    await page.request.put(`${address}/api/questions/${third?.id}/vote`, { data: { vote: 'up' } });
    const answer = await page.request.post(`${address}/api/questions/${first?.id}/answers`, {
      data: { content: 'It depends.' },
    });
    expect(answer.status()).toBe(201);

    await page.goto(`${address}/`);
    await expect(cards(page)).toHaveCount(20);
    await page.getByRole('button', { name: 'Load more' }).click();
    await expect(cards(page)).toHaveCount(40);
    await page.getByRole('button', { name: 'Load more' }).click();
    await expect(cards(page).getByRole('heading')).toHaveText(newestFirst);
    await expect(page.getByRole('button', { name: 'Load more' })).toBeHidden();

    const target = page.getByRole('link', { name: newestFirst[30] ?? '', exact: true });
    await target.scrollIntoViewIfNeeded();
    const before = await page.evaluate(() => window.scrollY);
    await target.click();
    await expect(page).toHaveURL(/\/question\/\d+\/[^/]+$/u);
    await page.goBack();
    await expect(cards(page)).toHaveCount(newestFirst.length);
    await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(before);

    await page.goto(`${address}/?tab=popular`);
    await expect(cards(page).first().getByRole('heading')).toHaveText(third?.title ?? '');
    await page.goto(`${address}/?tab=unanswered`);
    for (const count of [40, 41]) {
      await page.getByRole('button', { name: 'Load more' }).click();
      await expect(cards(page)).toHaveCount(count);
    }
    await expect(page.getByRole('article', { name: first?.title ?? '', exact: true })).toBeHidden();
  });
});
