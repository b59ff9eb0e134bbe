import { expect, test } from '@playwright/test';
import type { QuestionDocument } from '#shared/posts/questions-document.ts';
import { expectAccessible } from './support/accessibility.ts';
import { listening } from './support/live.ts';
import { askQuestion, registerMember, newMember } from './support/members.ts';
import { postAnswer, postReply, questionUrl, uniqueText } from './support/posts.ts';
import { deleteState, openThreeMembers, putState, type ThreeMembers } from './support/three-members.ts';
import { visit } from './support/visit.ts';

// Serial: the tests share their members.
test.describe.configure({ mode: 'default' });

let trio: ThreeMembers;
test.beforeAll(async ({ browser }) => {
  trio = await openThreeMembers(browser);
});
test.afterAll(() => trio.close());

test('answers are sorted as the URL says, do not move while they are read, and new ones appear at their position', async () => {
  const { ada, ben, cleo } = trio;
  const id = await askQuestion(ada.request, { title: uniqueText('In which order?') });
  const long = 'A line of the answer that takes its room.\n\n'.repeat(6);
  const [first, second, third] = [
    await postAnswer(ben.request, id, `${long}First.`),
    await postAnswer(ben.request, id, `${long}Second.`),
    await postAnswer(ben.request, id, `${long}Third.`),
  ];
  await putState(cleo.request, `/api/answers/${second}/vote`, { vote: 'up' });
  await ada.page.goto(`/question/${id}?sort=oldest`);
  const answers = ada.page.getByRole('article', { name: 'Answer by' });
  const order = async () =>
    answers.evaluateAll((all) => all.map((each) => Number(each.id.replace('answer-', ''))));
  await expect.poll(order).toEqual([first, second, third]);
  const sort = ada.page.getByRole('combobox', { name: 'Sort answers' });
  await expect(sort).toHaveValue('oldest');
  await sort.focus();
  await sort.selectOption('Most helpful');
  await expect(ada.page).toHaveURL(questionUrl(id, '?sort=helpful'));
  await expect.poll(order).toEqual([second, third, first]);
  await expect(sort).toBeFocused();

  // A vote changes only the count, not the order, also when the page is refetched.
  await putState(cleo.request, `/api/answers/${first}/vote`, { vote: 'up' });
  await putState(ben.request, `/api/answers/${first}/vote`, { vote: 'up' });
  await expect(
    ada.page.locator(`#answer-${first}`).getByRole('button', { name: 'Upvote (2)' }),
  ).toBeVisible();
  await postReply(ben.request, second, 'A reply makes the page ask again.');
  await expect(ada.page.getByText('A reply makes the page ask again.')).toBeVisible();
  expect(await order()).toEqual([second, third, first]);

  // A new answer that would push down what is in view is held back. It ranks above answers without votes.
  await ada.page.locator(`#answer-${third}`).scrollIntoViewIfNeeded();
  const fourth = await postAnswer(cleo.request, id, 'Fourth.');
  await ada.page.getByRole('button', { name: '1 new answer' }).click();
  await expect(ada.page.locator(`#answer-${fourth}`)).toBeInViewport();
  expect(await order()).toEqual([second, fourth, third, first]);

  await ada.page.reload();
  await expect.poll(order).toEqual([first, second, fourth, third]);
  await sort.selectOption('Newest');
  await expect(ada.page).toHaveURL(questionUrl(id, '?sort=newest'));
  await expect.poll(order).toEqual([fourth, third, second, first]);
  await ada.page.goBack();
  await expect(sort).toHaveValue('helpful');
});

test('the order chosen last applies to every question, and Back restores the previous one', async () => {
  const { ada, ben } = trio;
  const ids: number[] = [];
  for (const title of ['One', 'Another']) {
    const id = await askQuestion(ada.request, { title: uniqueText(title) });
    await postAnswer(ben.request, id, 'The older answer');
    await postAnswer(ben.request, id, 'The newer answer');
    ids.push(id);
  }
  const { page } = ben;
  const sort = page.getByRole('combobox', { name: 'Sort answers' });
  const first = page.getByRole('article', { name: 'Answer by' }).first();
  await visit(page, `/question/${ids[0]}`);
  await expect(sort).toHaveValue('newest');
  await sort.selectOption('Oldest');
  await expect(first).toContainText('The older answer');
  await page.goBack();
  await expect(first).toContainText('The newer answer');

  await visit(page, `/question/${ids[1]}`);
  await expect(sort).toHaveValue('oldest');
  await expect(first).toContainText('The older answer');
  await sort.selectOption('Newest');
  await expect(page).toHaveURL(/\?sort=newest$/u);
  await expect(first).toContainText('The newer answer');
  await visit(page, `/question/${ids[0]}`);
  await expect(sort).toHaveValue('newest');
});

