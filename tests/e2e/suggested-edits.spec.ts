import { expect, test } from '@playwright/test';
import { expectAccessible } from './support/accessibility.ts';
import { expectInView, expectInViewAtBothSizes } from './support/in-view.ts';
import { askQuestion, makeModerator, newMember, registerMember } from './support/members.ts';
import { askAndOpen, secondMember, uniqueText } from './support/posts.ts';

test('a member suggests an edit, and the author approves it by keyboard', async ({ page, browser }) => {
  test.slow();
  await registerMember(page.request, newMember('Anna Author'));
  const title = uniqueText('Which flour for bread?');
  const content = 'What is there to know about it?';
  const id = await askAndOpen(page, title, content);

  const { page: helper } = await secondMember(browser, 'Hugo Helper');
  await helper.goto(`/question/${id}`);
  const question = helper.getByRole('article', { name: title });
  await question.getByRole('button', { name: 'More actions' }).click();
  await expectInView(helper.getByRole('menuitem', { name: 'Suggest edit' }));
  await helper.getByRole('menuitem', { name: 'Suggest edit' }).click();
  const details = helper.getByLabel('Details');
  await helper.getByLabel('What does your edit improve?').press('Escape');
  await expect(details).toBeHidden();
  await question.getByRole('button', { name: 'More actions' }).click();
  await helper.getByRole('menuitem', { name: 'Suggest edit' }).click();
  await details.fill('Rye or wheat, for a loaf of one kilo?');
  await helper.getByRole('button', { name: 'Suggest edit' }).click();
  await expect(helper.getByText('Say in a few words what the edit improves')).toBeVisible();
  await helper.getByLabel('What does your edit improve?').fill('Names the kinds of flour');
  await expectAccessible(helper, { look: 'form of a suggested edit' });
  await helper.getByRole('button', { name: 'Suggest edit' }).click();
  await expectInView(helper.getByText('Thank you. Your edit waits for approval.'));
  await expect(question.getByText('Rye or wheat')).toHaveCount(0);

  await page.goto('/notifications');
  await page.getByRole('link', { name: `Hugo Helper suggested an edit to "${title}"` }).click();
  const suggestion = page.getByRole('article', { name: 'Edit suggested by Hugo Helper' });
  await expect(suggestion).toContainText('Names the kinds of flour');
  await expect(suggestion.locator('ins').first()).toBeVisible();
  await expectAccessible(page, { look: 'suggested edits' });
  await suggestion.getByRole('button', { name: 'Reject' }).click();
  await expectInViewAtBothSizes(page.getByRole('dialog', { name: 'Reject this edit?' }));
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);

  // The form does not overwrite an edit that the author makes meanwhile.
  await suggestion.getByRole('button', { name: 'Edit and approve' }).click();
  await suggestion.getByLabel('Text').fill('Rye, wheat or spelt?');
  const edit = await page.request.put(`/api/questions/${id}`, {
    data: { title, content, tags: ['ovens'] },
  });
  expect(edit.status(), await edit.text()).toBe(200);
  const refetch = page.waitForResponse(/\/api\/edit-suggestions\/\d+$/u);
  await page.evaluate(() => dispatchEvent(new Event('visibilitychange')));
  await refetch;
  await suggestion.getByRole('button', { name: 'Approve' }).click();
  await expect(suggestion.getByRole('alert')).toContainText('was edited while you were writing');
  // It shows that edit beside the text, which is approved on top of it once the member has seen it.
  await expectInView(suggestion.getByText('The post has been edited since you started.'));
  await expectInView(suggestion.locator('ins').filter({ hasText: 'ovens' }));
  await expectAccessible(page, { look: 'suggested edit of a post edited since' });
  await suggestion.getByRole('button', { name: 'Got it' }).click();
  await expect(suggestion.getByText('has been edited since you started')).toHaveCount(0);
  await expect(suggestion.getByLabel('Text')).toBeFocused();
  await expect(suggestion.getByLabel('Text')).toHaveValue('Rye, wheat or spelt?');
  await page.route('**/decision', (route) => route.abort());
  const approval = page.waitForRequest('**/decision');
  await suggestion.getByRole('button', { name: 'Approve' }).click();
  expect((await approval).postDataJSON()).toMatchObject({
    basedOn: ((await edit.json()) as { editedAt: string }).editedAt,
  });
  await page.unroute('**/decision');
  await suggestion.getByRole('button', { name: 'Cancel' }).click();
  await suggestion.focus();
  await page.keyboard.press('a');
  await expect(suggestion).toHaveCount(0);

  await page.goto(`/question/${id}`);
  const own = page.getByRole('article', { name: title });
  await expect(own.getByText('Rye or wheat, for a loaf of one kilo?')).toBeVisible();
  await own.getByRole('button', { name: /^edited/u }).click();
  const versions = page.getByRole('dialog', { name: 'Versions' });
  await expectInView(versions.getByRole('link', { name: 'Edited by Hugo Helper' }));
  await expect(versions).toContainText('approved by Anna Author');

  await helper.goto('/suggested-edits?list=own');
  await expect(helper.getByText('Approved by Anna Author')).toBeVisible();
});

