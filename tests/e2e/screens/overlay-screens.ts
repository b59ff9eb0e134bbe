import { withoutInlinedResponses } from '#tests/e2e/support/offline-queue.ts';
import {
  button,
  closeWithEscape,
  dialog,
  field,
  opensDialog,
  opensMenu,
  opensMessage,
  type Screen,
  type Stage,
} from './screen.ts';
import { holdRequests, failRequests } from './states.ts';

/** Overlays: menus, lists, dialogs, messages and banners. */
export const overlayScreens: readonly Screen[] = [
  {
    name: 'notifications-menu',
    path: () => '/',
    states: ['empty', 'full'],
    wide: true,
    async prepare(stage) {
      await notificationButton(stage).click();
      await dialog(stage).locator('h2').waitFor();
    },
    opens: opensNotificationMenu,
  },
  {
    name: 'notifications-menu-failed',
    path: () => '/',
    states: ['full'],
    wide: true,
    async arrange({ page }) {
      await withoutInlinedResponses(page);
      await failRequests(page, '/api/notifications');
    },
    async prepare(stage) {
      await notificationButton(stage).click();
      await dialog(stage).getByRole('alert').waitFor();
    },
    opens: opensNotificationMenu,
  },
  {
    name: 'account-menu',
    path: () => '/',
    states: ['full'],
    async prepare(stage) {
      await button(stage, 'Account menu').click();
      await stage.page.getByRole('menuitem').last().waitFor();
    },
    opens: opensMenu,
    close: closeWithEscape,
  },
  {
    name: 'command-palette',
    path: () => '/',
    states: ['empty', 'full', 'extreme'],
    async prepare(stage) {
      const { page, state } = stage;
      await page.locator('h1').click();
      await page.keyboard.press('Control+k');
      await dialog(stage).waitFor();
      if (state === 'empty') return;
      // The search starts a moment after typing.
      const response = page.waitForResponse((response) => response.url().includes('/api/search/instant'));
      await page.keyboard.type(state === 'full' ? 'how' : 'nothing-like-it');
      await response;
      await page.getByRole('option').first().waitFor();
    },
    opens: opensDialog,
    close: closeWithEscape,
  },
  searchHelpScreen('search-help', 'is:'),
  {
    name: 'search-operators-help',
    path: () => '/',
    states: ['full'],
    async prepare(stage) {
      await searchFor(stage, '');
      await stage.page.keyboard.press('ArrowDown');
    },
    opens: opensHelp,
    close: closeSearch,
  },
  searchHelpScreen('search-tags', 'how [pro'),
  searchHelpScreen('search-members', 'user:m'),
  {
    name: 'shortcuts',
    path: () => '/',
    states: ['full'],
    async prepare(stage) {
      await stage.page.locator('h1').focus();
      await stage.page.keyboard.press('?');
      await dialog(stage).waitFor();
    },
    opens: opensDialog,
    close: closeWithEscape,
  },
  {
    name: 'delete',
    path: ({ extreme }) => `/question/${extreme}`,
    states: ['full'],
    prepare: (stage) => open(stage, stage.page.locator('main'), 'Delete Question'),
    opens: opensDialog,
    close: closeWithEscape,
  },
  {
    name: 'delete-answer',
    path: ({ own }) => `/question/${own}`,
    states: ['full'],
    prepare: (stage) => open(stage, stage.page.locator(`#answer-${stage.ids.ownAnswer}`), 'Delete'),
    opens: opensDialog,
    close: closeWithEscape,
  },
  {
    name: 'delete-reply',
    path: ({ own }) => `/question/${own}`,
    states: ['full'],
    prepare: (stage) => open(stage, stage.page.locator(`#reply-${stage.ids.ownReply}`), 'Delete'),
    opens: opensDialog,
    close: closeWithEscape,
  },
  {
    name: 'delete-refused',
    path: ({ spare }) => `/question/${spare}`,
    states: ['full'],
    async prepare(stage) {
      await open(stage, stage.page.locator('main'), 'Delete Question');
      await failRequests(stage.page, '/api/questions/');
      await dialog(stage)
        .getByRole('button', { name: stage.translate('Delete'), exact: true })
        .click();
      await stage.page.getByRole('alert').first().waitFor();
    },
    opens: opensMessage,
  },
  {
    name: 'delete-list',
    path: ({ list }) => `/bookmarks?list=${list}`,
    states: ['full'],
    prepare: (stage) => open(stage, stage.page.locator('main'), 'Delete list'),
    opens: opensDialog,
    close: closeWithEscape,
  },
  {
    name: 'versions',
    path: ({ own }) => `/question/${own}`,
    states: ['loading', 'full', 'failed'],
    arrange: ({ page }) => page.unrouteAll({ behavior: 'ignoreErrors' }),
    async prepare(stage) {
      const { page, ids, state } = stage;
      const edited = page.locator(`#answer-${ids.ownAnswer} button[aria-haspopup="dialog"]`);
      await edited.waitFor();
      if (state === 'loading') await holdRequests(page, '/api/answers/');
      if (state === 'failed') await failRequests(page, '/api/answers/');
      await edited.click();
      await dialog(stage).waitFor();
      const selector = { loading: '[aria-busy="true"]', failed: '[role="alert"]' }[state as string] ?? 'ins';
      await dialog(stage).locator(selector).first().waitFor();
    },
    opens: opensDialog,
    close: closeWithEscape,
  },
  {
    name: 'bookmark-message',
    path: ({ spare }) => `/question/${spare}`,
    states: ['full'],
    arrange: removeBookmark,
    async prepare(stage) {
      await button(stage, 'Bookmark').first().click();
      await button(stage, 'Add a note or lists').waitFor();
    },
    opens: opensMessage,
  },
  {
    name: 'bookmark-note',
    path: ({ spare }) => `/question/${spare}`,
    states: ['full', 'extreme'],
    arrange: removeBookmark,
    async prepare(stage) {
      await button(stage, 'Bookmark').first().click();
      await button(stage, 'Add a note or lists').click();
      await dialog(stage).waitFor();
      if (stage.state === 'full') return;
      await dialog(stage).locator('textarea').fill('Note after note. '.repeat(200));
      await dialog(stage).locator('[aria-invalid="true"]').waitFor();
    },
    opens: opensDialog,
  },
  {
    name: 'bookmark-lists',
    path: () => '/bookmarks',
    states: ['full'],
    prepare: (stage) => open(stage, stage.page.locator('main'), 'Choose lists'),
    opens: opensDialog,
    close: closeWithEscape,
  },
  {
    name: 'copied',
    path: ({ question }) => `/question/${question}`,
    states: ['full'],
    async prepare(stage) {
      await button(stage, 'Share').click();
      await stage.page
        .getByRole('status')
        .or(stage.page.getByRole('alert'))
        .filter({ hasText: /\S/u })
        .first()
        .waitFor();
    },
    opens: opensMessage,
  },
  {
    name: 'offline',
    path: ({ spare }) => `/question/${spare}`,
    states: ['full'],
    async prepare(stage) {
      await goOffline(stage);
      await field(stage, 'Your answer').fill('Written in a tunnel.');
      await button(stage, 'Post Answer').click();
      await stage.page.locator('main article[id^="queued-"]').first().waitFor();
    },
    opens: opensMessage,
  },
  {
    name: 'offline-deleting',
    path: ({ spare }) => `/question/${spare}`,
    states: ['full'],
    async prepare(stage) {
      await goOffline(stage);
      await field(stage, 'Your answer').fill('Written in a tunnel.');
      await button(stage, 'Post Answer').click();
      await open(stage, stage.page.locator('main article[id^="queued-"]'), 'Delete');
    },
    opens: opensDialog,
  },
];

