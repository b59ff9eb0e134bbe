import { expect, test } from '@playwright/test';
import { askQuestion, registerMember, newMember } from './support/members.ts';
import { expectInView } from './support/in-view.ts';
import { postAnswer, questionUrl, secondMember, uniqueWord } from './support/posts.ts';

test('while a question is typed, a similar one can be read without leaving, and its tags can be added', async ({
  page,
  browser,
}) => {
  const bird = uniqueWord('bird');
  const tag = uniqueWord('tag');
  const { page: other } = await secondMember(browser, 'Wren');
  const id = await askQuestion(other.request, {
    title: `Why does my ${bird} sing at night?`,
    content: `The ${bird} begins at three.`,
    tags: [tag],
  });
  await askQuestion(other.request, { title: `Does a ${bird} sing?`, content: 'In winter.', tags: [tag] });
  await postAnswer(other.request, id, 'It hears **another one**.');
  await other.request.put(`/api/tags/${tag}/follow`, { data: { following: true } });

  await registerMember(page.request, newMember('Robin'));
  await page.goto('/ask');
  const similar = page.getByRole('region', { name: 'Similar questions' });
  await expect(similar).toContainText('as you type');
  const details = page.getByLabel('Details');
  const before = await details.boundingBox();
  await page.getByLabel('Title').pressSequentially(`My ${bird} sings all night, why?`);
  const first = similar.getByRole('button', { name: `Why does my ${bird} sing at night?` });
  await expect(first).toContainText('1 answer');
  await expect(similar).toContainText('2 similar questions');
  const after = await details.boundingBox();
  // Lines of text are rounded to whole pixels.
  expect(Math.abs((after?.y ?? 0) - (before?.y ?? 0))).toBeLessThanOrEqual(1);

  await first.focus();
  await page.keyboard.press('Enter');
  const preview = page.getByRole('dialog', { name: `Why does my ${bird} sing at night?` });
  await expectInView(preview);
  await expect(preview).toContainText(`The ${bird} begins at three.`);
  await expect(preview.getByRole('heading', { name: 'Answer', exact: true })).toBeVisible();
  await expect(preview.locator('strong')).toHaveText('another one');
  const link = preview.getByRole('link', { name: 'Open in a new tab' });
  await expect(link).toHaveAttribute('href', questionUrl(id));
  await expect(link).toHaveAttribute('target', '_blank');
  await page.keyboard.press('Escape');
  await expect(preview).toBeHidden();
  await expect(first).toBeFocused();

  const list = page.getByRole('list', { name: 'Tips for a good question' });
  await expect(list.getByRole('listitem').filter({ hasText: 'Title is a clear question' })).toContainText(
    'Done:',
  );
  await expect(list.getByRole('listitem').filter({ hasText: 'Tags are added' })).toContainText('Not yet:');
  await page.getByRole('button', { name: `Add tag ${tag}` }).click();
  await expect(page.getByLabel('Tags')).toHaveValue(`${tag}, `);
  await expect(page.getByLabel('Tags')).toBeFocused();
  await expect(page.getByRole('button', { name: `Add tag ${tag}` })).toBeHidden();
  // Enter leads from the title to the details, ends a tag and posts nothing; the down arrow leads to the suggestions.
  await page.getByLabel('Title').press('Enter');
  await expect(details).toBeFocused();
  await page.getByLabel('Details').fill('It begins at midnight.');
  await page.getByLabel('Tags').fill('night');
  // Ends the composition of an input method in Safari.
  await page.getByLabel('Tags').dispatchEvent('keydown', { key: 'Enter', keyCode: 229 });
  await expect(page.getByLabel('Tags')).toHaveValue('night');
  await page.getByLabel('Tags').press('Enter');
  await expect(page.getByLabel('Tags')).toHaveValue('night, ');
  await page.getByLabel('Tags').pressSequentially(tag.slice(0, -1));
  const suggestions = page.getByRole('list', { name: 'Suggestions' }).getByRole('button');
  await expect(suggestions).toHaveText([new RegExp(`Add tag ${tag}`, 'u')]);
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('button', { name: `Add tag ${tag}` })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByLabel('Tags')).toHaveValue(`night, ${tag}, `);
  await expect(page).toHaveURL('/ask');
  await expect(list.getByRole('listitem').filter({ hasText: 'Tags are added' })).toContainText('Done:');
  await expect(
    page.getByText(`One person who follows ${tag} will see it in their following feed.`),
  ).toBeVisible();

  // The other items of the checklist are open; posting works all the same.
  await details.fill('Any idea?');
  await page.getByRole('button', { name: 'Post Question' }).click();
  await expect(page).toHaveURL(/\/question\/\d+\/[^/]+$/u);
  await expect(page.getByRole('status').filter({ hasText: 'One person who follows its tags' })).toBeVisible();

  const related = page.getByRole('complementary', { name: 'Related questions' });
  await related.getByRole('link', { name: `Why does my ${bird} sing at night?` }).click();
  await expect(page).toHaveURL(questionUrl(id));
  await expect(related.getByRole('link', { name: `My ${bird} sings all night, why?` })).toBeVisible();
});

test('a tag is completed while typing, and commas still separate tags', async ({ page }) => {
  await registerMember(page.request, newMember('Robin'));
  const tag = uniqueWord('gardening');
  await askQuestion(page.request, { title: 'Which soil?', tags: [tag] });
  await page.goto('/ask');
  const tags = page.getByLabel('Tags');
  await tags.pressSequentially(`soil, ${tag.slice(0, -3)}`);
  await page.getByRole('button', { name: `Add tag ${tag}` }).click();
  await expect(tags).toHaveValue(`soil, ${tag}, `);
  await tags.pressSequentially('compost');
  await expect(tags).toHaveValue(`soil, ${tag}, compost`);
  await expect(page.getByText('in their following feed')).toHaveCount(0);
});
