import { expect, type Page } from '@playwright/test';
import { waitForHydration } from './hydration.ts';
import { askQuestion, registerMember } from './members.ts';
import { postAnswer, postReply, uniqueText } from './posts.ts';
import { visit } from './visit.ts';

/** The fields of the form for a question, and the button that posts it. */
export const askFields = (page: Page) => ({
  title: page.getByLabel('Title'),
  details: page.getByLabel('Details'),
  tags: page.getByLabel('Tags'),
  post: page.getByRole('button', { name: 'Post Question' }),
});

/** Registers a member, who opens the form for a question. */
export async function openAskForm(page: Page): Promise<void> {
  await registerMember(page.request);
  await page.goto('/ask');
  await waitForHydration(page);
}

export const replyBy = (page: Page, name: string) => page.getByRole('article', { name: `Reply by ${name}` });
export const replyField = (page: Page) => page.getByLabel('Your reply');

/** Opens a question with one answer and replies to it, as the member who wrote all of them. */
export async function openThread(
  page: Page,
  replies: readonly string[] = [],
): Promise<{ questionId: number; answerId: number }> {
  const questionId = await askQuestion(page.request, { title: uniqueText('Shall we talk?') });
  const answerId = await postAnswer(page.request, questionId, 'Let us.');
  for (const reply of replies) await postReply(page.request, answerId, reply);
  await visit(page, `/question/${questionId}`);
  await expect(page.getByRole('heading', { name: '1 Answer', exact: true })).toBeVisible();
  return { questionId, answerId };
}
