import { expect, test } from '@playwright/test';
import { signOut, signIn } from '../support/members.ts';
import { askFields, openAskForm } from '../support/forms.ts';
import { uniqueText, uniqueWord } from '../support/posts.ts';

test.beforeEach(({ page }) => openAskForm(page));

test('a member asks a question with tags and lands on it', { tag: '@firefox' }, async ({ page }) => {
  const { title, details, tags, post } = askFields(page);
  const text = uniqueText('How do I sharpen a chisel?');
  await expect(page).toHaveTitle('Ask a question · Parley');
  await expect(page.getByText('Separate tags with commas (max 5)')).toBeVisible();
  await title.fill(text);
  await details.fill('On a stone, with water.');
  // Another test may have used a common tag in another spelling.
  const tag = uniqueWord('Tools');
  await tags.fill(` ${tag},  hand   tools,, #${tag} `);
  await post.click();
  await expect(page).toHaveURL(/\/question\/\d+(\/[^/?#]+)?$/u);
  const id = /\/question\/(\d+)/u.exec(page.url())?.[1];
  const response = await page.request.get(`/api/questions/${id}`);
  const { question } = (await response.json()) as {
    question: { title: string; content: string; tags: string[] };
  };
  expect(question).toMatchObject({
    title: text,
    content: 'On a stone, with water.',
    tags: [tag, 'hand tools'],
  });
});

test('title and details are required, also when they are blank or invisible', async ({ page }) => {
  const { title, details, post } = askFields(page);
  const alert = page.getByRole('alert');
  await post.click();
  await expect(alert).toHaveText('Please fill in all required fields');
  await expect(title).toBeFocused();
  await expect(details).toHaveAttribute('aria-invalid', 'true');
  await title.fill('A title');
  await expect(details).not.toHaveAttribute('aria-invalid');
  await details.fill('  \n ');
  await post.click();
  await expect(alert).toHaveText('Please fill in all required fields');
  await expect(details).toBeFocused();
  await title.fill('\u200B');
  await details.fill('Details');
  await post.click();
  await expect(alert).toHaveText('Please fill in all required fields');
  await expect(title).toBeFocused();
  await title.fill('x'.repeat(201));
  await details.fill('Details');
  await post.click();
  await expect(alert).toHaveText('Title must be 200 characters or fewer');
});

test('typed text survives a reload and a sign-out, and is deleted after posting', async ({ page }) => {
  const { title, details, tags, post } = askFields(page);
  const text = uniqueText('A draft that stays');
  await title.fill(text);
  await details.fill('Half a thought');
  await tags.fill('drafts');
  await expect(page.getByText('Draft saved')).toBeVisible();
  await page.reload();
  await expect(title).toHaveValue(text);
  await expect(page.getByText('Draft saved')).toBeVisible();

  await details.fill('Half a thought, and the last word typed just before leaving');
  const { email } = ((await (await page.request.get('/api/session')).json()) as { member: { email: string } })
    .member;
  await signOut(page);
  await signIn(page, { email, password: 'correct horse' });
  await page.getByRole('link', { name: 'Ask Question' }).click();
  await expect(details).toHaveValue('Half a thought, and the last word typed just before leaving');
  await expect(tags).toHaveValue('drafts');

  await post.click();
  await expect(page).toHaveURL(/\/question\//u);
  await page.goto('/ask');
  await expect(title).toHaveValue('');
  await expect(page.getByText('Draft saved')).toBeHidden();
});
