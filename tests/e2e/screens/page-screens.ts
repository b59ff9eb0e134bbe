import { button, field, opensMessage, type Screen } from './screen.ts';
import { holdRequests, failRequests } from './states.ts';

const all = ['loading', 'empty', 'full', 'extreme', 'failed'] as const;
const lists = ['loading', 'empty', 'full', 'failed'] as const;

/** The pages for signed-out visitors. */
export const visitorPageScreens: readonly Screen[] = [
  { name: 'login', path: () => '/login', states: ['full'], visitor: true },
  { name: 'login-to-ask', path: () => '/ask', states: ['full'], visitor: true },
  {
    name: 'login-refused',
    path: () => '/login',
    states: ['full'],
    visitor: true,
    async prepare(stage) {
      await button(stage, 'Sign in').click();
      await stage.page.getByText(stage.translate('Please enter a valid email address.')).waitFor();
    },
  },
  {
    name: 'login-unknown',
    path: () => '/login',
    states: ['full', 'failed'],
    visitor: true,
    async prepare(stage) {
      await field(stage, 'Email').fill('nobody@example.org');
      await stage.page.getByLabel(stage.translate('Password'), { exact: true }).fill('not the password');
      await button(stage, 'Show password').click();
      if (stage.state === 'failed') await failRequests(stage.page, '/api/');
      await button(stage, 'Sign in').click();
      await stage.page.getByRole('alert').or(stage.page.locator('[aria-invalid="true"]')).first().waitFor();
    },
  },
  { name: 'register', path: () => '/register', states: ['full'], visitor: true },
  {
    name: 'register-refused',
    path: () => '/register',
    states: ['full', 'extreme'],
    visitor: true,
    async prepare(stage) {
      const { page, translate, state } = stage;
      await field(stage, 'Full name').fill(state === 'extreme' ? 'N'.repeat(90) : 'Robin');
      await field(stage, 'Email').fill('robin@example.org');
      await page.getByLabel(translate('Password'), { exact: true }).fill('longer than short 1');
      await page.getByLabel(translate('Confirm password'), { exact: true }).fill('something else');
      await button(stage, 'Create account').click();
      await page.locator('[aria-invalid="true"]').waitFor();
    },
  },
  // The empty community has no admin yet.
  { name: 'setup', path: () => '/setup#not-a-token', states: ['empty', 'full'], visitor: true },
  { name: 'forgot-password', path: () => '/forgot-password', states: ['full'], visitor: true },
  { name: 'reset-password', path: () => '/reset-password#not-a-token', states: ['full'], visitor: true },
  { name: 'change-email', path: () => '/change-email#not-a-token', states: ['full'], visitor: true },
  {
    name: 'revert-email',
    path: () => '/revert-email#not-a-token',
    states: ['full'],
    visitor: true,
  },
  { name: 'unsubscribe', path: () => '/unsubscribe/not-a-token', states: ['full'], visitor: true },
  {
    name: 'unsubscribe-refused',
    path: () => '/unsubscribe/not-a-token',
    states: ['full'],
    visitor: true,
    async prepare(stage) {
      await button(stage, 'Unsubscribe').click();
      await stage.page.getByRole('alert').waitFor();
    },
  },
  { name: 'confirm-email', path: () => '/confirm-email/not-a-token', states: ['full'], visitor: true },
];

