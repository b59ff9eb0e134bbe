import pg from 'pg';
import { serverLimits } from '#shared/core/limits.ts';
import { findRunningConnection } from '#server/postgres/embedded.ts';
import { expect, type Page } from '@playwright/test';
import { askQuestion, registerMember } from './support/members.ts';
import { postAnswer, uniqueText, uniqueWord } from './support/posts.ts';
import { test } from './support/shared-page.ts';
import { visit } from './support/visit.ts';

const names = (page: Page) => page.getByRole('main').getByRole('article').getByRole('heading');
const search = (page: Page) => page.getByRole('searchbox', { name: 'Search topics' });

test('topics have descriptions and counts, and the known topics their fixed descriptions', async ({
  sharedPage: page,
  request,
}) => {
  await registerMember(request);
  await askQuestion(request, { title: uniqueText('Which loop?'), tags: ['javascript'] });
  const tag = uniqueWord('moss');
  await askQuestion(page.request, { title: uniqueText('What grows there?'), tags: [tag] });

  await visit(page, '/topics');
  await expect(page).toHaveTitle('Discover Topics · Parley');
  await expect(page.getByRole('heading', { name: 'Discover Topics', level: 1 })).toBeVisible();
  const javascript = page.getByRole('article', { name: 'javascript', exact: true });
  await expect(
    javascript.getByText('The language of the web, in the browser and on the server'),
  ).toBeVisible();
  await search(page).fill(tag);
  const moss = page.getByRole('article', { name: tag });
  await expect(moss.getByText(`Discussion about ${tag}`)).toBeVisible();
  await expect(moss.getByText('1 question', { exact: true })).toBeVisible();
  await expect(moss.getByText('0 followers', { exact: true })).toBeVisible();
});

test('the list is searched by part of the name, without case, and the URL has the search', async ({
  sharedPage: page,
}) => {
  const word = uniqueWord('fern');
  await askQuestion(page.request, {
    title: uniqueText('Ferns'),
    tags: [`royal ${word}`, `Tree ${word}`, `${word} 100%`],
  });
  await visit(page, '/topics');
  await search(page).fill(word.toUpperCase());
  await expect(names(page)).toHaveCount(3);
  await expect(page).toHaveURL(new RegExp(`/topics\\?q=${word}$`, 'iu'));
  await search(page).fill(`${word} 100%`);
  await expect(names(page)).toHaveText([`${word} 100%`]);
  await page.reload();
  await expect(search(page)).toHaveValue(`${word} 100%`);
  await expect(names(page)).toHaveText([`${word} 100%`]);
  await expect(page.getByRole('searchbox', { name: 'Search questions' })).toHaveValue('');
  await search(page).fill(`no such ${word}`);
  await expect(page.getByText(`No topics match “no such ${word}”`)).toBeVisible();
  await page.getByRole('link', { name: 'Show all topics' }).click();
  await expect(search(page)).toHaveValue('');
  await expect(names(page).first()).toBeVisible();
});

test('topics are sorted by questions, by name or by latest activity', async ({ sharedPage: page }) => {
  const word = uniqueWord('sort');
  const [a, b, c] = [`a ${word}`, `b ${word}`, `c ${word}`] as const;
  const old = await askQuestion(page.request, { title: uniqueText('One'), tags: [a, b] });
  await askQuestion(page.request, { title: uniqueText('Two'), tags: [b] });
  await askQuestion(page.request, { title: uniqueText('Three'), tags: [c, b] });
  await askQuestion(page.request, { title: uniqueText('Four'), tags: [c] });
  await postAnswer(page.request, old);

  await visit(page, `/topics?q=${word}`);
  const sort = page.getByRole('combobox', { name: 'Sort by' });
  await expect(sort.getByRole('option')).toHaveText(['Most Popular', 'Alphabetical', 'Recently Active']);
  await expect(names(page)).toHaveText([b, c, a]);
  await sort.selectOption('Alphabetical');
  await expect(names(page)).toHaveText([a, b, c]);
  await expect(page).toHaveURL(`/topics?q=${word}&sort=alphabetical`);
  await sort.selectOption('Recently Active');
  await expect(names(page).last()).toHaveText(c);
  await page.goBack();
  await expect(sort).toHaveValue('alphabetical');
  await expect(names(page)).toHaveText([a, b, c]);
});

