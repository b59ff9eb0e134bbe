import { expect, test, type Page } from '@playwright/test';
import { expectAccessible } from '../support/accessibility.ts';
import { expectInView } from '../support/in-view.ts';
import { askQuestion, newMember, registerMember, signIn } from '../support/members.ts';
import { askAndOpen, button, postAnswer, postReply, questionUrl, uniqueText } from '../support/posts.ts';
import { article, openThreeMembers, putState } from '../support/three-members.ts';

test(
  'an answer is posted once, is listed first and gets the focus',
  { tag: '@firefox' },
  async ({ page }) => {
    const member = await registerMember(page.request, newMember('Ada Lovelace'));
    const id = await askAndOpen(page, uniqueText('Who wrote the first program?'));
    await postAnswer(page.request, id, 'An older answer');
    await page.reload();
    await expect(page.getByRole('heading', { name: '1 Answer', exact: true })).toBeVisible();
    const field = page.getByLabel('Your answer');
    const submit = button(page, 'Post Answer');
    await expect(submit).toBeDisabled();
    await field.fill('  \n ');
    await expect(submit).toBeDisabled();
    await field.fill('Note **G**.');
    await submit.dblclick();
    await expect(page.getByRole('heading', { name: '2 Answers' })).toBeVisible();
    const answers = page.getByRole('article', { name: `Answer by ${member.displayName}` });
    await expect(answers.first()).toContainText('Note G.');
    await expect(answers.first()).toBeFocused();
    await expect(field).toHaveValue('');
    // The field is as small as before.
    await expect(page.getByRole('toolbar', { name: 'Formatting' })).toBeHidden();
    await field.click();
    await expect(page.getByRole('toolbar', { name: 'Formatting' })).toBeVisible();
    await page.reload();
    await expect(answers).toHaveCount(2);
    await expect(answers.first()).toContainText('Note G.');
  },
);

test('an answer draft survives a reload and an expired session', async ({ page, context }) => {
  const member = await registerMember(page.request);
  const id = await askAndOpen(page, uniqueText('What if the session ends?'));
  const field = page.getByLabel('Your answer');
  await field.fill('Half an answer');
  await expect(page.getByText('Draft saved')).toBeVisible();
  // Waits for all requests: a late one would detect the expired session before the member does.
  await page.reload({ waitUntil: 'networkidle' });
  await expect(field).toHaveValue('Half an answer');
  await context.clearCookies();
  await button(page, 'Post Answer').click();
  await expect(page).toHaveURL(/\/login/u);
  await expectInView(page.getByText('Your session has ended.'));
  await signIn(page, member);
  await expect(page).toHaveURL(questionUrl(id));
  await expect(field).toHaveValue('Half an answer');
  await expect(field).toBeFocused();
  await expectInView(field);
  await button(page, 'Post Answer').click();
  await expect(page.getByRole('article', { name: `Answer by ${member.displayName}` })).toBeVisible();
});

test('the author accepts an answer, and members on both nodes see it immediately', async ({ browser }) => {
  test.slow();
  const { ada, ben, cleo, close } = await openThreeMembers(browser);
  const title = uniqueText('What solved it?');
  const id = await askQuestion(ada.request, { title });
  const answerOfBen = await postAnswer(ben.request, id, 'Turn it off.');
  await postAnswer(cleo.request, id, 'Turn it on again.');
  await putState(cleo.request, `/api/questions/${id}/follow`, { following: true });
  await cleo.page.goto('/');
  await ben.page.goto(`/question/${id}`);
  await ada.page.goto(`/question/${id}`);
  const solved = (name: string) => article(ada.page, name).getByRole('button', { name: 'Accept answer' });
  const badge = (name: string) => article(ben.page, name).getByText('Accepted answer');
  await expect(solved('Answer by Ben')).toHaveAttribute('aria-pressed', 'false');
  await expect(article(ben.page, 'Answer by Cleo')).toBeVisible();
  await expect(ben.page.getByRole('button', { name: 'Accept answer' })).toHaveCount(0);

  await solved('Answer by Ben').press('Enter');
  await expect(solved('Answer by Ben')).toHaveAttribute('aria-pressed', 'true');
  await expect(badge('Answer by Ben')).toHaveAttribute('title', 'Accepted by the author');
  await expect(article(ada.page, 'Answer by Ben').getByText('Accepted answer')).toBeVisible();
  await expect(article(cleo.page, title).getByText('solved', { exact: true })).toBeVisible();
  await expect(cleo.page.getByRole('button', { name: /^Notifications, 1 unread/u })).toBeVisible();
  for (const { page } of [ada, ben]) await expectAccessible(page);
  // The answer moves to the top immediately for the author; nothing moves for other readers.
  const first = (page: Page) => page.getByRole('article', { name: 'Answer by' }).first();
  await expect(first(ada.page)).toContainText('Turn it off.');
  await expect(article(ada.page, 'Answer by Ben')).toBeInViewport();
  await expect(first(ben.page)).toContainText('on again');
  await postReply(ada.request, answerOfBen, 'Thank you.');
  await expect(ben.page.getByText('Thank you.')).toBeVisible();
  await expect(first(ben.page)).toContainText('on again');
  for (const sort of ['newest', 'oldest', 'helpful']) {
    await ben.page.goto(`/question/${id}?sort=${sort}`);
    await expect(first(ben.page)).toContainText('Turn it off.');
    await expect(badge('Answer by Ben')).toBeVisible();
  }

  await solved('Answer by Cleo').click();
  await expect(badge('Answer by Cleo')).toBeVisible();
  await expect(badge('Answer by Ben')).toHaveCount(0);
  await expect(solved('Answer by Ben')).toHaveAttribute('aria-pressed', 'false');
  await expect(solved('Answer by Cleo')).not.toHaveAttribute('aria-disabled');
  await solved('Answer by Cleo').click();
  await expect(badge('Answer by Cleo')).toHaveCount(0);
  await expect(article(cleo.page, title).getByText('solved', { exact: true })).toHaveCount(0);

  await ada.page.context().setOffline(true);
  await solved('Answer by Ben').click();
  await expect(ada.page.getByRole('alert').filter({ hasText: 'Could not accept the answer' })).toBeVisible();
  await expect(solved('Answer by Ben')).toHaveAttribute('aria-pressed', 'false');
  await ada.page.context().setOffline(false);
  await close();
});
