import { expect, test, type APIRequestContext, type Locator, type Page } from '@playwright/test';
import { expectAccessible } from './support/accessibility.ts';
import { waitForHydration } from './support/hydration.ts';
import { askQuestion, registerMember } from './support/members.ts';
import { postAnswer, uniqueText } from './support/posts.ts';
import { openThreeMembers, putState, type ThreeMembers } from './support/three-members.ts';
import { visit } from './support/visit.ts';

// Serial: the tests share their members.
test.describe.configure({ mode: 'default' });

let trio: ThreeMembers;
test.beforeAll(async ({ browser }) => {
  trio = await openThreeMembers(browser);
});
test.afterAll(() => trio.close());

/** As long as the median question of a real community with 1,000 questions. */
const content =
  'I bought a starter from a bakery two weeks ago and feed it every evening. It smells sour and rises well, but the ' +
  'bread comes out flat and sticks to the basket.\n\nI have tried less water and a longer rest, and neither helped. ' +
  'What decides whether the dough holds its shape, and how do I see that it is ready?';

async function postComment(request: APIRequestContext, questionId: number, text: string): Promise<void> {
  const response = await request.post(`/api/questions/${questionId}/replies`, {
    data: { content: text, parentReplyId: null },
  });
  expect(response.status(), await response.text()).toBe(201);
}

const topOf = (page: Page, name: RegExp) =>
  page
    .getByRole('article', { name })
    .first()
    .evaluate((element) => element.getBoundingClientRect().top + window.scrollY);

for (const [name, status, kind] of [
  ['failed', 500, 'server-error'],
  ['refused', 503, 'busy'],
] as const)
  test(`a ${name} request for related questions is not repeated at once`, async ({ page }) => {
    await registerMember(page.request);
    const id = await askQuestion(page.request, { title: uniqueText('What is related?') });
    let count = 0;
    await page.route('**/api/questions/*/related', async (route) => {
      count++;
      await route.fulfill({ status, json: { kind, code: kind, detail: 'Failed' } });
    });
    await page.goto(`/question/${id}`);
    await expect.poll(() => count).toBeGreaterThan(0);
    // The page has settled: the editor was loaded after the sidebar.
    await page.getByLabel('Your answer').click();
    await expect(page.getByRole('toolbar', { name: 'Formatting' })).toBeVisible();
    expect(count).toBeLessThan(3);
  });

test('the accepted answer of an ordinary question starts within the first 900 pixels, and a button jumps to it', async () => {
  const { ada, ben, cleo } = trio;
  const { page } = cleo;
  await page.setViewportSize({ width: 1280, height: 800 });
  const id = await askQuestion(ada.request, {
    title: uniqueText('Why is my sourdough flat although the starter rises well?'),
    content,
    tags: ['bread', 'baking'],
  });
  const accepted = await postAnswer(ben.request, id, 'The rest was too long. '.repeat(12));
  await postAnswer(cleo.request, id, 'A newer answer.');
  await putState(ada.request, `/api/questions/${id}/accepted-answer`, { answerId: accepted });
  for (const text of ['Which flour do you use?', 'Wheat, 12 % protein.'])
    await postComment(ben.request, id, text);

  for (const sort of ['newest', 'oldest', 'helpful']) {
    await page.goto(`/question/${id}?sort=${sort}`);
    await expect(page.getByRole('article', { name: 'Answer by' }).first()).toContainText('The rest was');
    expect(await topOf(page, /^Answer by Ben/u)).toBeLessThan(900);
  }
  // The field is one line high until it is focused.
  const field = page.getByLabel('Your answer');
  const height = async () => (await field.boundingBox())?.height ?? 0;
  expect(await height()).toBeLessThan(56);
  await field.focus();
  await expect.poll(height).toBeGreaterThan(80);
  // The form ends where the text above it ends.
  const rightOf = async (element: Locator) => {
    const { x, width } = (await element.boundingBox()) ?? { x: 0, width: 0 };
    return x + width;
  };
  const form = page.locator('form', { has: field });
  const text = page.getByRole('article').first().getByRole('paragraph').first();
  expect(Math.abs((await rightOf(form)) - (await rightOf(text)))).toBeLessThan(8);

  await page.setViewportSize({ width: 1280, height: 600 });
  await page.reload();
  await page.getByRole('button', { name: 'Jump to accepted answer' }).click();
  await expect(page.locator(`#answer-${accepted}`)).toBeFocused();
  await expect(page.locator(`#answer-${accepted}`)).toBeInViewport();

  // There is no button where the first screen shows the answer.
  await page.setViewportSize({ width: 1280, height: 1400 });
  await page.reload();
  await expect(page.locator(`#answer-${accepted}`)).toBeInViewport();
  const jump = page.getByRole('button', { name: 'Jump to accepted answer' });
  await expect(jump).toHaveCount(0);

  // Accepted later, it appears only above what the member reads.
  const setAccepted = async (answerId: number | null) => {
    await putState(ada.request, `/api/questions/${id}/accepted-answer`, { answerId });
    await expect(page.getByText('Accepted answer', { exact: true })).toHaveCount(answerId === null ? 0 : 1);
  };
  await setAccepted(null);
  await page.setViewportSize({ width: 1280, height: 300 });
  await page.reload();
  await waitForHydration(page);
  await setAccepted(accepted);
  await expect(jump).toHaveCount(0);
  await setAccepted(null);
  await page.getByText('A newer answer.').scrollIntoViewIfNeeded();
  await setAccepted(accepted);
  await expect(jump).not.toBeInViewport();
  await jump.click();
  await expect(page.locator(`#answer-${accepted}`)).toBeFocused();
  await expect(jump).toHaveCount(1);
  // Also not if it was there before.
  const heading = page.getByRole('heading', { level: 1 });
  await heading.scrollIntoViewIfNeeded();
  await setAccepted(null);
  await setAccepted(accepted);
  await expect(jump).toHaveCount(0);
  // Nor if a low window has been scrolled by more than its height to the author.
  await setAccepted(null);
  await page.setViewportSize({ width: 320, height: 120 });
  const views = page
    .getByRole('article')
    .first()
    .getByText(/ views?$/u);
  await views.scrollIntoViewIfNeeded();
  expect(await page.evaluate(() => window.scrollY > window.innerHeight)).toBe(true);
  await setAccepted(accepted);
  await expect(jump).toHaveCount(0);
});