test('Follow changes to Following immediately, is disabled while saving, and stays after a reload', async ({
  sharedPage: page,
}) => {
  const tag = uniqueWord('heath');
  await askQuestion(page.request, { title: uniqueText('Heather?'), tags: [tag] });
  await visit(page, `/topics?q=${tag}`);
  const card = page.getByRole('article', { name: tag });

  let answerIt = () => {};
  const held = new Promise<void>((resolve) => {
    answerIt = resolve;
  });
  await page.route('**/api/tags/*/follow', async (route) => {
    await held;
    await route.continue();
  });
  await card.getByRole('button', { name: 'Follow', exact: true }).click();
  const following = card.getByRole('button', { name: 'Following', exact: true });
  await expect(following).toBeDisabled();
  await expect(card.getByText('1 follower', { exact: true })).toBeVisible();
  answerIt();
  await expect(following).toBeEnabled();
  await page.reload();
  await expect(following).toBeEnabled();
  await following.click();
  await expect(card.getByRole('button', { name: 'Follow', exact: true })).toBeEnabled();
  await page.reload();
  await expect(card.getByRole('button', { name: 'Follow', exact: true })).toBeVisible();
  await expect(card.getByText('0 followers', { exact: true })).toBeVisible();
});

test('a follow that fails is reverted, without a message', async ({ page }) => {
  await registerMember(page.request);
  const tag = uniqueWord('dune');
  await askQuestion(page.request, { title: uniqueText('Sand?'), tags: [tag] });
  await page.goto(`/topics?q=${tag}`);
  const logged: string[] = [];
  page.on('console', (message) => logged.push(message.text()));
  await page.route('**/api/tags/*/follow', (route) => route.abort());
  const card = page.getByRole('article', { name: tag });
  await card.getByRole('button', { name: 'Follow', exact: true }).click();
  await expect.poll(() => logged.join('\n')).toContain(`Following the tag ${tag} failed`);
  await expect(card.getByRole('button', { name: 'Follow', exact: true })).toBeEnabled();
  await expect(card.getByText('0 followers', { exact: true })).toBeVisible();
  await expect(page.getByRole('alert')).toBeHidden();
});

test('a follow that the server refuses is reverted, with the reason', async ({ page }) => {
  await registerMember(page.request);
  const tag = uniqueWord('dune');
  const id = await askQuestion(page.request, { title: uniqueText('Sand?'), tags: [tag] });
  await followManyTags(id);
  await page.goto(`/topics?q=${tag}`);
  const card = page.getByRole('article', { name: tag });
  await card.getByRole('button', { name: 'Follow', exact: true }).click();
  await expect(page.getByRole('alert')).toContainText('You can follow up to');
  await expect(card.getByRole('button', { name: 'Follow', exact: true })).toBeEnabled();
  await expect(card.getByText('0 followers', { exact: true })).toBeVisible();
});

test('an unused topic is not found', async ({ sharedPage: page }) => {
  await visit(page, '/topics/never-used-by-anyone');
  await expect(page.getByRole('heading', { name: 'Topic not found' })).toBeVisible();
  await page.getByRole('link', { name: 'Explore Topics' }).click();
  await expect(page).toHaveURL('/topics');
});

test('Load more lists more than 20 questions of a topic', async ({ sharedPage: page, request }) => {
  // The rate limit does not let one member ask the questions of all tests.
  await registerMember(request);
  const tag = uniqueWord('many');
  for (let n = 1; n <= 21; n++) await askQuestion(request, { title: `Number ${n} of many`, tags: [tag] });
  await visit(page, `/topics/${tag}`);
  await expect(names(page)).toHaveCount(20);
  await page.getByRole('button', { name: 'Load more' }).click();
  await expect(names(page)).toHaveCount(21);
});

/** Lets the author of a question follow as many topics as a member may. No question has them. */
async function followManyTags(questionId: number): Promise<void> {
  const connection = await findRunningConnection(process.env['PARLEY_E2E_DATA'] ?? '');
  if (connection === undefined) throw new Error('The server of the run is not running.');
  const client = new pg.Client(connection);
  await client.connect();
  await client.query(
    `with added as (
       insert into tag (name, key, followers_count)
       select 'followed-' || number, 'followed-' || number, 1 from generate_series(1, $2::int) number
       returning id
     )
     insert into tag_follow (tag_id, member_id)
     select added.id, question.author_id from added, question where question.id = $1`,
    [questionId, serverLimits.followedTags],
  );
  await client.end();
}
