import { expect, test } from '@playwright/test';
import { expectAccessible } from './support/accessibility.ts';
import { expectInView, expectInViewAtBothSizes } from './support/in-view.ts';
import { newMember, registerMember } from './support/members.ts';
import { changeSettings, startCommunityWithOwner } from './support/set-up.ts';

test('members close a question as a duplicate by votes, and the page names them', async ({
  page,
  browser,
}) => {
  test.slow();
  const community = await startCommunityWithOwner(page);
  try {
    await changeSettings(page.request, community, { closeVotesNeeded: 2, closeVoteReputation: 5 });
    const join = async (name: string) => {
      const member = await (await browser.newContext()).newPage();
      await registerMember(member.request, newMember(name), community.address);
      return member;
    };
    const ask = async (member: typeof page, title: string) => {
      const asked = await member.request.post(`${community.address}/api/questions`, {
        data: { title, content: 'For a loaf of one kilo.', tags: ['bread'] },
        headers: { origin: community.address },
      });
      expect(asked.status()).toBe(201);
      return ((await asked.json()) as { id: number }).id;
    };
    const [ada, ben, cleo] = [await join('Ada Asks'), await join('Ben Baker'), await join('Cleo Cook')];
    const original = await ask(ben, 'Which flour for bread?');
    const another = await ask(cleo, 'How hot is the oven?');
    const id = await ask(ada, 'What flour do I need?');
    // One upvote each gives the reputation for a vote.
    for (const question of [original, another]) {
      const voted = await page.request.put(`${community.address}/api/questions/${question}/vote`, {
        data: { vote: 'up' },
        headers: { origin: community.address },
      });
      expect(voted.status()).toBe(200);
    }
    const openMenu = async (member: typeof page) => {
      await member.goto(`${community.address}/question/${id}`);
      await member
        .getByRole('article', { name: 'What flour do I need?' })
        .getByRole('button', { name: 'More actions' })
        .click();
    };
    await openMenu(ada);
    await expectInView(ada.getByRole('menuitem', { name: 'Copy link' }));
    await expect(ada.getByRole('menuitem', { name: /^Close/u })).toHaveCount(0);

    await openMenu(ben);
    await ben.getByRole('menuitem', { name: 'Close (0/2 votes)' }).click();
    const dialog = ben.getByRole('dialog', { name: 'Close as a duplicate' });
    await expectInViewAtBothSizes(dialog);
    await dialog.getByRole('button', { name: 'Vote to close' }).click();
    await expect(dialog.getByText('Enter the number of the original question.')).toBeVisible();
    await dialog.getByLabel('Number or link of the original question').fill(`/question/${original}`);
    await dialog.getByRole('button', { name: 'Vote to close' }).click();
    await expectInView(ben.getByText('Vote saved'));

    await openMenu(cleo);
    await cleo.getByRole('menuitem', { name: 'Close (1/2 votes)' }).click();
    const second = cleo.getByRole('dialog', { name: 'Close as a duplicate' });
    await expect(second.getByRole('radio', { name: 'Which flour for bread?' })).toBeChecked();
    await expectAccessible(cleo, { look: 'vote to close' });
    await second.getByRole('button', { name: 'Vote to close' }).click();
    await expectInView(cleo.getByText('Question closed as a duplicate'));
    await expect(cleo.getByText('Closed by Ben Baker and Cleo Cook')).toBeVisible();
    await expect(ada.getByText('Closed by Ben Baker and Cleo Cook')).toBeVisible();
    await openMenu(ben);
    await expectInView(ben.getByRole('menuitem', { name: 'Reopen (0/2 votes)' }));
  } finally {
    await community.remove();
  }
});