/** The pages as they open. */
export const pageScreens: readonly Screen[] = [
  { name: 'home', path: () => '/', states: all },
  { name: 'home-popular', path: () => '/?tab=popular', states: ['full'] },
  { name: 'home-unanswered', path: () => '/?tab=unanswered', states: ['empty', 'full'] },
  {
    name: 'question',
    path: ({ question, extreme }, state) => `/question/${state === 'extreme' ? extreme : question}`,
    states: ['loading', 'full', 'extreme', 'failed'],
  },
  { name: 'question-own', path: ({ own }) => `/question/${own}`, states: ['full'] },
  { name: 'question-sorted', path: ({ question }) => `/question/${question}?sort=helpful`, states: ['full'] },
  { name: 'question-marked', path: (ids) => `/question/${ids.own}#reply-${ids.ownReply}`, states: ['full'] },
  { name: 'question-missing', path: () => '/question/999999999', states: ['full'] },
  { name: 'ask', path: () => '/ask', states: ['full'] },
  { name: 'topics', path: () => '/topics', states: lists },
  { name: 'topics-none', path: () => '/topics?q=nothing-like-it', states: ['full'] },
  {
    name: 'topic',
    path: ({ extremeTag }, state) => `/topics/${state === 'extreme' ? extremeTag : 'programming'}`,
    states: ['loading', 'full', 'extreme', 'failed'],
  },
  { name: 'topic-imported', path: () => '/topics/malt', states: ['full'] },
  { name: 'topic-missing', path: () => '/topics/nothing-like-it', states: ['full'] },
  { name: 'following', path: () => '/following', states: lists },
  { name: 'following-activity', path: () => '/following?tab=activity', states: ['empty', 'full'] },
  { name: 'following-topics', path: () => '/following?tab=topics', states: ['empty', 'full'] },
  { name: 'notifications', path: () => '/notifications', states: lists },
  { name: 'notifications-unread', path: () => '/notifications?tab=unread', states: ['empty', 'full'] },
  { name: 'profile', path: () => '/profile', states: lists },
  {
    name: 'profile-other',
    path: ({ memberId, extremeMember }, state) =>
      `/profile/${state === 'extreme' ? extremeMember : memberId}`,
    states: ['full', 'extreme'],
  },
  { name: 'profile-answers', path: ({ memberId }) => `/profile/${memberId}?tab=answers`, states: ['full'] },
  { name: 'profile-missing', path: () => '/profile/999999999', states: ['full'] },
  { name: 'bookmarks', path: () => '/bookmarks', states: lists },
  { name: 'bookmarks-list', path: ({ list }) => `/bookmarks?list=${list}`, states: ['full'] },
  { name: 'bookmarks-list-empty', path: ({ emptyList }) => `/bookmarks?list=${emptyList}`, states: ['full'] },
  { name: 'bookmarks-list-missing', path: () => '/bookmarks?list=999999999', states: ['full'] },
  { name: 'bookmarks-none', path: () => '/bookmarks?q=nothing-like-it', states: ['full'] },
  { name: 'drafts', path: () => '/drafts', states: lists },
  { name: 'settings', path: () => '/settings', states: ['loading', 'empty', 'full', 'failed'] },
  { name: 'settings-account', path: () => '/settings?tab=account', states: ['loading', 'full', 'failed'] },
  { name: 'search', path: () => '/search?q=how', states: ['loading', 'full', 'failed'] },
  { name: 'search-answers', path: () => '/search?q=the&in=answers', states: ['full'] },
  {
    name: 'search-users',
    path: (_, state) => `/search?q=${state === 'extreme' ? 'N'.repeat(80) : 'a'}&in=users`,
    states: ['full', 'extreme'],
  },
  { name: 'search-operators', path: () => '/search?q=is%3Aanswered+score%3A1+how', states: ['full'] },
  { name: 'search-mistaken', path: () => '/search?q=scroe%3A1+how+score%3A', states: ['full'] },
  { name: 'search-none', path: () => '/search?q=nothing-like-it', states: ['full'] },
  { name: 'search-blank', path: () => '/search', states: ['full'] },
  { name: 'not-found', path: () => '/nowhere', states: ['full'] },
  {
    name: 'no-server',
    path: () => '/',
    states: ['full'],
    arrange: ({ page }) => page.route('**/api/**', (route) => route.abort('connectionrefused')),
  },
];

