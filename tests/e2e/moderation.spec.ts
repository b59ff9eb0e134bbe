import { projectRoot } from '#server/core/paths.ts';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, type Page, test } from '@playwright/test';
import { expectAccessible } from './support/accessibility.ts';
import { newMember, registerMember } from './support/members.ts';
import { expectInView, expectInViewAtBothSizes } from './support/in-view.ts';
import { askAndOpen, postAnswer, secondMember, uniqueText } from './support/posts.ts';

test('what a member flags an operator hides by the keyboard, everybody reads why, and it comes back', async ({
  page,
  browser,
}) => {
  test.slow();
  await registerMember(page.request, newMember('Rita Reader'));
  const title = uniqueText('Which flour?');
  const id = await askAndOpen(page, title);
  const { page: seller } = await secondMember(browser, 'Sally Seller');
  const spam = uniqueText('Buy my flour');
  await postAnswer(seller.request, id, spam);
  const post = page.getByRole('article', { name: 'Answer by Sally Seller' });
  await page.reload();
  await post.getByRole('button', { name: 'More actions' }).click();
  await expectInView(page.getByRole('menu'), { opener: post.getByRole('button', { name: 'More actions' }) });
  await page.getByRole('menuitem', { name: 'Report' }).click();
  const dialog = page.getByRole('dialog', { name: 'Report' });
  await expectInViewAtBothSizes(dialog);
  await dialog.getByLabel('Anything to add?').fill('Not an answer');
  await expectAccessible(page, { look: 'flag' });
  await dialog.getByRole('button', { name: 'Report', exact: true }).click();
  await expect(dialog).toBeHidden();

  const { page: operator, member } = await secondMember(browser, 'Olga Operator');
  await operator.goto('/care');
  await expect(operator.getByRole('heading', { name: 'Flagged posts' })).toHaveCount(0);
  await makeModerator(member.email);
  await operator.reload();
  const flagged = operator.getByRole('article', { name: 'Flagged post by Sally Seller' });
  await expect(flagged).toContainText('Not an answer');
  await expectAccessible(operator, { look: 'queue' });
  await flagged.focus();
  await operator.keyboard.press('h');
  await operator.getByLabel('Why? Everybody can read this.').fill('An advertisement');
  await operator.getByRole('button', { name: 'Hide', exact: true }).last().click();
  await expect(flagged).toHaveCount(0);
  await expect(post).toHaveCount(0);

  await seller.goto(`/question/${id}`);
  const notice = seller.getByRole('dialog', { name: 'From the operators' });
  await expect(notice).toContainText('An advertisement');
  await expectInViewAtBothSizes(notice);
  await expectAccessible(seller, { look: 'notice' });
  await notice.getByRole('button', { name: 'I have read this' }).click();
  await expect(notice).toBeHidden();
  await expect(seller.getByRole('region', { name: 'Hidden from others' })).toContainText(spam);

  await page.goto('/care/log');
  await expect(entryOf(page)).toContainText('Answer hidden');
  await expect(page.getByText('Sally Seller')).toHaveCount(0);
  await operator.goto('/care/log');
  await expect(entryOf(operator)).toContainText('Sally Seller');
  await expectAccessible(operator, { look: 'log' });
  await entryOf(operator).getByRole('button', { name: 'Bring back' }).click();
  const restoring = operator.getByRole('dialog', { name: 'Moderate post' });
  await expectInViewAtBothSizes(restoring);
  await restoring.getByRole('button', { name: 'Bring back' }).click();
  await expect(restoring).toBeHidden();
  await page.goto(`/question/${id}`);
  await expect(post).toContainText(spam);
});

/** The latest thing that was done to an advertisement. */
const entryOf = (page: Page) =>
  page.getByRole('main').getByRole('listitem').filter({ hasText: 'An advertisement' }).first();

async function makeModerator(email: string): Promise<void> {
  const program = path.join(projectRoot, 'src/server/cli-main.ts');
  await promisify(execFile)(process.execPath, [program, 'member', 'role', email, 'operator'], {
    env: { ...process.env, PARLEY_DATA: process.env['PARLEY_E2E_DATA'] },
  });
}
