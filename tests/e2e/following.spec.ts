import { expect, test, type Page } from '@playwright/test';
import { askQuestion, registerMember } from './support/members.ts';
import { startCommunity } from './support/community.ts';
import { postAnswer, followTag, uniqueText, uniqueWord } from './support/posts.ts';

const suggested = ['JavaScript', 'React', 'Python', 'Technology', 'Programming', 'Career'];
let onTestEnd: (() => Promise<void>) | undefined;
test.afterEach(async () => {
  await onTestEnd?.();
  onTestEnd = undefined;
});

const topic = (page: Page, tag: string) => page.getByRole('article', { name: tag, exact: true });

test('a member who follows no topic gets six suggestions, after the popular tags of the site, with Follow buttons', async ({
  browser,
}) => {
  test.slow();
  const fresh = await startCommunity();
  onTestEnd = fresh.remove;
  const page = await browser.newPage({ baseURL: fresh.address });
  await registerMember(page.request);
  await page.goto('/');
  await page.getByRole('link', { name: 'Following' }).click();
  await expect(page.getByRole('heading', { name: 'Following', level: 1 })).toBeFocused();
  await expect(page.getByRole('tab')).toHaveText(['All Questions', 'Recent Activity', 'My Topics']);
  await expect(page.getByRole('article').getByRole('heading', { level: 2 })).toHaveText(suggested);
  for (const tag of ['React', 'Career']) {
    await topic(page, tag).getByRole('button', { name: 'Follow', exact: true }).click();
    await expect(topic(page, tag).getByRole('button', { name: 'Following' })).toBeEnabled();
  }
  await expect(page.getByRole('list', { name: 'Topics you follow' }).getByRole('listitem')).toHaveText([
    'React',
    'Career',
  ]);
  await page.getByRole('link', { name: 'Explore Topics' }).click();
  await expect(page).toHaveURL(`${fresh.address}/topics`);

  await page.goto('/following?tab=topics');
  await expect(page.getByRole('article').getByRole('heading', { level: 2 })).toHaveText(['Career', 'React']);
  await expect(page.getByRole('link', { name: 'Explore Topics' })).toBeHidden();

  // Another member, after tags exist.
  await registerMember(page.request);
  await askQuestion(page.request, { title: 'Which yeast for a hazy pale ale?', tags: ['yeast', 'pale-ale'] });
  await askQuestion(page.request, { title: 'How warm may the yeast become?', tags: ['yeast'] });
  await page.goto('/following');
  await expect(page.getByRole('article').getByRole('heading', { level: 2 })).toHaveText([
    'yeast',
    'pale-ale',
    ...suggested,
  ]);
  await topic(page, 'yeast').getByRole('button', { name: 'Follow', exact: true }).click();
  await expect(topic(page, 'yeast').getByRole('button', { name: 'Following' })).toBeEnabled();
  await expect(topic(page, 'pale-ale')).toBeVisible();
  await page.close();
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 } });

  for (const [follows, tab] of [
    ['nothing', ''],
    ['nothing', '?tab=activity'],
    ['nothing', '?tab=topics'],
    ['a topic', '?tab=activity'],
  ] as const) {
    test(`nothing moves while /following${tab} of a member who follows ${follows} loads`, async ({
      page,
    }) => {
      await registerMember(page.request);
      if (follows === 'a topic') await followTag(page.request, uniqueWord('still'));
      await page.addInitScript(sumShifts);
      // Delays the response until skeletons were shown.
      await page.route('**/api/following', async (route) => {
        await page.waitForFunction(() => {
          const pending = document.querySelector('main [aria-busy="true"]');
          return pending !== null && Number(getComputedStyle(pending).opacity) > 0.4;
        });
        await route.continue();
      });
      await page.goto('/topics');
      await page.goto(`/following${tab}`);
      await expect(page.getByRole('tab')).toHaveCount(3);
      if (follows === 'nothing') await expect(page.getByRole('article').first()).toBeVisible();
      else await expect(page.getByRole('list', { name: 'Topics you follow' })).toBeVisible();
      await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null);
      expect(await page.evaluate(() => (window as unknown as { shifts: number }).shifts)).toBeLessThan(0.02);
    });
  }
});