/** Pages after an action or an event. */
export const changedPageScreens: readonly Screen[] = [
  {
    name: 'home-new-question',
    path: () => '/',
    states: ['full'],
    async prepare({ page, otherMember }) {
      // The page becomes long enough when the feed has loaded.
      await page.waitForFunction(() => {
        window.scrollTo({ top: 600, behavior: 'instant' });
        return window.scrollY > 300;
      });
      await otherMember.post('/api/questions', {
        data: { title: 'What came in?', content: 'News.', tags: [] },
      });
      await page.locator('main output button').waitFor();
    },
    opens: ({ page }) => ({ element: page.locator('main output button') }),
  },
  { name: 'home-muted', path: () => '/?muted=show', states: ['full'] },
  {
    name: 'question-new-answer',
    path: ({ spare }) => `/question/${spare}`,
    states: ['full'],
    async arrange({ page, otherMember, ids }) {
      await page.request.put(`/api/questions/${ids.spare}/view`);
      await otherMember.post(`/api/questions/${ids.spare}/answers`, {
        data: { content: 'Since you were here.' },
      });
    },
    async prepare({ page, translate }) {
      // The link to the new post appears together with this mark.
      await page.getByRole('article').getByText(translate('New'), { exact: true }).first().waitFor();
    },
  },
  {
    name: 'question-collapsed',
    path: ({ own }) => `/question/${own}`,
    states: ['full'],
    async prepare({ page }) {
      await page.locator('[data-shortcut-key="c"]').first().click();
      await page.locator('[data-shortcut-key="c"][aria-expanded="false"]').waitFor();
    },
  },
  {
    name: 'question-voted',
    path: ({ question }) => `/question/${question}`,
    states: ['full'],
    async prepare({ page }) {
      const [up] = await page.locator('main article button[aria-pressed]').all();
      await up?.click();
      await page.locator('main article button[aria-pressed="true"]').first().waitFor();
    },
  },
  {
    name: 'question-vote-refused',
    path: ({ extreme }) => `/question/${extreme}`,
    states: ['full'],
    async prepare(stage) {
      await failRequests(stage.page, '/api/questions/', 403);
      const vote = stage.page.locator('main article button[aria-pressed]').first();
      await vote.click();
      await stage.page.getByRole('alert').filter({ hasText: /\S/u }).first().waitFor();
    },
    opens: opensMessage,
  },
  {
    name: 'profile-table',
    path: ({ memberId }) => `/profile/${memberId}`,
    states: ['full'],
    async prepare(stage) {
      await button(stage, 'Show as table').first().click();
      await stage.page.getByRole('table').first().waitFor();
    },
  },
  {
    name: 'topic-table',
    path: () => '/topics/programming',
    states: ['full'],
    async prepare(stage) {
      await button(stage, 'Show as table').first().click();
      await stage.page.getByRole('table').first().waitFor();
    },
  },
  {
    name: 'settings-refused',
    path: () => '/settings?tab=account',
    states: ['full'],
    async prepare(stage) {
      await button(stage, 'Change password').click();
      await stage.page.getByText(stage.translate('Please enter your current password.')).waitFor();
    },
  },
  {
    name: 'settings-picture-refused',
    path: () => '/settings',
    states: ['full'],
    async prepare({ page, translate }) {
      const notes = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('Notes') };
      await page.locator('input[type="file"]').setInputFiles(notes);
      await page.getByText(translate('Only JPEG, PNG, WebP and GIF pictures can be uploaded.')).waitFor();
    },
  },
  {
    name: 'settings-saved',
    path: () => '/settings',
    states: ['full'],
    async prepare(stage) {
      const choice = stage.page.locator('td input[type="checkbox"]').first();
      await choice.click();
      await stage.page
        .locator('th output')
        .filter({ hasText: stage.translate('Preference saved') })
        .waitFor();
    },
  },
  {
    name: 'bookmarks-noting',
    path: () => '/bookmarks',
    states: ['full'],
    async prepare(stage) {
      await button(stage, 'Edit note').or(button(stage, 'Add a note')).first().click();
      await field(stage, 'Note').first().fill('For a rainy day');
    },
  },
  {
    name: 'bookmarks-naming',
    path: () => '/bookmarks',
    states: ['full'],
    async prepare(stage) {
      await button(stage, 'New list').click();
      await button(stage, 'Add list').click();
      await stage.page.locator('[aria-invalid="true"]').waitFor();
    },
  },
  {
    name: 'drafts-discarded',
    path: () => '/drafts',
    states: ['full'],
    async prepare(stage) {
      await button(stage, 'Discard').first().click();
      await button(stage, 'Undo').waitFor();
    },
  },
  {
    name: 'search-removing',
    path: () => '/search?q=how+is%3Aanswered',
    states: ['loading'],
    arrange: ({ page }) => holdRequests(page, '/api/search'),
  },
];
