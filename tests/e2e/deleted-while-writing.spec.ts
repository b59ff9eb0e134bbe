import { expect, type Locator, type Page, test } from '@playwright/test';
import type { PostRef } from '#shared/core/fields.ts';
import { expectAccessible } from './support/accessibility.ts';
import { getDraftText } from './support/drafts.ts';
import { expectInView } from './support/in-view.ts';
import { listening } from './support/live.ts';
import { askQuestion, makeModerator } from './support/members.ts';
import { postAnswer, postReply, secondMember, uniqueText, uniqueWord } from './support/posts.ts';
import {
  article,
  deleteState,
  openThreeMembers,
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

test('keeps the reply to an answer that its author deletes, until the form is closed', async () => {
  const { ada, ben } = trio;
  const id = await askQuestion(ben.request, { title: uniqueText('Is this answer gone?') });
  const answerId = await postAnswer(ben.request, id, 'Soon gone.');
  await listening(ada.page, () => ada.page.goto(`/question/${id}`));
  await article(ada.page, 'Answer by Ben').getByRole('button', { name: 'Reply', exact: true }).click();
  const field = ada.page.getByLabel('Your reply');
  await field.pressSequentially('A long thought');

  await deleteState(ben.request, `/api/answers/${answerId}`);
  await expectTextInForm(ada.page, field, 'This answer was deleted.');
  await expect(ada.page.getByText('Soon gone.')).toHaveCount(0);
  await expect(ada.page.getByRole('heading', { name: '0 Answers' })).toBeVisible();
  await expectAccessible(ada.page, { look: 'reply to a deleted answer' });
  // The field keeps the focus, and the form stays when the page is read again.
  await ada.page.keyboard.type(' about it');
  await whileOffline(ada.page, () => postAnswer(ben.request, id, 'Another answer.'));
  await expect(ada.page.getByText('Another answer.').or(ada.page.getByText('1 new answer'))).toBeVisible();
  await expect(field).toHaveValue('A long thought about it');
  await expect(ada.page.getByRole('button', { name: 'Post Reply' })).toBeDisabled();

  await expect
    .poll(() => getDraftText(ada.request, `reply:answer:${answerId}`))
    .toBe('A long thought about it');
  await ada.page.getByRole('button', { name: 'Cancel' }).click();
  await expect(field).toHaveCount(0);
  await expect(ada.page.getByText('This answer was deleted.')).toHaveCount(0);
  await ada.page.goto('/drafts');
  await expect(ada.page.getByText('A long thought about it')).toBeVisible();
});

test('keeps replies to a deleted reply, and to replies of a deleted answer', async () => {
  const { ada, ben, cleo } = trio;
  const id = await askQuestion(ben.request, { title: uniqueText('Which reply is gone?') });
  const answerId = await postAnswer(ben.request, id, 'An answer.');
  const parent = await postReply(cleo.request, answerId, 'Cleo disagrees.');
  await postReply(ben.request, answerId, 'Ben disagrees with Cleo.', parent);
  await listening(ada.page, () => ada.page.goto(`/question/${id}`));
  await article(ada.page, 'Reply by Cleo').getByRole('button', { name: 'Reply', exact: true }).click();
  const field = ada.page.getByLabel('Your reply');
  await field.fill('I agree.');

  // The line of the deleted reply stays above the reply to it.
  await deleteState(cleo.request, `/api/replies/${parent}`);
  await expectTextInForm(ada.page, field, 'This reply was deleted.');
  await expect(ada.page.getByText('Cleo disagrees.')).toHaveCount(0);
  await expect(ada.page.getByText('Ben disagrees with Cleo.')).toBeVisible();
  await deleteState(ben.request, `/api/answers/${answerId}`);
  await expect(ada.page.getByText('Ben disagrees with Cleo.')).toHaveCount(0);
  await expectTextInForm(ada.page, field, 'This reply was deleted.');
  await ada.page.getByRole('button', { name: 'Cancel' }).click();
  await expect(ada.page.getByText('Reply deleted')).toHaveCount(0);
});

test('keeps the edit of an answer that a moderator deletes, and lets it be saved once it is restored', async ({
  browser,
}) => {
  const { ada, ben } = trio;
  const { page: moderator, member } = await secondMember(browser, uniqueWord('Mona'));
  await makeModerator(member.email);
  const id = await askQuestion(ben.request, { title: uniqueText('Who moderates this?') });
  const answerId = await postAnswer(ada.request, id, 'An answer that breaks a rule.');
  await listening(ada.page, () => ada.page.goto(`/question/${id}`));
  const answer = article(ada.page, 'Answer by Ada');
  await answer.getByRole('button', { name: 'Edit', exact: true }).click();
  const field = ada.page.getByLabel('Edit answer');
  await field.fill('An answer that breaks no rule.');

  await moderate(moderator, { kind: 'answer', id: answerId, action: 'hide' });
  const message = ada.page.getByRole('dialog', { name: 'Message from the moderators' });
  await expect(message.getByRole('list')).toBeFocused();
  // Typing goes on for a moment when the dialog opens.
  await ada.page.keyboard.press('Space');
  await ada.page.keyboard.press('Enter');
  await expect(message).toBeVisible();
  await message.getByRole('button', { name: 'Got it' }).click();
  await expectTextInForm(ada.page, field, 'This answer was deleted.');
  await expect(ada.page.getByRole('button', { name: 'Save' })).toBeDisabled();
  await moderate(moderator, { kind: 'answer', id: answerId, action: 'restore' });
  await expect(ada.page.getByText('This answer was deleted.')).toHaveCount(0);
  await expect(field).toHaveValue('An answer that breaks no rule.');
  await ada.page.getByRole('button', { name: 'Save' }).click();
  await expect(field).toHaveCount(0);
  await expect(answer.getByText('An answer that breaks no rule.')).toBeVisible();
  await moderator.context().close();
});

test('keeps the replies to an answer and to a comment that a moderator hides and restores', async ({
  browser,
}) => {
  const { ada, ben, cleo } = trio;
  const { page: moderator, member } = await secondMember(browser, uniqueWord('Mo'));
  await makeModerator(member.email);
  const id = await askQuestion(ben.request, { title: uniqueText('Is it back?') });
  await postAnswer(cleo.request, id, 'The answer below.');
  const answerId = await postAnswer(ben.request, id, 'The answer that is hidden.');
  const replyId = await postReply(ben.request, answerId, 'The reply that is hidden.');
  await postReply(cleo.request, answerId, 'The reply below.');
  // In this order and window, an answer that appears moves a visible answer below.
  await ada.page.setViewportSize({ width: 1280, height: 1600 });
  await listening(ada.page, () => ada.page.goto(`/question/${id}?sort=newest`));
  const field = ada.page.getByLabel('Your reply');

  for (const post of [
    { kind: 'answer', id: answerId },
    { kind: 'reply', id: replyId },
  ] as const) {
    await ada.page
      .locator(`#${post.kind}-${post.id}`)
      .getByRole('button', { name: 'Reply', exact: true })
      .click();
    await field.fill(`My reply to the ${post.kind}`);
    await moderate(moderator, { ...post, action: 'hide' });
    await expectTextInForm(ada.page, field, `This ${post.kind} was deleted.`);
    await moderate(moderator, { ...post, action: 'restore' });
    await expect(ada.page.getByText(`The ${post.kind} that is hidden.`)).toBeVisible();
    await expect(ada.page.getByText(`This ${post.kind} was deleted.`)).toHaveCount(0);
    await expect(field).toHaveValue(`My reply to the ${post.kind}`);
    await ada.page.getByRole('button', { name: 'Post Reply' }).click();
    await expect(ada.page.getByText(`My reply to the ${post.kind}`)).toBeVisible();
    await expect(field).toHaveCount(0);
  }
  await moderator.context().close();
});

test('keeps an answer while its question is locked, and lets it be posted afterwards', async ({
  browser,
}) => {
  const { ada, ben } = trio;
  const { page: moderator, member } = await secondMember(browser, uniqueWord('Mia'));
  await makeModerator(member.email);
  const id = await askQuestion(ben.request, { title: uniqueText('Is this question locked?') });
  await listening(ada.page, () => ada.page.goto(`/question/${id}`));
  const field = ada.page.getByLabel('Your answer');
  await field.pressSequentially('Half an');

  await moderate(moderator, { kind: 'question', id, action: 'lock' });
  await expectTextInForm(ada.page, field, 'This question is locked.');
  await expectAccessible(ada.page, { look: 'answer to a locked question' });
  await ada.page.keyboard.type(' answer');
  await expect(field).toHaveValue('Half an answer');
  await expect(ada.page.getByRole('button', { name: 'Post Answer' })).toBeDisabled();
  // After a reload, the form with the draft is shown, and without a draft there is none.
  await expect.poll(() => getDraftText(ada.request, `answer:${id}`)).toBe('Half an answer');
  await listening(ada.page, () => ada.page.reload());
  await expectTextInForm(ada.page, field, 'This question is locked.');
  await listening(ben.page, () => ben.page.goto(`/question/${id}`));
  await expect(ben.page.getByText('This question is locked: It breaks a rule.')).toBeVisible();
  await expect(ben.page.getByLabel('Your answer')).toHaveCount(0);

  await moderate(moderator, { kind: 'question', id, action: 'unlock' });
  await expect(ada.page.getByText('This question is locked.')).toHaveCount(0);
  await ada.page.getByRole('button', { name: 'Post Answer' }).click();
  await expect(article(ada.page, 'Answer by Ada').getByText('Half an answer')).toBeVisible();
  await expect(ben.page.getByLabel('Your answer')).toBeVisible();
  await moderator.context().close();
});

test('keeps the answer to a question that is deleted, and the reply to another answer', async () => {
  const { ada, ben, cleo } = trio;
  const id = await askQuestion(ben.request, { title: uniqueText('Is this question gone?') });
  await postAnswer(cleo.request, id, 'The answer of Cleo.');
  await listening(ada.page, () => ada.page.goto(`/question/${id}`));
  const reply = ada.page.getByLabel('Your reply');
  await article(ada.page, 'Answer by Cleo').getByRole('button', { name: 'Reply', exact: true }).click();
  await reply.fill('A reply to Cleo.');
  const field = ada.page.getByLabel('Your answer');
  await field.pressSequentially('Half an');

  await deleteState(ben.request, `/api/questions/${id}`);
  await expect(ada.page.getByRole('heading', { name: 'Question not found' })).toBeVisible();
  await expectTextInForm(ada.page, field, 'This question was deleted.');
  await expect(reply).toHaveValue('A reply to Cleo.');
  await expect(ada.page.getByText('The answer of Cleo.')).toHaveCount(0);
  await ada.page.keyboard.type(' answer');
  await expect(field).toHaveValue('Half an answer');
  await expect(ada.page.getByRole('button', { name: 'Post Answer' })).toBeDisabled();
  await expect.poll(() => getDraftText(ada.request, `answer:${id}`)).toBe('Half an answer');
  await ada.page.getByRole('link', { name: 'Drafts' }).first().click();
  await expect(ada.page.getByRole('heading', { name: 'Drafts' })).toBeVisible();
  await expect(ada.page.getByText('Half an answer')).toBeVisible();
});

test('keeps the edit of a question that is deleted on another device', async () => {
  const { ada } = trio;
  const id = await askQuestion(ada.request, { title: uniqueText('Is my question gone?') });
  await listening(ada.page, () => ada.page.goto(`/question/${id}`));
  await ada.page.getByRole('button', { name: 'Edit', exact: true }).click();
  const field = ada.page.getByLabel('Details');
  await field.fill('Details that took an hour.');

  await deleteState(ada.request, `/api/questions/${id}`);
  await expect(ada.page.getByRole('heading', { name: 'Question not found' })).toBeVisible();
  await expectTextInForm(ada.page, field, 'This question was deleted.');
});

async function expectTextInForm(page: Page, field: Locator, message: string): Promise<void> {
  const form = page.locator('form').filter({ has: field });
  const notice = form.getByText(message);
  await expect(notice).toBeVisible();
  await notice.scrollIntoViewIfNeeded();
  await expectInView(notice);
  await expect(form.getByRole('link', { name: 'Drafts' })).toBeVisible();
  await expect(field).not.toHaveValue('');
}

async function moderate(
  moderator: Page,
  action: { kind: PostRef['kind']; id: number; action: 'hide' | 'restore' | 'lock' | 'unlock' },
): Promise<void> {
  const data = { ...action, reason: 'It breaks a rule.', duplicateOf: null, queueItemId: null };
  const response = await moderator.request.post('/api/moderation/post-actions', { data });
  expect(response.status(), await response.text()).toBeLessThan(300);
}
