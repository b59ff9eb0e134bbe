import { expect, test, type Page } from '@playwright/test';
import { askQuestion, registerMember, newMember } from './support/members.ts';
import { waitForTexts } from './support/hydration.ts';
import { startNetwork } from './support/network.ts';
import { expectInView } from './support/in-view.ts';
import {
  postAnswer,
  getSecondNodeAddress,
  secondMember,
  uniqueText,
  withoutLiveUpdates,
} from './support/posts.ts';

const field = (page: Page) => page.getByRole('textbox', { name: 'Your answer' });
const typingCount = (page: Page) => page.getByText(/^\d+ (person is|people are) writing an answer$/u);
const editedNotice = (page: Page) => page.getByText('The question has been edited since you started.');

test.describe.configure({ timeout: 90_000 });

async function openQuestion(page: Page, id: number, address = '') {
  await page.goto(`${address}/question/${id}`);
  await expect(field(page)).toBeVisible({ timeout: 20_000 });
}

test('members who are writing an answer are counted for other readers, on both nodes', async ({
  page,
  browser,
}) => {
  await registerMember(page.request, newMember('Ada'));
  const id = await askQuestion(page.request, { title: uniqueText('Who answers?') });
  const ben = await secondMember(browser, 'Ben');
  const cleo = await secondMember(browser, 'Cleo');
  await openQuestion(page, id);
  await openQuestion(ben.page, id);
  // The loaded form replaces the one that the server rendered.
  await waitForTexts(page);
  const before = await field(page).boundingBox();
  expect(before).not.toBeNull();

  await field(ben.page).fill('I think');
  await expect(typingCount(page)).toHaveText('1 person is writing an answer');
  await openQuestion(cleo.page, id);
  await expect(typingCount(cleo.page)).toHaveText('1 person is writing an answer');
  await field(cleo.page).fill('As far as I know');
  await expect(typingCount(page)).toHaveText('2 people are writing an answer');
  await expect(typingCount(ben.page)).toHaveText('1 person is writing an answer');
  await expect(typingCount(cleo.page)).toHaveText('1 person is writing an answer');
  expect(await field(page).boundingBox(), 'the line must not push the field down').toEqual(before);

  await field(ben.page).fill('I think so.');
  await ben.page.getByRole('button', { name: 'Post Answer' }).click();
  await expect(typingCount(page)).toHaveText('1 person is writing an answer');
  await expect(typingCount(cleo.page)).toHaveCount(0);
  await field(cleo.page).fill('');
  await expect(typingCount(page)).toHaveCount(0);
  await field(cleo.page).fill('Once more');
  await expect(typingCount(page)).toHaveText('1 person is writing an answer');
  await cleo.page.getByRole('link', { name: 'Parley', exact: true }).click();
  await expect(typingCount(page)).toHaveCount(0);
});

test('a member writing in two tabs counts once, and never for themselves', async ({
  page,
  browser,
  baseURL,
}) => {
  await registerMember(page.request, newMember('Ada'));
  const id = await askQuestion(page.request, { title: uniqueText('How many tabs?') });
  await openQuestion(page, id);
  const ben = await secondMember(browser, 'Ben');
  await openQuestion(ben.page, id);
  // Cookies do not depend on ports: the same member, on the other node.
  const other = await ben.page.context().newPage();
  await openQuestion(other, id, baseURL);
  await field(ben.page).fill('Here');
  await expect(typingCount(page)).toHaveText('1 person is writing an answer');
  await field(other).fill('And there');
  const cleo = await secondMember(browser, 'Cleo');
  await openQuestion(cleo.page, id, baseURL);
  await field(cleo.page).fill('Me, too');
  await expect(typingCount(page)).toHaveText('2 people are writing an answer');
  await expect(typingCount(ben.page)).toHaveText('1 person is writing an answer');
  await expect(typingCount(other)).toHaveText('1 person is writing an answer');

  await other.close();
  await cleo.page.close();
  await expect(typingCount(page)).toHaveText('1 person is writing an answer');
  await expect(typingCount(ben.page)).toHaveCount(0);
});

