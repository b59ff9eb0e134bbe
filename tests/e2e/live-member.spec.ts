import { expect, test, type Page } from '@playwright/test';
import { askQuestion } from './support/members.ts';
import { postAnswer, followTag, postReply, uniqueText, uniqueWord, upvote } from './support/posts.ts';
import {
  article,
  openThreeMembers,
  putState,
  deleteState,
  type ThreeMembers,
  whileOffline,
} from './support/three-members.ts';

// Serial: the tests share their members.
test.describe.configure({ mode: 'default' });

let trio: ThreeMembers;
test.beforeAll(async ({ browser }) => {
  trio = await openThreeMembers(browser);
});
test.afterAll(() => trio.close());

const titles = (page: Page) => page.getByRole('main').getByRole('article').getByRole('heading');

test('followed questions appear, count and disappear in all three tabs of the following page', async () => {
  const { ada, ben, cleo } = trio;
  const tag = uniqueWord('heron');
  await followTag(ada.request, tag);
  const old = uniqueText('Followed for itself');
  const oldId = await askQuestion(ben.request, { title: old });
  await putState(ada.request, `/api/questions/${oldId}/follow`, { following: true });
  const [all, week, mine] = [
    ada.page,
    await ada.page.context().newPage(),
    await ada.page.context().newPage(),
  ] as const;
  await all.goto('/following');
  await week.goto('/following?tab=activity');
  await mine.goto('/following?tab=topics');
  for (const page of [all, week]) await expect(titles(page)).toHaveText([old]);
  await expect(article(mine, tag)).toContainText('0 questions');

  const fresh = uniqueText('Followed for its topic');
  const freshId = await askQuestion(ben.request, { title: fresh, tags: [tag] });
  await askQuestion(cleo.request, { title: uniqueText('Nobody follows this'), tags: [`${tag}-not`] });
  for (const page of [all, week]) await expect(titles(page)).toHaveText([fresh, old]);
  await expect(article(mine, tag)).toContainText('1 question');
  await expect(article(mine, fresh)).toBeVisible();

  await whileOffline(all, async () => {
    await postReply(cleo.request, await postAnswer(cleo.request, oldId), 'Old, and active.');
    await upvote(cleo.request, freshId);
    await followTag(cleo.request, tag);
  });
  await expect(titles(week)).toHaveText([old, fresh]);
  await expect(article(week, old)).toContainText('1 answer');
  for (const page of [all, week, mine]) await expect(article(page, fresh)).toContainText('1 upvote');
  await expect(article(mine, tag)).toContainText('2 followers');

  await putState(ben.request, `/api/questions/${freshId}`, { title: fresh, content: 'Elsewhere.', tags: [] });
  await deleteState(ben.request, `/api/questions/${oldId}`);
  await expect(all.getByText('No questions found')).toBeVisible();
  await expect(article(week, old)).toHaveCount(0);
  await expect(article(mine, tag)).toContainText('0 questions');
  for (const page of [week, mine]) await page.close();
});

test('a follow on another device shows on an open page, and follows of other members do not', async () => {
  const { ada, ben, cleo } = trio;
  const [tag, other] = [uniqueWord('otter'), uniqueWord('otters')];
  const title = uniqueText('Where do otters sleep?');
  await askQuestion(ben.request, { title, tags: [tag] });
  await askQuestion(ben.request, { title: uniqueText('Where do they not?'), tags: [other] });
  const topics = await ada.page.context().newPage();
  await topics.goto('/following?tab=topics');
  await ada.page.goto('/following');
  await expect(ada.page.getByRole('heading', { name: 'Following', level: 1 })).toBeVisible();
  await expect(article(topics, tag)).toHaveCount(0);

  await followTag(cleo.request, other);
  await followTag(ada.request, tag);
  await expect(article(ada.page, title)).toBeVisible();
  await expect(article(topics, tag)).toContainText('1 follower');
  await expect(ada.page.getByRole('list', { name: 'Topics you follow' })).toContainText(tag);
  await putState(ada.request, `/api/tags/${tag}/follow`, { following: false });
  await expect(article(topics, tag).getByRole('button', { name: 'Follow', exact: true })).toBeVisible();
  await expect(article(ada.page, title)).toHaveCount(0);
  for (const page of [ada.page, topics]) await expect(page.getByText(other)).toHaveCount(0);
  await topics.close();
});

test('a notification appears in every tab and on the notifications page, for its recipient only', async () => {
  const { ada, ben, cleo } = trio;
  const id = await askQuestion(ada.request, { title: uniqueText('Who rings?') });
  const tab = await ada.page.context().newPage();
  await ada.page.goto('/notifications');
  await tab.goto('/topics');
  await cleo.page.goto('/');
  const notifications = (page: Page, unread: number) =>
    page.getByRole('button', {
      name: unread === 0 ? 'Notifications' : `Notifications, ${unread} unread`,
      exact: true,
    });
  for (const page of [ada.page, tab, cleo.page]) await expect(notifications(page, 0)).toBeVisible();

  await upvote(ben.request, id);
  for (const page of [ada.page, tab]) await expect(notifications(page, 1)).toBeVisible();
  const items = ada.page.getByRole('main').getByRole('listitem');
  await expect(items).toHaveText([/^.*Ben upvoted your question/u]);

  await whileOffline(tab, async () => {
    await postAnswer(ben.request, id);
    await postAnswer(cleo.request, id);
  });
  for (const page of [ada.page, tab]) await expect(notifications(page, 3)).toBeVisible();
  await expect(items).toHaveText([/Cleo answered/u, /Ben answered/u, /Ben upvoted/u]);
  await expect(notifications(cleo.page, 0)).toBeVisible();

  await ada.page.getByRole('button', { name: 'Mark all read' }).first().click();
  for (const page of [ada.page, tab]) await expect(notifications(page, 0)).toBeVisible();

  // Deleting a post deletes its notifications, also from the count.
  const taken = await postAnswer(ben.request, id);
  for (const page of [ada.page, tab]) await expect(notifications(page, 1)).toBeVisible();
  await ben.request.delete(`/api/answers/${taken}`);
  for (const page of [ada.page, tab]) await expect(notifications(page, 0)).toBeVisible();
  await tab.close();
});
