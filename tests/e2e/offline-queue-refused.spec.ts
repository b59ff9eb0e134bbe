import { expect, test } from '@playwright/test';
import { waitForTexts } from './support/hydration.ts';
import { askAndOpen, button, postAnswer, postReply, secondMember, uniqueText } from './support/posts.ts';
import { askQuestion, registerMember } from './support/members.ts';
import { expectInView } from './support/in-view.ts';
import {
  answersBy,
  getAnswerTexts,
  queuedAnswer,
  queuedReply,
  writeAnswer,
} from './support/offline-queue.ts';

test('an answer to a question deleted meanwhile comes back with the reason, on any page', async ({
  page,
  context,
  browser,
}) => {
  await registerMember(page.request);
  const ben = await secondMember(browser, 'Ben Gone');
  const id = await askQuestion(ben.page.request, { title: uniqueText('Gone soon?') });
  await page.goto(`/question/${id}`);
  const lookAtTopics = async () => {
    await page.getByRole('link', { name: 'Topics' }).first().click();
    await expect(page.getByRole('heading', { name: 'Discover Topics' })).toBeVisible();
  };
  await lookAtTopics();
  await page.goBack();
  await expect(page.getByLabel('Your answer')).toBeVisible();
  await context.setOffline(true);
  await writeAnswer(page, 'Not _so_ soon.');
  await expect(queuedAnswer(page)).toBeVisible();
  await lookAtTopics();
  await ben.page.request.delete(`/api/questions/${id}`);
  await context.setOffline(false);
  await expect(page.getByRole('alert')).toContainText("Your answer couldn't be posted.");
  await page.getByRole('link', { name: 'View', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Question not found' })).toBeVisible();
  const refused = page.getByRole('article', { name: "Couldn't post answer" });
  await expect(refused).toContainText("Couldn't post answer: Question not found");
  await page.reload();
  await expect(refused).toContainText('Not so soon.');
  await refused.getByRole('button', { name: 'Delete' }).click();
  await expectInView(page.getByRole('dialog'));
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect(refused).toHaveCount(0);
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Question not found' })).toBeVisible();
  await expect(refused).toHaveCount(0);
});

test('a refused answer becomes a draft again, with the reason, and overwrites no other draft', async ({
  page,
  context,
}) => {
  await registerMember(page.request);
  const id = await askAndOpen(page, uniqueText('Which characters?'));
  const field = page.getByLabel('Your answer');
  const reason = "Couldn't post answer: The text contains characters that cannot be shown";
  await context.setOffline(true);
  await writeAnswer(page, 'A bell: \u0007');
  await writeAnswer(page, 'Another bell: \u0007');
  await field.fill('A third one, in the making');
  await context.setOffline(false);
  const refused = page.getByRole('article', { name: "Couldn't post answer" });
  await expect(refused).toHaveText([/Another bell:/u, /A bell:/u]);
  await expect(refused.first()).toContainText(reason);
  await expect(field).toHaveValue('A third one, in the making');
  await refused.last().getByRole('button', { name: 'Edit' }).click();
  await expect(page.getByText('The form contains another draft. Post or clear it first.')).toBeVisible();

  await button(page, 'Post Answer').click();
  await expect(field).toHaveValue('A bell: \u0007');
  await expect(page.getByRole('alert').filter({ hasText: reason })).toBeVisible();
  await expect(refused).toHaveCount(1);
  await page.reload();
  await expect(page.getByRole('alert').filter({ hasText: reason })).toBeVisible();
  await expect(field).toHaveValue('A bell: \u0007');
  await field.fill('A bell that can be shown');
  await button(page, 'Post Answer').click();
  await expect
    .poll(() => getAnswerTexts(page.request, id))
    .toEqual(['A bell that can be shown', 'A third one, in the making']);
});

test('a reply and a vote on a post deleted meanwhile come back with the reason', async ({
  page,
  context,
  browser,
}) => {
  await registerMember(page.request);
  const ben = await secondMember(browser, 'Ben Delete');
  const id = await askQuestion(ben.page.request, { title: uniqueText('Whose words?') });
  const doomed = await postAnswer(ben.page.request, id, 'Soon gone');
  const staying = await postAnswer(ben.page.request, id, 'This one stays');
  const child = await postReply(ben.page.request, staying, 'This reply goes');
  await page.goto(`/question/${id}`);
  await waitForTexts(page);
  const going = answersBy(page, 'Ben Delete').filter({ hasText: 'Soon gone' });
  const parent = page.getByRole('article', { name: 'Reply by Ben Delete' });
  await expect(parent).toBeVisible();
  await context.setOffline(true);
  await going.getByRole('button', { name: 'Upvote (0)' }).click();
  await expect(going.getByText('Waiting for connection')).toBeVisible();
  await going.getByRole('button', { name: 'Reply', exact: true }).click();
  await page.getByLabel('Your reply').fill('To the doomed answer');
  await button(page, 'Post Reply').click();
  await parent.getByRole('button', { name: 'Reply', exact: true }).click();
  await page.getByLabel('Your reply').fill('To the doomed reply');
  await button(page, 'Post Reply').click();
  await expect(queuedReply(page)).toHaveCount(2);
  await ben.page.request.delete(`/api/answers/${doomed}`);
  await ben.page.request.delete(`/api/replies/${child}`);

  await context.setOffline(false);
  await expect(page.getByRole('alert').filter({ hasText: 'Your vote was not saved: ' })).toHaveText(
    /Answer not found/u,
  );
  const refused = page.getByRole('article', { name: "Couldn't post reply" });
  await expect(refused.filter({ hasText: 'To the doomed answer' })).toContainText('Answer not found');
  await expect(refused.filter({ hasText: 'To the doomed reply' })).toContainText(
    'The reply you are replying to has been deleted.',
  );
  await expect(refused.getByRole('button', { name: 'Copy text' })).toHaveCount(2);
});

test('a refused reply opens its form again, with the reason', async ({ page, context, browser }) => {
  await registerMember(page.request);
  const ben = await secondMember(browser, 'Ben Form');
  const id = await askQuestion(ben.page.request, { title: uniqueText('Which bell?') });
  await postAnswer(ben.page.request, id, 'That one');
  await page.goto(`/question/${id}`);
  await waitForTexts(page);
  const field = page.getByLabel('Your reply');
  await expect(answersBy(page, 'Ben Form')).toBeVisible();
  await context.setOffline(true);
  await answersBy(page, 'Ben Form').getByRole('button', { name: 'Reply', exact: true }).click();
  await field.fill('Ding \u0007');
  await button(page, 'Post Reply').click();
  await expect(queuedReply(page)).toBeVisible();
  await context.setOffline(false);
  const alert = page.getByRole('alert').filter({ hasText: "Couldn't post reply: The text contains" });
  await expect(alert).toBeVisible();
  await expect(field).toHaveValue('Ding \u0007');
  await page.reload();
  await expect(alert).toBeVisible();
  await expect(field).toHaveValue('Ding \u0007');
});