test('a member who loses the network is not counted until it is back, and still counted if they keep typing', async ({
  page,
  browser,
}) => {
  test.setTimeout(120_000);
  await registerMember(page.request, newMember('Ada'));
  const id = await askQuestion(page.request, { title: uniqueText('Are you still writing?') });
  await openQuestion(page, id);
  const network = await startNetwork(getSecondNodeAddress());
  const ben = await secondMember(browser, 'Ben');
  const cleo = await secondMember(browser, 'Cleo');
  await openQuestion(cleo.page, id);
  await openQuestion(ben.page, id, network.address);
  await field(cleo.page).fill('At home');
  await field(ben.page).fill('While the train');
  await expect(typingCount(page)).toHaveText('2 people are writing an answer');

  network.lose();
  await field(ben.page).pressSequentially(' is in the tunnel');
  const shown = async () => {
    await field(cleo.page).pressSequentially('.');
    return typingCount(page).allTextContents();
  };
  await expect.poll(shown, { timeout: 40_000 }).toEqual(['1 person is writing an answer']);
  network.restore();
  await field(ben.page).pressSequentially(' and out again');
  await expect(typingCount(page)).toHaveText('2 people are writing an answer', { timeout: 30_000 });
  await ben.page.close();
  await network.close();
});

test('a member who has not typed for half a minute is not counted', async ({ page, browser }) => {
  await registerMember(page.request, newMember('Ada'));
  const id = await askQuestion(page.request, { title: uniqueText('Are you asleep?') });
  await openQuestion(page, id);
  const ben = await secondMember(browser, 'Ben');
  await ben.page.clock.install();
  await openQuestion(ben.page, id);
  await field(ben.page).fill('Let me think');
  await expect(typingCount(page)).toHaveText('1 person is writing an answer');
  await ben.page.clock.fastForward(31_000);
  await expect(typingCount(page)).toHaveCount(0);
  await field(ben.page).pressSequentially('.');
  await expect(typingCount(page)).toHaveText('1 person is writing an answer');
});

test('a notice says that a question was edited while its answer is written, until it is dismissed', async ({
  page,
  browser,
}) => {
  await registerMember(page.request, newMember('Ada'));
  const title = uniqueText('What did I ask?');
  const id = await askQuestion(page.request, { title, content: 'About tea.' });
  const edit = (content: string) =>
    page.request.put(`/api/questions/${id}`, { data: { title, content, tags: [] } });
  await edit('About black tea.');
  const ben = await secondMember(browser, 'Ben');
  await openQuestion(ben.page, id);
  await openQuestion(page, id);
  await field(page).fill('I know it myself.');
  await field(ben.page).fill('Four minutes.');
  await expect(ben.page.getByText('Draft saved')).toBeVisible();
  const place = async () => Math.round((await field(ben.page).boundingBox())?.y ?? Number.NaN);
  const before = await place();

  await edit('About green tea.');
  await expect(editedNotice(ben.page)).toBeVisible();
  await expect(ben.page.getByRole('article', { name: title })).toContainText('About green tea.');
  await expect.poll(place, 'what one types in must not move').toBe(before);
  await ben.page.reload();
  await expect(editedNotice(ben.page)).toBeVisible();
  await ben.page.getByRole('button', { name: 'Show changes' }).click();
  const versions = ben.page.getByRole('dialog', { name: 'Versions' });
  await expectInView(versions);
  await expect(versions.locator('ins')).toContainText(['green']);
  await ben.page.keyboard.press('Escape');
  await expect(versions).toHaveCount(0);

  await ben.page.getByRole('button', { name: 'Dismiss' }).click();
  await expect(field(ben.page)).toBeFocused();
  await expect(editedNotice(ben.page)).toHaveCount(0);
  await expect(ben.page.getByText('Draft saved')).toBeVisible();
  await ben.page.reload();
  await expect(field(ben.page)).toHaveValue('Four minutes.');
  await expect(editedNotice(ben.page)).toHaveCount(0);
  await edit('About white tea.');
  await expect(editedNotice(ben.page)).toBeVisible();
  await field(ben.page).fill('');
  await expect(editedNotice(ben.page)).toHaveCount(0);
  await field(ben.page).fill('Two minutes.');
  await expect(editedNotice(ben.page)).toHaveCount(0);

  // The member who edited it gets no notice.
  await expect(page.getByRole('article', { name: title })).toContainText('About white tea.');
  await expect(editedNotice(page)).toHaveCount(0);
});

