import { expect } from '@playwright/test';
import { saveDraft } from '#tests/e2e/support/drafts.ts';
import { waitForTexts } from '#tests/e2e/support/hydration.ts';
import { postAnswer } from '#tests/e2e/support/posts.ts';
import { deleteState } from '#tests/e2e/support/three-members.ts';
import { button, dialog, field, opensDialog, opensList, type Screen, type Stage } from './screen.ts';
import { failRequests } from './states.ts';

const ownPost = (kind: string, id: number) => `#${kind}-${id}`;

/** Forms and the overlays they open while writing. */
export const writingScreens: readonly Screen[] = [
  {
    name: 'question-replying',
    path: ({ question }) => `/question/${question}`,
    states: ['full'],
    async prepare(stage) {
      await button(stage, 'Reply').first().click();
      await field(stage, 'Your reply').fill('Thank you, `this` **works** here as well.');
    },
  },
  {
    name: 'question-commenting',
    path: ({ question }) => `/question/${question}`,
    states: ['extreme'],
    async prepare(stage) {
      await button(stage, 'Add a comment').click();
      await field(stage, 'Your reply').fill('x'.repeat(1_001));
      await button(stage, 'Post Reply').click();
      await stage.page.locator('textarea[aria-invalid="true"]').waitFor();
    },
  },
  {
    name: 'question-answer-deleted',
    path: ({ spare }) => `/question/${spare}`,
    states: ['full'],
    async prepare(stage) {
      const { page, ids, otherMember } = stage;
      const id = await postAnswer(otherMember, ids.spare, 'An answer that is deleted soon.');
      await page.reload();
      const answer = page.locator(ownPost('answer', id));
      await answer.locator('[data-shortcut-key="r"]').click();
      await field(stage, 'Your reply').fill('What about the other case?');
      await deleteState(otherMember, `/api/answers/${id}`);
      const link = page.locator('form').getByRole('link', { name: stage.translate('Drafts') });
      await link.waitFor();
      await link.scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'question-answering',
    path: ({ question }) => `/question/${question}`,
    states: ['full'],
    prepare: (stage) => field(stage, 'Your answer').fill(markdown),
  },
  {
    name: 'question-uploading',
    path: ({ question }) => `/question/${question}`,
    states: ['full'],
    async prepare(stage) {
      await stage.page.route('**/api/uploads', () => {});
      await field(stage, 'Your answer').fill('It looks like this: ');
      const file = { name: 'bread.png', mimeType: 'image/png', buffer: Buffer.from('a picture') };
      await stage.page.locator('input[type="file"]').first().setInputFiles(file);
      await stage.page.getByRole('progressbar').waitFor();
    },
  },
  {
    name: 'question-previewing',
    path: ({ question }) => `/question/${question}`,
    states: ['full'],
    async prepare(stage) {
      await field(stage, 'Your answer').fill(markdown);
      await stage.page.getByRole('tab', { name: stage.translate('Preview') }).click();
      await stage.page.locator('[role="tabpanel"] table').waitFor();
    },
  },
  {
    name: 'question-answer-refused',
    path: ({ question }) => `/question/${question}`,
    states: ['full'],
    async prepare(stage) {
      await field(stage, 'Your answer').fill('A short answer.');
      await failRequests(stage.page, '/api/questions/');
      await button(stage, 'Post Answer').click();
      await stage.page.getByRole('alert').first().waitFor();
    },
  },
  {
    name: 'question-edit-conflict',
    path: ({ own }) => `/question/${own}`,
    states: ['full'],
    async prepare(stage) {
      const { page, ids } = stage;
      await edit(stage, 'answer', ids.ownAnswer);
      await field(stage, 'Edit answer').fill('What this tab makes of it.');
      const data = { content: 'What another tab made of it.' };
      await page.request.put(`/api/answers/${ids.ownAnswer}`, { data });
      await button(stage, 'Show changes').waitFor();
    },
  },
  {
    name: 'question-editing',
    path: ({ own }) => `/question/${own}`,
    states: ['full', 'extreme'],
    async prepare(stage) {
      await edit(stage, 'question', stage.ids.own);
      await field(stage, 'Title').waitFor();
      if (stage.state === 'full') return;
      await field(stage, 'Title').fill('');
      await field(stage, 'Tags').fill('one, two, three, four, five, six');
      await button(stage, 'Save').click();
      await stage.page.locator('[aria-invalid="true"]').first().waitFor();
    },
  },
  {
    name: 'answer-editing',
    path: ({ own }) => `/question/${own}`,
    states: ['full'],
    async prepare(stage) {
      await edit(stage, 'answer', stage.ids.ownAnswer);
      await field(stage, 'Edit answer').waitFor();
    },
  },
  {
    name: 'mentioning',
    path: ({ own }) => `/question/${own}`,
    states: ['full'],
    async prepare(stage) {
      await typeAnswer(stage, '@n');
      await stage.page.getByRole('listbox', { name: stage.translate('Members') }).waitFor();
    },
    opens: opensList,
    close: clearAnswer,
  },
  {
    name: 'linking-question',
    path: ({ own }) => `/question/${own}`,
    states: ['full'],
    async prepare(stage) {
      const list = stage.page.getByRole('listbox', { name: stage.translate('Questions') });
      // A busy server may refuse searches; the next input repeats them.
      await expect(async () => {
        await typeAnswer(stage, '#how');
        await list.waitFor({ timeout: 5_000 });
      }).toPass();
    },
    opens: opensList,
    close: clearAnswer,
  },
  {
    name: 'code-language',
    path: ({ own }) => `/question/${own}`,
    states: ['full'],
    async prepare(stage) {
      await typeAnswer(stage, '```');
      const list = stage.page.getByRole('listbox', { name: stage.translate('Code languages') });
      await list.waitFor();
      await stage.page.keyboard.press('ArrowDown');
    },
    opens: opensList,
    close: clearAnswer,
  },
  {
    name: 'draft-conflict',
    path: ({ spare }) => `/question/${spare}`,
    states: ['full'],
    async prepare(stage) {
      const { page, ids } = stage;
      await page.context().setOffline(true);
      await field(stage, 'Your answer').fill('Written on a train.');
      await saveDraft(page.request, `answer:${ids.spare}`, { content: 'Written at home.' });
      await page.context().setOffline(false);
      await button(stage, 'Compare').click();
      await page.locator('main ins, main del').first().waitFor();
    },
  },
  {
    name: 'ask-typing',
    path: () => '/ask',
    states: ['full', 'extreme'],
    async prepare(stage) {
      const isLong = stage.state === 'extreme';
      await field(stage, 'Title').fill(isLong ? 'W'.repeat(210) : 'How do I keep a sourdough starter alive?');
      await field(stage, 'Details').fill(markdown);
      await field(stage, 'Tags').fill('baking, bread, one, two, three, four');
    },
  },
  {
    name: 'ask-refused',
    path: () => '/ask',
    states: ['full'],
    async prepare(stage) {
      await button(stage, 'Post Question').click();
      await stage.page.locator('[aria-invalid="true"]').first().waitFor();
    },
  },
  {
    name: 'ask-suggestions',
    path: () => '/ask',
    states: ['full'],
    async prepare(stage) {
      await field(stage, 'Title').fill('How do I keep my sourdough starter alive on holidays?');
      await field(stage, 'Tags').fill('pro');
      await stage.page.getByRole('list', { name: stage.translate('Suggestions') }).waitFor();
      await stage.page.locator('main [aria-haspopup="dialog"]').first().waitFor();
    },
    // A row of the form, below its hint and counter.
    opens: ({ page, translate }) => ({ element: page.getByRole('list', { name: translate('Suggestions') }) }),
  },
  {
    name: 'ask-similar',
    path: () => '/ask',
    states: ['loading', 'full', 'failed'],
    // The page does not need the held requests.
    async arrange({ page }) {
      await page.unrouteAll({ behavior: 'ignoreErrors' });
    },
    async prepare(stage) {
      await field(stage, 'Title').fill('How do I keep my sourdough starter alive on holidays?');
      const first = stage.page.locator('main [aria-haspopup="dialog"]').first();
      await first.waitFor();
      if (stage.state === 'failed') await failRequests(stage.page, '/api/questions/');
      if (stage.state === 'loading')
        await stage.page.route('**/api/questions/*', () => new Promise(() => {}));
      await first.click();
      const selector =
        { loading: '[aria-busy="true"]', failed: '[role="alert"]' }[stage.state as string] ?? 'h3';
      await dialog(stage).locator(selector).first().waitFor();
    },
    opens: opensDialog,
  },
  {
    name: 'ask-signed-out',
    path: () => '/ask',
    states: ['full'],
    async prepare(stage) {
      const { page } = stage;
      await field(stage, 'Title').fill('Is my session still there?');
      await field(stage, 'Details').fill('It ended on another device.');
      await page.route('**/api/questions', (route) =>
        route.fulfill({
          status: 401,
          contentType: 'application/problem+json',
          body: JSON.stringify({
            type: 'about:blank',
            title: 'Signed out',
            status: 401,
            kind: 'signed-out',
            detail: 'Please log in to continue',
          }),
        }),
      );
      await page.route('**/api/session', (route) => route.fulfill({ json: { member: null } }));
      await button(stage, 'Post Question').click();
      await expect(page.getByRole('alert').first()).toBeVisible();
    },
  },
];

/** Types into the loaded form, which may have a draft of another screen. */
async function typeAnswer(stage: Stage, text: string): Promise<void> {
  await waitForTexts(stage.page);
  await field(stage, 'Your answer').fill('');
  await field(stage, 'Your answer').pressSequentially(text);
}

/** Closes a list at the caret and deletes what was typed. */
async function clearAnswer(stage: Stage): Promise<void> {
  await stage.page.keyboard.press('Escape');
  await field(stage, 'Your answer').fill('');
}

/** Opens the edit form of the member's own post. */
async function edit({ page, translate }: Stage, kind: string, id: number): Promise<void> {
  const post = kind === 'question' ? page.locator('main article').first() : page.locator(ownPost(kind, id));
  await post.getByRole('button', { name: translate('Edit'), exact: true }).click();
}

const markdown = [
  'It **works**, see `starter.ts` and [the manual](https://example.org/manual):',
  '```ts\nconst fed = starter.feed({ flour: 50, water: 50 });\n```',
  '| day | flour |\n|-|-|\n| 1 | 50 g |',
  '> A quote\n\n1. first\n2. second\n\n- [x] done\n- [ ] to do',
].join('\n\n');