test('the form and the reason of a reviewer stay when someone else decides about the edit', async ({
  page,
  browser,
}) => {
  await registerMember(page.request, newMember('Anna Author'));
  const { page: helper } = await secondMember(browser, 'Hugo Helper');
  const { page: moderator, member } = await secondMember(browser, uniqueText('Mona Moss'));
  await makeModerator(member.email);
  const suggest = async () => {
    const id = await askQuestion(page.request, { title: uniqueText('Which flour?'), content: 'Rye.' });
    const response = await helper.request.post(`/api/questions/${id}/edit-suggestions`, {
      data: { title: 'Which flour, please?', content: 'Rye.', tags: [], summary: 'Is polite' },
    });
    expect(response.status(), await response.text()).toBe(201);
    return ((await response.json()) as { id: number }).id;
  };
  const rejectElsewhere = async (id: number) => {
    const response = await moderator.request.put(`/api/edit-suggestions/${id}/decision`, {
      data: { decision: 'reject', reason: 'No change' },
    });
    expect(response.ok(), await response.text()).toBe(true);
  };
  const [first, second] = [await suggest(), await suggest()];
  await page.goto('/suggested-edits');
  const suggestions = page.getByRole('article', { name: 'Edit suggested by Hugo Helper' });
  await expect(suggestions).toHaveCount(2);
  const typed = suggestions.first().getByLabel('Text');
  await suggestions.first().getByRole('button', { name: 'Edit and approve' }).click();
  await typed.fill('A long text of the reviewer.');
  await rejectElsewhere(first);
  await suggestions.first().getByRole('button', { name: 'Approve' }).click();
  const decided = 'Someone else has already decided about this edit.';
  await expect(suggestions.first().getByRole('alert')).toContainText(decided);
  await expect(suggestions.first().getByRole('button', { name: 'Approve' })).toBeDisabled();
  await expect(typed).toHaveValue('A long text of the reviewer.');
  await expectAccessible(page, { look: 'suggested edit that someone else decided' });
  await suggestions.first().getByRole('button', { name: 'Cancel' }).click();
  await expect(suggestions).toHaveCount(1);

  await suggestions.getByRole('button', { name: 'Reject' }).click();
  const dialog = page.getByRole('dialog', { name: 'Reject this edit?' });
  await dialog.getByLabel('Reason').fill('A long reason');
  await rejectElsewhere(second);
  await page.evaluate(() => dispatchEvent(new Event('visibilitychange')));
  await expectInView(dialog.getByText(decided));
  await expect(dialog.getByLabel('Reason')).toHaveValue('A long reason');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(suggestions).toHaveCount(0);
});