test('a notice says that a question was edited while the member was offline', async ({ page, browser }) => {
  await registerMember(page.request, newMember('Ada'));
  const title = uniqueText('What was it again?');
  const id = await askQuestion(page.request, { title, content: 'About coffee.' });
  const ben = await secondMember(browser, 'Ben');
  await openQuestion(ben.page, id);
  await field(ben.page).fill('Ninety degrees.');
  // The form has been loaded, with the question as it was.
  await expect(ben.page.getByRole('button', { name: 'Post Answer' })).toBeEnabled();
  await ben.page.context().setOffline(true);
  await page.request.put(`/api/questions/${id}`, { data: { title, content: 'About cocoa.', tags: [] } });
  await ben.page.context().setOffline(false);
  await expect(editedNotice(ben.page)).toBeVisible({ timeout: 30_000 });
  await expect(field(ben.page)).toHaveValue('Ninety degrees.');
});

test('an answer that was edited in another tab is not overwritten without a notice', async ({
  page,
  context,
}) => {
  await registerMember(page.request, newMember('Ada'));
  const id = await askQuestion(page.request, { title: uniqueText('Which tab wins?') });
  const answerId = await postAnswer(page.request, id, 'First words.');
  const article = page.getByRole('article', { name: 'Answer by Ada' });
  const edited = article.getByRole('textbox', { name: 'Edit answer' });
  // As when the event has not arrived yet.
  await withoutLiveUpdates(page);
  await openQuestion(page, id);
  await article.getByRole('button', { name: 'Edit' }).click();
  await edited.fill('Words of this tab.');
  const other = await context.newPage();
  const saved = await other.request.put(`/api/answers/${answerId}`, { data: { content: 'Other words.' } });
  expect(saved.status()).toBe(200);

  await article.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'Failed to save answer' })).toContainText(
    'This answer was edited while you were writing. Review the changes before you save.',
  );
  await expect(edited).toHaveValue('Words of this tab.');
  await article.getByRole('button', { name: 'Show changes' }).click();
  await expect(page.getByRole('dialog', { name: 'Versions' })).toContainText('Other words.');
  await page.keyboard.press('Escape');
  await article.getByRole('button', { name: 'Dismiss' }).click();
  await article.getByRole('button', { name: 'Save' }).click();
  await expect(edited).toHaveCount(0);
  await expect(article).toContainText('Words of this tab.');
});

test('a question that was edited in another tab is not overwritten without a notice', async ({
  page,
  context,
}) => {
  await registerMember(page.request, newMember('Ada'));
  const title = uniqueText('Which tab wins here?');
  const id = await askQuestion(page.request, { title });
  await openQuestion(page, id);
  const article = page.getByRole('article', { name: title });
  await article.getByRole('button', { name: 'Edit', exact: true }).click();
  await article.getByRole('textbox', { name: 'Details' }).fill('What this tab says.');
  const other = await context.newPage();
  await openQuestion(other, id);
  await other.request.put(`/api/questions/${id}`, { data: { title, content: 'Something else.', tags: [] } });

  await expect(editedNotice(page)).toBeVisible();
  await article.getByRole('button', { name: 'Save' }).click();
  await expect(article.getByRole('alert')).toHaveText(
    'This question was edited while you were writing. Review the changes before you save.',
  );
  await article.getByRole('button', { name: 'Dismiss' }).click();
  await expect(article.getByRole('alert')).toHaveCount(0);
  await article.getByRole('button', { name: 'Save' }).click();
  await expect(article).toContainText('What this tab says.');
});