test('comments collapse to three, and one that is posted or linked to is shown', async () => {
  const { ada, ben } = trio;
  const { page } = ben;
  await page.setViewportSize({ width: 1280, height: 800 });
  const id = await askQuestion(ada.request, { title: uniqueText('Who has something to say?') });
  for (const n of [1, 2, 3, 4, 5]) await postComment(ada.request, id, `Comment ${n}`);
  await visit(page, `/question/${id}`);
  const comments = page.getByRole('region', { name: 'Comments' }).getByRole('article');
  await expect(comments).toHaveCount(3);
  await expectAccessible(page);
  const more = page.getByRole('button', { name: 'Show 2 more comments' });
  await expect(more).toHaveAttribute('aria-expanded', 'false');
  await more.press('Enter');
  await expect(comments).toHaveCount(5);
  await page.getByRole('button', { name: 'Hide 2 comments' }).click();
  await expect(comments).toHaveCount(3);

  await page.getByRole('button', { name: 'Add a comment' }).click();
  await page.getByLabel('Your reply').fill('Comment 6');
  await page.getByRole('button', { name: 'Post Reply' }).click();
  await expect(comments.last()).toContainText('Comment 6');
  await expect(comments.last()).toBeFocused();

  const last = await comments.last().getAttribute('id');
  await visit(page, '/');
  await page.goto(`/question/${id}#${last}`);
  await expect(page.locator(`#${last}`)).toBeFocused();
  await expect(page.locator(`#${last}`)).toBeInViewport();
});

test('comments are lighter than answers, and their minor actions show with the mouse or the focus', async () => {
  const { ada, ben } = trio;
  const { page } = ben;
  await page.setViewportSize({ width: 1280, height: 800 });
  const id = await askQuestion(ada.request, { title: uniqueText('How loud is a comment?') });
  await postAnswer(ada.request, id, 'An answer.');
  await postComment(ada.request, id, 'A comment.');
  await visit(page, `/question/${id}`);
  const comment = page.getByRole('article', { name: 'Reply by Ada' });
  await expect(page.getByText('A comment.', { exact: true })).toHaveCSS('font-size', '15px');
  await expect(page.getByText('An answer.', { exact: true })).toHaveCSS('font-size', '18px');
  const copy = comment.getByRole('button', { name: 'Copy link' });
  const hiddenFrom = (expected: string) => expect(copy).toHaveCSS('opacity', expected);
  await hiddenFrom('0');
  await comment.hover();
  await hiddenFrom('1');
  await page.getByRole('heading', { level: 1 }).hover();
  await hiddenFrom('0');
  await copy.focus();
  await hiddenFrom('1');
  await expectAccessible(page, { colours: true });
});

test('the column beside a question describes its tags and lists the people in the thread', async () => {
  const { ada, ben, cleo } = trio;
  const { page } = cleo;
  await page.setViewportSize({ width: 1280, height: 800 });
  const id = await askQuestion(ada.request, {
    title: uniqueText('Who is here?'),
    tags: ['python', uniqueText('unknown').slice(0, 20)],
  });
  await postAnswer(ben.request, id, 'I am.');
  await visit(page, `/question/${id}`);
  const people = page.getByRole('region', { name: 'People in this thread' });
  await expect(people.getByRole('link')).toHaveText(['Ada', 'Ben']);
  await expect(people).toBeInViewport();
  const tags = page.getByRole('region', { name: 'About the topics' });
  await expect(tags.getByRole('term')).toHaveText(['python']);
  await expect(tags.getByText('Scripts, services, data and everything in between')).toBeVisible();

  await page.setViewportSize({ width: 360, height: 740 });
  await expect(people).toBeAttached();
  const sideways = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(sideways).toBe(0);
});