test('an accepted answer far behind the first page is listed first, and a link to any answer opens it', async () => {
  const { ada, ben } = trio;
  const id = await askQuestion(ada.request, { title: uniqueText('Which of very many?') });
  const oldest = await postAnswer(ben.request, id, 'The oldest answer');
  const second = await postAnswer(ben.request, id, 'The second answer');
  await Promise.all(
    Array.from({ length: 55 }, (_, n) =>
      postAnswer(n % 2 === 0 ? ben.request : ada.request, id, `Answer ${n}`),
    ),
  );
  const { page, request } = trio.cleo;
  await visit(page, `/question/${id}`);
  const answers = page.getByRole('article', { name: 'Answer by' });
  await expect(answers).toHaveCount(50);
  await putState(ada.request, `/api/questions/${id}/accepted-answer`, { answerId: oldest });
  // Ada accepted it on the other node, whose events reach this one a moment later.
  const readAccepted = async () => {
    const response = await request.get(`/api/questions/${id}?sort=newest`);
    return ((await response.json()) as QuestionDocument).question.acceptedAnswerId;
  };
  await expect.poll(readAccepted).toBe(oldest);
  await page.reload();
  await expect(answers).toHaveCount(51);
  await expect(answers.first()).toContainText('The oldest answer');
  await expect(page.getByRole('heading', { name: '57 Answers' })).toBeVisible();
  const more = page.getByRole('button', { name: 'Load more answers' });
  await more.click();
  await expect(answers).toHaveCount(57);
  await expect(more).toHaveCount(0);
  await expect(page.locator(`#answer-${oldest}`)).toHaveCount(1);
  // Posts beyond the first page change live as well.
  await page.evaluate(() => window.scrollTo(0, 0));
  await putState(ben.request, `/api/answers/${second}`, { content: 'The second answer, edited' });
  await expect(page.locator(`#answer-${second}`)).toContainText('The second answer, edited');
  const replyId = await postReply(ben.request, second, 'A reply far below');
  await expect(page.getByText('A reply far below')).toBeVisible();
  await deleteState(ben.request, `/api/replies/${replyId}`);
  await expect(page.getByText('A reply far below')).toHaveCount(0);
  await visit(page, '/');
  await page.goto(`/question/${id}#answer-${second}`);
  await expect(page.locator(`#answer-${second}`)).toBeFocused({ timeout: 30_000 });
  await page.goto(`/question/${id}#answer-${oldest}`);
  await expect(page.locator(`#answer-${oldest}`)).toBeInViewport();
});

test('a new answer behind answers that are not loaded is counted once, also if its event comes first', async () => {
  const { ada, ben } = trio;
  const id = await askQuestion(ada.request, { title: uniqueText('How many of very many?') });
  await Promise.all(
    Array.from({ length: 51 }, (_, n) =>
      postAnswer(n % 2 === 0 ? ben.request : ada.request, id, `Answer ${n}`),
    ),
  );
  const { page } = trio.cleo;
  await listening(page, () => page.goto(`/question/${id}?sort=oldest`));
  await expect(page.getByRole('heading', { name: '51 Answers' })).toBeVisible();
  const post = async (text: string) => {
    await page.getByLabel('Your answer', { exact: true }).fill(text);
    await page.getByRole('button', { name: 'Post Answer' }).click();
  };
  await page.route('**/answers', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    const response = await route.fetch();
    await expect(page.getByRole('heading', { name: '52 Answers' })).toBeVisible();
    await route.fulfill({ response });
  });
  await post('After its event');
  await expect(page.getByRole('article').filter({ hasText: 'After its event' })).toBeVisible();
  await expect(page.getByRole('heading', { name: '52 Answers' })).toBeVisible();
  await page.unroute('**/answers');
  await post('Before its event');
  await expect(page.getByRole('article').filter({ hasText: 'Before its event' })).toBeVisible();
  await expect(page.getByRole('heading', { name: '53 Answers' })).toBeVisible();
});

