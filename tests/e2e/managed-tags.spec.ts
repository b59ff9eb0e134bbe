import { expect, test } from '@playwright/test';
import { expectAccessible } from './support/accessibility.ts';
import { waitForHydration } from './support/hydration.ts';
import { expectInView } from './support/in-view.ts';
import { askQuestion, makeModerator, newMember, registerMember } from './support/members.ts';
import { secondMember, uniqueText, uniqueWord } from './support/posts.ts';

test('a moderator describes a topic, gives it another name, and merges another topic into it', async ({
  page,
  browser,
}) => {
  const mark = uniqueText('').trim().replaceAll(' ', '-').slice(-12);
  const [main, other, short] = [`bakery-${mark}`, `baking-${mark}`, `bk-${mark}`];
  const { email } = await registerMember(page.request, newMember(`Mona ${mark}`));
  await askQuestion(page.request, { title: `How warm is warm? ${mark}`, tags: [main] });
  await askQuestion(page.request, { title: `How hot is hot? ${mark}`, tags: [other] });
  await makeModerator(email);
  const reading = await browser.newContext();
  const reader = await reading.newPage();
  await registerMember(reader.request, newMember('Rita'));
  await reader.goto(`/topics/${other}`);
  await waitForHydration(reader);

  await page.goto(`/topics/${main}`);
  await waitForHydration(page);
  await page.getByRole('link', { name: 'Edit topic' }).click();
  await expect(page.getByRole('heading', { name: main })).toBeVisible();
  await page.getByLabel('Description').fill('Ovens, dough and patience');
  await page.getByLabel('About this topic').fill('Say which **oven** you use.');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Saved to the moderation log').first()).toBeVisible();
  await page.getByLabel('Add a name').fill(short);
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(page.getByRole('button', { name: `Remove ${short}` })).toBeVisible();
  await expectAccessible(page, { look: 'managed-tag' });

  // The form has what another moderator saved meanwhile.
  await page.getByRole('link', { name: 'View topic' }).click();
  const texts = { description: 'Ovens and dough', about: 'Say which **oven** you use.' };
  expect((await page.request.put(`/api/moderation/tags/${main}`, { data: texts })).status()).toBe(200);
  await page.getByRole('link', { name: 'Edit topic' }).click();
  await expect(page.getByLabel('Description')).toHaveValue('Ovens and dough');

  await page.goto(`/moderation/tags/${other}`);
  await waitForHydration(page);
  await page.getByLabel('Description').fill('Everything from the oven');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Saved to the moderation log').first()).toBeVisible();
  await page.getByRole('button', { name: 'Merge into another topic' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('1 question and 0 followers move.');
  await expect(dialog).toContainText(`The description and text of “${other}” are deleted.`);
  await dialog.getByLabel('Other topic').fill(main);
  // A merge cannot be undone.
  await dialog.getByLabel('Other topic').press('Enter');
  await dialog.getByLabel('Reason (public, optional)').fill('The same thing.');
  await expectAccessible(page, { look: 'merging-tags' });
  await dialog.getByRole('button', { name: 'Merge' }).click();
  await expect(page.getByRole('heading', { name: main })).toBeVisible();
  await expect(page.getByRole('button', { name: `Remove ${other}` })).toBeVisible();

  // The open page of the merged topic becomes that of the other one.
  await expect(reader).toHaveURL(new RegExp(`/topics/${main}$`, 'u'));
  await expect(reader.getByText('Ovens and dough')).toBeVisible();
  await expect(reader.getByText('Say which oven you use.')).toBeVisible();
  await expect(reader.getByText(`How hot is hot? ${mark}`)).toBeVisible();
  await reader.goto('/ask');
  await waitForHydration(reader);
  await reader.getByLabel('Tags').fill(short);
  await expect(reader.getByText(`“${short}” becomes “${main}”, which means the same.`)).toBeVisible();
  await reading.close();
});

test('what a moderator types about a topic stays when another one changes its texts and renames it', async ({
  page,
  browser,
}) => {
  const tag = uniqueWord('oven');
  const { email } = await registerMember(page.request, newMember(uniqueText('Mona Moss')));
  await askQuestion(page.request, { title: uniqueText('How hot?'), tags: [tag] });
  await makeModerator(email);
  const { page: other, member } = await secondMember(browser, uniqueText('Otto Other'));
  await makeModerator(member.email);
  await page.goto(`/moderation/tags/${tag}`);
  await waitForHydration(page);
  const about = page.getByLabel('About this topic');
  await about.fill('A long text about ovens.');
  const put = await other.request.put(`/api/moderation/tags/${tag}`, {
    data: { description: 'Hot things', about: 'Ovens are hot.' },
  });
  expect(put.status(), await put.text()).toBe(200);
  await page.getByRole('button', { name: 'Save' }).click();
  const alert = page.getByRole('main').getByRole('alert');
  await expect(alert).toContainText('Another moderator has changed these texts.');
  await expect(page.locator('ins').filter({ hasText: 'Ovens are hot.' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Save' })).toBeDisabled();
  await expectAccessible(page, { look: 'texts of a topic that another moderator changed' });
  await page.getByRole('button', { name: 'Got it' }).click();
  await expect(about).toBeFocused();
  await expect(about).toHaveValue('A long text about ovens.');

  const renamed = `${tag}-new`;
  const rename = await other.request.post('/api/moderation/tag-changes', {
    data: { kind: 'rename', tag, to: renamed, reason: '' },
  });
  expect(rename.ok(), await rename.text()).toBe(true);
  await page.evaluate(() => dispatchEvent(new Event('visibilitychange')));
  await expect(page.getByRole('heading', { name: renamed })).toBeVisible();
  await expect(about).toHaveValue('A long text about ovens.');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page).toHaveURL(`/moderation/tags/${renamed}`);
  await expect(about).toHaveValue('A long text about ovens.');
  const saved = await page.request.get(`/api/moderation/tags/${renamed}`);
  const texts = { description: 'Hot things', about: 'A long text about ovens.' };
  expect(await saved.json()).toMatchObject(texts);
});

test('a moderator removes the name of a topic everywhere, by renaming it and by removing another name', async ({
  page,
  browser,
}) => {
  const mark = uniqueText('').trim().replaceAll(' ', '-').slice(-12);
  const [rude, rude2, kind] = [`rude-${mark}`, `ruder-${mark}`, `kind-${mark}`];
  const { email } = await registerMember(page.request, newMember(`Mira ${mark}`));
  const id = await askQuestion(page.request, { title: `Who is that? ${mark}`, tags: [rude2] });
  await makeModerator(email);
  const reading = await browser.newContext();
  const reader = await reading.newPage();
  await registerMember(reader.request, newMember('Rolf'));

  // By default, the old name stays.
  await page.goto(`/moderation/tags/${rude2}`);
  await waitForHydration(page);
  await page.getByRole('button', { name: 'Rename' }).click();
  const dialog = page.getByRole('dialog');
  const keep = dialog.getByRole('checkbox', { name: 'Keep the old name' });
  await expect(keep).toBeChecked();
  await expect(dialog).toContainText(`“${rude2}” stays as another name.`);
  await dialog.getByLabel('New name').fill(rude);
  await dialog.getByRole('button', { name: 'Rename' }).click();
  await expect(page.getByRole('button', { name: `Remove ${rude2}` })).toBeVisible();

  await reader.goto(`/topics/${rude}`);
  await waitForHydration(reader);
  await expect(reader.getByText(`Who is that? ${mark}`)).toBeVisible();
  await page.getByRole('button', { name: 'Rename' }).click();
  await dialog.getByLabel('New name').fill(kind);
  await keep.uncheck();
  await expect(dialog).toContainText(`“${rude}” will be removed,`);
  await expectInView(dialog.getByRole('button', { name: 'Rename' }));
  await expectAccessible(page, { look: 'renaming-a-tag' });
  await dialog.getByRole('button', { name: 'Rename' }).click();
  await expect(page.getByRole('heading', { name: kind })).toBeVisible();
  await expect(page).toHaveURL(new RegExp(`/moderation/tags/${kind}$`, 'u'));
  await expect(page.getByRole('button', { name: `Remove ${rude}` })).toHaveCount(0);
  // The open page of the old name.
  await expect(reader.getByText(`Who is that? ${mark}`)).toHaveCount(0);
  await expect(reader.getByRole('heading', { name: 'Topic not found' })).toBeVisible();

  await page.getByRole('button', { name: `Remove ${rude2}` }).click();
  await dialog.getByRole('checkbox', { name: 'Also remove the name' }).check();
  await expectInView(dialog.getByRole('button', { name: 'Remove' }));
  await expectAccessible(page, { look: 'removing-a-synonym' });
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('button', { name: `Remove ${rude2}` })).toHaveCount(0);
  await expect(page.getByLabel('Add a name')).toBeFocused();
  const addresses = [rude, rude2].flatMap((name) => [`/api/tags/${name}`, `/topics/${name}`]);
  for (const address of addresses) expect((await reader.request.get(address)).status(), address).toBe(404);
  await reader.goto(`/question/${id}`);
  await expect(reader.getByRole('link', { name: kind })).toBeVisible();
  await reading.close();
});
