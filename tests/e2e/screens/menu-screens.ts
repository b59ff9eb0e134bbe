import {
  button,
  closeWithEscape,
  dialog,
  opensDialog,
  opensMenu,
  type Screen,
  type Stage,
} from './screen.ts';

/** The menus of posts, the dialogs they open, and the dialogs of the settings. */
export const menuScreens: readonly Screen[] = [
  menu('question-menu', ({ page }) => page.locator('main article').first()),
  menu('answer-menu', ({ page }) => page.locator('main article[id^="answer-"]').first()),
  menu('reply-menu', ({ page }) => page.locator('main article[id^="reply-"]').first()),
  // The last post of a long page: there is no room below it.
  menu('last-menu', ({ page }) => page.locator('main article').last()),
  {
    name: 'question-own-menu',
    path: ({ own }) => `/question/${own}`,
    states: ['full'],
    prepare: (stage) => moreActions(stage, stage.page.locator('main article').first()),
    opens: opensMenu,
    close: closeWithEscape,
  },
  {
    name: 'report',
    path: ({ question }) => `/question/${question}`,
    states: ['full'],
    async prepare(stage) {
      await moreActions(stage, stage.page.locator('main article[id^="answer-"]').first());
      await stage.page.getByRole('menuitem', { name: stage.translate('Report'), exact: true }).click();
      await dialog(stage).locator('textarea').waitFor();
    },
    opens: opensDialog,
    close: closeWithEscape,
  },
  ofSettings('settings-email', 'Change email'),
  ofSettings('settings-two-factor', 'Set up two-factor authentication'),
  ofSettings('settings-delete-account', 'Delete my account'),
  ofSettings('settings-create-token', 'Create a token'),
  ofSettings('settings-remove-picture', 'Remove', '/settings'),
];

/** The menu 'More actions' of a post in a thread by other members, opened by its URL. */
function menu(name: string, post: (stage: Stage) => ReturnType<Stage['page']['locator']>): Screen {
  return {
    name,
    path: ({ extreme, question }) => `/question/${name === 'reply-menu' ? extreme : question}`,
    states: ['full'],
    prepare: (stage) => moreActions(stage, post(stage)),
    opens: opensMenu,
    close: closeWithEscape,
  };
}

async function moreActions(
  { page, translate }: Stage,
  post: ReturnType<Stage['page']['locator']>,
): Promise<void> {
  await post
    .getByRole('button', { name: translate('More actions'), exact: true })
    .first()
    .click();
  await page.getByRole('menuitem').first().waitFor();
}

function ofSettings(name: string, opener: string, path = '/settings?tab=account'): Screen {
  return {
    name,
    path: () => path,
    states: ['full'],
    async prepare(stage) {
      await button(stage, opener).click();
      await dialog(stage).waitFor();
    },
    opens: opensDialog,
    close: closeWithEscape,
  };
}