test('new posts since the last visit are marked and linked; replies collapse, and a link to a reply expands them', async () => {
  const { ada, ben } = trio;
  const title = uniqueText('What is new?');
  const id = await askQuestion(ada.request, { title });
  const answerId = await postAnswer(ada.request, id, 'The answer.');
  const old = await postReply(ben.request, answerId, 'An old reply.');
  const { page } = ben;
  const visited = page.waitForResponse((response) => response.url().endsWith(`/questions/${id}/view`));
  await page.goto(`/question/${id}`);
  await visited;
  await expect(page.getByRole('button', { name: 'new post' })).toHaveCount(0);
  await expect(page.getByText('Author', { exact: true })).toHaveCount(1);

  await visit(page, '/');
  const deep = await postReply(ada.request, answerId, 'A deep reply.', old);
  await postReply(ben.request, answerId, 'One of my own.');
  await page.goto(`/question/${id}`);
  const deepReply = page.locator(`#reply-${deep}`);
  await expect(deepReply.getByText('New', { exact: true })).toBeVisible();
  const line = page.getByRole('button', { name: '1 new post' });
  await line.click();
  await expect(deepReply).toBeFocused();

  // Live posts are marked as well, and marks stay while the page is open.
  const live = await postReply(ada.request, answerId, 'A live reply.');
  await expect(page.locator(`#reply-${live}`).getByText('New', { exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: '2 new posts' })).toBeVisible();
  await expect(page.getByText('New', { exact: true })).toHaveCount(2);

  await expectAccessible(page);

  const toggle = page.getByRole('button', { name: 'Hide 4 replies' });
  await page.locator(`#answer-${answerId}`).focus();
  await page.keyboard.press('c');
  await expect(deepReply).toBeHidden();
  const closed = page.getByRole('button', { name: 'Show 4 replies' });
  await expect(closed).toHaveAttribute('aria-expanded', 'false');
  await page.getByRole('button', { name: '2 new posts' }).click();
  await expect(deepReply).toBeFocused();
  await expect(toggle).toHaveAttribute('aria-expanded', 'true');

  await page.getByRole('button', { name: 'Hide 1 reply' }).click();
  await expect(deepReply).toBeHidden();
  await page.evaluate((hash) => (window.location.hash = hash), `reply-${deep}`);
  await expect(deepReply).toBeFocused();
  await expect(deepReply).toHaveAttribute('data-highlighted', 'true');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await deepReply.getByRole('button', { name: 'Copy link' }).click();
  await expect(page.getByText('Link copied to clipboard!')).toBeVisible();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toMatch(questionUrl(id, `#reply-${deep}`));

  await page.reload();
  await expect(deepReply).toBeVisible();
  await expect(page.getByText('New', { exact: true })).toHaveCount(0);
});

test('printing shows the full content without controls: dates, URLs and whole lines, also in dark themes', async ({
  page,
}) => {
  await registerMember(page.request, newMember('Ada Lovelace'));
  const title = uniqueText('What is printed?');
  const line = `const wide = '${'x'.repeat(200)}';`;
  const content = `See [the manual](https://example.org/manual).\n\n\`\`\`ts\n${line}\n\`\`\``;
  const id = await askQuestion(page.request, { title, content });
  await postAnswer(page.request, id, 'It is.');
  await page.addInitScript(() => localStorage.setItem('darkMode', 'true'));
  await page.goto(`/question/${id}`);
  const code = page.getByRole('group', { name: 'Code in TypeScript' });
  await expect(code).toHaveAttribute('tabindex', '0');
  await page.emulateMedia({ media: 'print' });
  await expect(page.getByRole('heading', { name: title, level: 1 })).toBeVisible();
  for (const role of ['button', 'textbox', 'navigation', 'combobox'] as const)
    await expect(page.getByRole(role).filter({ visible: true })).toHaveCount(0);
  const printed = await page.evaluate(() => ({
    ink: getComputedStyle(document.querySelector('h1')!).color,
    paper: getComputedStyle(document.body).backgroundColor,
    address: getComputedStyle(document.querySelector('a[href="https://example.org/manual"]')!, '::after')
      .content,
    wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    code: [...document.querySelectorAll('pre')].map((pre) => pre.scrollWidth - pre.clientWidth),
  }));
  expect(printed).toEqual({
    ink: 'rgb(0, 0, 0)',
    paper: 'rgb(255, 255, 255)',
    address: '" (https://example.org/manual)"',
    wide: 0,
    code: [0],
  });
  await expect(page.getByText(`/question/${id}`)).toBeVisible();
});