const notificationButton = ({ page }: Stage) => page.locator('header button[aria-haspopup="dialog"]').first();

/** Presses a button within a part of the page and waits for the dialog. */
async function open(stage: Stage, part: ReturnType<Stage['page']['locator']>, name: string): Promise<void> {
  await part
    .getByRole('button', { name: stage.translate(name), exact: true })
    .first()
    .click();
  await dialog(stage).waitFor();
}

/** The panel of the search box for a typed text. */
function searchHelpScreen(name: string, text: string): Screen {
  return {
    name,
    path: () => '/',
    states: ['full'],
    prepare: (stage) => searchFor(stage, text),
    opens: opensHelp,
    close: closeSearch,
  };
}

async function searchFor({ page, translate }: Stage, text: string): Promise<void> {
  const box = page.getByRole('searchbox', { name: translate('Search questions') });
  await box.click();
  await box.pressSequentially(text);
  await page.getByRole('listbox').first().getByRole('option').first().waitFor();
}

async function closeSearch(stage: Stage): Promise<void> {
  const box = stage.page.getByRole('searchbox', { name: stage.translate('Search questions') });
  await box.fill('');
  await closeWithEscape(stage);
  await box.blur();
}

/** Removes a bookmark left by an earlier screen. */
function removeBookmark({ page, ids }: Stage): Promise<unknown> {
  return page.request.put(`/api/questions/${ids.spare}/bookmark`, { data: { bookmarked: false } });
}

async function goOffline({ page, translate }: Stage): Promise<void> {
  await page.context().setOffline(true);
  await page.getByText(translate('You are offline. What you see may be old.')).waitFor();
}

function opensNotificationMenu(stage: Stage) {
  return { element: dialog(stage), opener: notificationButton(stage) };
}

/** The panel below the search box, with its list. */
function opensHelp({ page }: Stage) {
  return {
    element: page.getByRole('listbox').first().locator('..'),
    opener: page.getByRole('searchbox').first(),
  };
}
