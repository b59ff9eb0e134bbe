import { expect, test } from '@playwright/test';
import { listening } from './support/live.ts';
import { askQuestion } from './support/members.ts';
import { postAnswer, followTag, uniqueText, uniqueWord, upvote } from './support/posts.ts';
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

test('a topic and the list of topics update counts of questions and followers; questions of a topic appear and disappear', async () => {
  const { ada, ben, cleo } = trio;
  const tag = uniqueWord('moss');
  const first = uniqueText('First of its topic');
  const id = await askQuestion(ben.request, { title: first, tags: [tag] });
  await ada.page.goto(`/topics/${tag}`);
  await expect(article(ada.page, first)).toBeVisible();
  await cleo.page.goto(`/topics?${new URLSearchParams({ q: tag }).toString()}`);
  await expect(article(cleo.page, tag)).toContainText('1 question');

  const second = uniqueText('Second of its topic');
  const other = await askQuestion(ben.request, { title: second, tags: [tag.toUpperCase(), `${tag}-too`] });
  await followTag(ben.request, tag);
  await expect(article(ada.page, second)).toBeVisible();
  await expect(ada.page.getByText('2 questions')).toBeVisible();
  await expect(ada.page.getByText('1 follower')).toBeVisible();
  for (const text of ['2 questions', '1 follower']) await expect(article(cleo.page, tag)).toContainText(text);
  await expect(article(cleo.page, `${tag}-too`)).toContainText('1 question');

  await whileOffline(ada.page, async () => {
    await putState(ben.request, `/api/questions/${id}`, {
      title: first,
      content: 'Elsewhere.',
      tags: ['other'],
    });
    await upvote(ben.request, other);
    await followTag(cleo.request, tag);
    await expect(article(cleo.page, tag)).toContainText('2 followers');
  });
  await expect(article(ada.page, first)).toHaveCount(0);
  await expect(article(ada.page, second)).toContainText('1 upvote');
  await expect(ada.page.getByText('2 followers')).toBeVisible();
  await deleteState(ben.request, `/api/questions/${other}`);
  await expect(ada.page.getByText('0 questions')).toBeVisible();
  await expect(article(ada.page, second)).toHaveCount(0);
});

test('a new question of a topic waits behind a button while the member reads further down', async () => {
  const { ada, ben } = trio;
  const tag = uniqueWord('fern');
  const titles = Array.from({ length: 8 }, (_, n) => uniqueText(`Fern ${n}`));
  for (const title of titles) await askQuestion(ben.request, { title, tags: [tag] });
  await listening(ada.page, () => ada.page.goto(`/topics/${tag}`));
  const read = article(ada.page, titles[3] ?? '');
  await expect(read).toBeVisible();
  await ada.page.mouse.wheel(0, 700);
  await expect.poll(() => ada.page.evaluate(() => window.scrollY)).toBeGreaterThan(200);
  const place = async () => Math.round((await read.boundingBox())?.y ?? Number.NaN);
  const before = await place();

  const title = uniqueText('Does this fern wait?');
  await askQuestion(ben.request, { title, tags: [tag] });
  const pill = ada.page.getByRole('button', { name: '1 new question' });
  await expect(pill).toBeVisible();
  await expect.poll(place).toBe(before);
  await pill.click();
  await expect(article(ada.page, title)).toBeInViewport();
});

test('a profile updates the posts, reputation and bio of its member live', async () => {
  const { ada, ben, cleo } = trio;
  await ada.page.goto(`/profile/${cleo.id}`);
  await expect(ada.page.getByRole('heading', { name: 'Cleo', level: 1 })).toBeVisible();
  await ben.page.goto(`/profile/${cleo.id}?tab=answers`);
  await expect(ben.page.getByText("Cleo hasn't answered any questions yet.")).toBeVisible();
  const stats = ada.page.getByRole('list', { name: 'Statistics' });

  const title = uniqueText('What do I earn?');
  const id = await askQuestion(cleo.request, { title });
  await expect(article(ada.page, title)).toBeVisible();
  await upvote(ben.request, id);
  await expect(stats).toContainText('1 question');
  await expect(stats).toContainText('1 upvote');
  await expect(article(ada.page, title)).toContainText('1 upvote');

  await whileOffline(ada.page, async () => {
    const answerId = await postAnswer(cleo.request, id, 'Nothing but honour.');
    const card = article(ben.page, title);
    await expect(card).toContainText('Nothing but honour.');
    await putState(ben.request, `/api/answers/${answerId}/vote`, { vote: 'up' });
    await expect(card).toContainText('1 upvote');
    await putState(cleo.request, `/api/answers/${answerId}`, { content: 'Honour alone.' });
    await expect(card).toContainText('Honour alone.');
    await putState(cleo.request, `/api/questions/${id}/accepted-answer`, { answerId });
    await expect(card.getByText('Accepted answer')).toBeVisible();
    await putState(cleo.request, '/api/settings', {
      displayName: 'Cleo',
      bio: 'Bakes at night.',
      showEmail: true,
    });
  });
  for (const text of ['1 answer', '2 upvotes']) await expect(stats).toContainText(text);
  await expect(ada.page.getByText('Bakes at night.')).toBeVisible();
  await deleteState(cleo.request, `/api/questions/${id}`);
  await expect(stats).toContainText('0 questions');
  await expect(ada.page.getByText("Cleo hasn't asked any questions yet.")).toBeVisible();
  await expect(ben.page.getByText("Cleo hasn't answered any questions yet.")).toBeVisible();
});

test('search results update counts and texts, and lose deleted posts', async () => {
  const { ada, ben, cleo } = trio;
  const word = uniqueWord('quartz');
  const [remainingTitle, deletedTitle] = [`Hard ${word}`, `Soft ${word}`];
  const id = await askQuestion(ben.request, { title: remainingTitle });
  const doomed = await askQuestion(ben.request, { title: deletedTitle });
  const answerId = await postAnswer(ben.request, id, `An answer about ${word}.`);
  await ada.page.goto(`/search?q=${word}`);
  await expect(ada.page.getByText('2 results')).toBeVisible();
  await cleo.page.goto(`/search?q=${word}&in=answers`);
  await expect(cleo.page.getByText('1 result', { exact: true })).toBeVisible();

  await upvote(cleo.request, id);
  await putState(ada.request, `/api/questions/${id}/view`, {});
  await expect(article(ada.page, remainingTitle)).toContainText('1 upvote');
  await expect(article(ada.page, remainingTitle)).toContainText('1 view');
  await whileOffline(ada.page, async () => {
    await putState(cleo.request, `/api/answers/${answerId}/vote`, { vote: 'up' });
    await expect(article(cleo.page, remainingTitle)).toContainText('1 upvote');
    await putState(ben.request, `/api/questions/${id}`, {
      title: `Harder ${word}`,
      content: 'Edited.',
      tags: [],
    });
    await expect(article(cleo.page, `Harder ${word}`)).toBeVisible();
    await deleteState(ben.request, `/api/questions/${doomed}`);
  });
  await expect(article(ada.page, `Harder ${word}`)).toContainText('Edited.');
  await expect(article(ada.page, deletedTitle)).toHaveCount(0);
  await expect(ada.page.getByText('1 result', { exact: true })).toBeVisible();
  await deleteState(ben.request, `/api/answers/${answerId}`);
  await expect(article(cleo.page, `Harder ${word}`)).toHaveCount(0);
  await expect(article(ada.page, `Harder ${word}`)).toContainText('0 answers');
});
