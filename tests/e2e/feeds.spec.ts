import { questionPath } from '#shared/posts/question-paths.ts';
import { expect, test, type Page } from '@playwright/test';
import { askQuestion, registerMember, newMember } from './support/members.ts';
import { expectInView } from './support/in-view.ts';
import { startCommunity, type Community } from './support/community.ts';

const cards = (page: Page) => page.getByRole('main').getByRole('article');
const uniqueText = (text: string) => `${text} ${Date.now()}-${Math.random().toString(36).slice(2, 8)}`;

test('a card shows title, excerpt, tags, author, time and counts', async ({ page, playwright, baseURL }) => {
  const author = await registerMember(page.request, newMember('Grace Hopper'));
  const title = uniqueText('Why was there a moth in relay 70?');
  const content = `${'**moth** '.repeat(60)}the end`;
  const id = await askQuestion(page.request, {
    title,
    content,
    tags: ['hardware', 'history', 'insects', 'debugging', 'mark ii'],
  });
  const other = await playwright.request.newContext({ ...(baseURL && { baseURL }) });
  await registerMember(other);
  await other.put(`/api/questions/${id}/vote`, { data: { vote: 'up' } });
  await other.put(`/api/questions/${id}/view`);
  await other.dispose();

  await page.goto('/');
  const card = page.getByRole('article', { name: title });
  await expect(card.getByRole('heading', { name: title }).getByRole('link')).toHaveAttribute(
    'href',
    questionPath(id, title),
  );
  await expect(card.getByText(author.displayName)).toBeVisible();
  await expect(card.getByText('1 upvote', { exact: true })).toBeVisible();
  await expect(card.getByText('0 answers', { exact: true })).toBeVisible();
  await expect(card.getByText('1 view', { exact: true })).toBeVisible();
  await expect(card.getByRole('listitem')).toHaveText(['hardware', 'history', 'insects', '+2 more']);
  const time = card.getByRole('time');
  await expect(time).toHaveText(/^(just now|\d minutes? ago)$/u);
  await expect(time).toHaveAttribute('datetime', /^\d{4}-\d\d-\d\dT.*Z$/u);
  await expect(time).toHaveAttribute('title', /\d{4} at \d/u);

  const excerpt = card.getByRole('paragraph');
  await expect(excerpt).toHaveText(/^(moth )+moth?.*… Read more$/u);
  expect(((await excerpt.textContent()) ?? '').replace(/… Read more$/u, '').length).toBeLessThanOrEqual(200);
  await card.getByRole('link', { name: 'Read more' }).click();
  await expect(page).toHaveURL(questionPath(id, title));
});

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
    const texts = ['0 upvotes', '0 answers', '1 view', '0 views'].map((text) =>
      card.getByText(text, { exact: true }),
    );
    const counts = [];
    for (const text of texts) if ((await text.count()) > 0) counts.push((await text.boundingBox())!);
    return { counts, heading: (await card.getByRole('heading').boundingBox())! };
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

test('the tabs are links with URLs, and arrow keys move between them', async ({ page }) => {
  await registerMember(page.request);
  await page.goto('/');
  await expect(page).toHaveTitle('Questions for you · Parley');
  const tab = (name: string) => page.getByRole('tab', { name });
  await expect(page.getByRole('tab')).toHaveText(['Recent', 'Popular', 'Unanswered']);
  await expect(tab('Recent')).toHaveAttribute('aria-selected', 'true');
  await tab('Popular').click();
  await expect(page).toHaveURL('/?tab=popular');
  await expect(tab('Popular')).toHaveAttribute('aria-selected', 'true');
  await tab('Popular').press('ArrowRight');
  await expect(tab('Unanswered')).toBeFocused();
  await tab('Unanswered').press('Enter');
  await expect(page).toHaveURL('/?tab=unanswered');
  await page.goBack();
  await expect(tab('Popular')).toHaveAttribute('aria-selected', 'true');
  await page.goto('/?tab=nonsense');
  await expect(tab('Recent')).toHaveAttribute('aria-selected', 'true');
});

test('shortcuts move between questions, search, ask and show help', async ({ page }) => {
  await registerMember(page.request);
  const older = uniqueText('The older question');
  const newer = uniqueText('The newer question');
  await askQuestion(page.request, { title: older });
  await askQuestion(page.request, { title: newer });
  await page.goto('/');
  await expect(page.getByRole('article', { name: newer })).toBeVisible();
  const focused = page.getByRole('main').locator('h2 a:focus');
  await page.keyboard.press('j');
  const first = (await focused.textContent()) ?? '';
  await page.keyboard.press('j');
  await expect(focused).not.toHaveText(first);
  await page.keyboard.press('k');
  await expect(focused).toHaveText(first);

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
