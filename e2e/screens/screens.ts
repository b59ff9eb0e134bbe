import type { Page } from '@playwright/test';
import type { State } from './states.ts';

/** What stands in the two communities that are photographed: one with nothing, one with much. */
export type Ids = {
  question: number;
  extreme: number;
  memberId: number;
  extremeMember: number;
  extremeTag: string;
};

export type Screen = {
  name: string;
  path: (ids: Ids, state: State) => string;
  /** The states the screen has. */
  states: readonly State[];
  visitor?: boolean;
  /** What is done on the page before the picture: opens a menu, types a word. */
  prepare?: (page: Page) => Promise<void>;
};

const all = ['loading', 'empty', 'full', 'extreme', 'failed'] as const;
const lists = ['loading', 'empty', 'full', 'failed'] as const;

/** Every screen, dialog and menu. A new one is added here. */
export const screens: readonly Screen[] = [
  { name: 'login', path: () => '/login', states: ['full'], visitor: true },
  {
    name: 'login-refused',
    path: () => '/login',
    states: ['full'],
    visitor: true,
    async prepare(page) {
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText('Please enter a valid email address.').waitFor();
    },
  },
  { name: 'register', path: () => '/register', states: ['full'], visitor: true },
  { name: 'home', path: () => '/', states: all },
  { name: 'home-popular', path: () => '/?tab=popular', states: ['full'] },
  { name: 'home-unanswered', path: () => '/?tab=unanswered', states: ['empty', 'full'] },
  {
    name: 'question',
    path: ({ question, extreme }, state) => `/question/${state === 'extreme' ? extreme : question}`,
    states: ['loading', 'full', 'extreme', 'failed'],
  },
  {
    name: 'question-replying',
    path: ({ question }) => `/question/${question}`,
    states: ['full'],
    async prepare(page) {
      const field = page.getByRole('textbox', { name: 'Your reply' });
      // The draft of the visit before opens its form again.
      if (!(await field.isVisible()))
        await page.getByRole('button', { name: 'Reply', exact: true }).first().click();
      await field.fill('Thank you, `this` **works** here as well.');
    },
  },
  { name: 'question-missing', path: () => '/question/999999999', states: ['full'] },
  { name: 'ask', path: () => '/ask', states: ['full'] },
  {
    name: 'ask-typing',
    path: () => '/ask',
    states: ['full', 'extreme'],
    async prepare(page) {
      await page.getByRole('textbox', { name: 'Title' }).fill('How do I keep a sourdough starter alive?');
      await page.getByRole('textbox', { name: 'Tags' }).fill('baking, bread, one, two, three, four');
    },
  },
  { name: 'topics', path: () => '/topics', states: lists },
  { name: 'topics-none', path: () => '/topics?q=nothing-like-it', states: ['full'] },
  {
    name: 'topic',
    path: ({ extremeTag }, state) => `/topics/${state === 'extreme' ? extremeTag : 'programming'}`,
    states: ['loading', 'full', 'extreme', 'failed'],
  },
  { name: 'question-sorted', path: ({ question }) => `/question/${question}?sort=helpful`, states: ['full'] },
  { name: 'topic-missing', path: () => '/topics/nothing-like-it', states: ['full'] },
  { name: 'following', path: () => '/following', states: lists },
  { name: 'following-activity', path: () => '/following?tab=activity', states: ['empty', 'full'] },
  { name: 'following-topics', path: () => '/following?tab=topics', states: ['empty', 'full'] },
  { name: 'notifications', path: () => '/notifications', states: all },
  {
    name: 'bell',
    path: () => '/',
    states: ['empty', 'full'],
    async prepare(page) {
      await page.getByRole('button', { name: /^Notifications/u }).click();
      await page
        .getByRole('button', { name: 'Mark all read' })
        .or(page.getByText('show up here'))
        .first()
        .waitFor();
    },
  },
  {
    name: 'account-menu',
    path: () => '/',
    states: ['full'],
    async prepare(page) {
      await page.getByRole('button', { name: 'Account menu' }).click();
      await page.getByRole('menuitem', { name: 'Logout' }).waitFor();
    },
  },
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
  { name: 'drafts', path: () => '/drafts', states: lists },
  {
    name: 'palette',
    path: () => '/',
    states: ['full'],
    async prepare(page) {
      await page.locator('h1').click();
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'search-help',
    path: () => '/',
    states: ['full'],
    async prepare(page) {
      await page.getByRole('searchbox', { name: 'Search questions' }).fill('is:');
      await page.getByRole('listbox').first().waitFor();
    },
  },
  { name: 'settings', path: () => '/settings', states: ['loading', 'full', 'failed'] },
  { name: 'search', path: () => '/search?q=how', states: ['loading', 'full', 'failed'] },
  { name: 'search-answers', path: () => '/search?q=the&in=answers', states: ['full'] },
  { name: 'search-users', path: () => '/search?q=a&in=users', states: ['full', 'extreme'] },
  { name: 'search-operators', path: () => '/search?q=is%3Aanswered+score%3A1+how', states: ['full'] },
  { name: 'search-none', path: () => '/search?q=nothing-like-it', states: ['full'] },
  { name: 'search-blank', path: () => '/search', states: ['full'] },
  { name: 'not-found', path: () => '/nowhere', states: ['full'] },
  {
    name: 'shortcuts',
    path: () => '/',
    states: ['full'],
    async prepare(page) {
      await page.keyboard.press('?');
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'delete',
    path: ({ extreme }) => `/question/${extreme}`,
    states: ['full'],
    async prepare(page) {
      await page.getByRole('button', { name: 'Delete Question' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
];