/** Runs in the page: adds up the layout shifts without user input. */
function sumShifts(): void {
  const sum = window as unknown as { shifts: number };
  sum.shifts = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) sum.shifts += (entry as unknown as { value: number }).value;
  }).observe({ type: 'layout-shift', buffered: true });
}

test('All Questions lists questions with a followed topic and followed questions, newest first', async ({
  page,
  request,
}) => {
  await registerMember(page.request);
  await registerMember(request);
  const tag = uniqueWord('kelp');
  const [one, two, other] = [uniqueText('Tagged'), uniqueText('Followed itself'), uniqueText('Neither')];
  await askQuestion(request, { title: one, tags: [tag] });
  const followed = await askQuestion(request, { title: two });
  await askQuestion(request, { title: other });
  await followTag(page.request, tag.toUpperCase());
  await page.request.put(`/api/questions/${followed}/follow`, { data: { following: true } });

  await page.goto('/following');
  await expect(page.getByRole('main').getByRole('article').getByRole('heading')).toHaveText([two, one]);
});

test('Recent Activity shows This Week, latest activity first, at most 10', async ({ page, request }) => {
  await registerMember(page.request);
  await registerMember(request);
  const tag = uniqueWord('reef');
  await followTag(page.request, tag);
  const ids: number[] = [];
  for (let n = 1; n <= 12; n++)
    ids.push(await askQuestion(request, { title: `Reef ${n} ${tag}`, tags: [tag] }));
  await postAnswer(request, ids[0] ?? 0);

  await page.goto('/following');
  await page.getByRole('tab', { name: 'Recent Activity' }).click();
  await expect(page).toHaveURL('/following?tab=activity');
  await expect(page.getByRole('heading', { name: 'This Week' })).toBeVisible();
  const titles = page.getByRole('main').getByRole('article').getByRole('heading');
  await expect(titles).toHaveCount(10);
  await expect(titles.first()).toHaveText(`Reef 1 ${tag}`);
  await expect(titles.nth(1)).toHaveText(`Reef 12 ${tag}`);
});

test('the summary names 5 topics and the number of others; My Topics lists all with their newest questions', async ({
  page,
}) => {
  await registerMember(page.request);
  const word = uniqueWord('tide');
  const tags = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((letter) => `${letter} ${word}`);
  for (const tag of tags) await followTag(page.request, tag);
  const title = uniqueText('When is low tide?');
  await askQuestion(page.request, { title, tags: tags.slice(0, 1) });

  await page.goto('/following');
  const summary = page.getByRole('list', { name: 'Topics you follow' });
  await expect(summary.getByRole('listitem')).toHaveText([...tags.slice(0, 5), '+2 more']);
  await summary.getByRole('link', { name: '+2 more' }).click();
  await expect(page).toHaveURL('/following?tab=topics');
  await expect(page.getByRole('tab', { name: 'My Topics' })).toHaveAttribute('aria-selected', 'true');
  await expect(page.getByRole('main').getByRole('heading', { level: 2 })).toHaveText(tags);
  const first = topic(page, tags[0] ?? '');
  await expect(first.getByRole('article', { name: title })).toBeVisible();

  await first.getByRole('button', { name: 'Following' }).click();
  await expect(first.getByRole('button', { name: 'Follow', exact: true })).toBeEnabled();
  await expect(summary.getByRole('listitem')).toHaveText([...tags.slice(1, 6), '+1 more']);
  await page.reload();
  await expect(page.getByRole('main').getByRole('heading', { level: 2 })).toHaveText(tags.slice(1));
});
