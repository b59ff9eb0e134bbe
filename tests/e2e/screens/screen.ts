import type { APIRequestContext, Locator, Page } from '@playwright/test';
import type { State } from './states.ts';

/** The ids of the seeded community. The member who opens the screens wrote those that start with `own`. */
export type SeededIds = {
  question: number;
  extreme: number;
  memberId: number;
  extremeMember: number;
  extremeTag: string;
  own: number;
  ownAnswer: number;
  ownReply: number;
  /** A question by the same member that screens may change. */
  spare: number;
  list: number;
  emptyList: number;
};

export type Stage = {
  page: Page;
  ids: SeededIds;
  state: State;
  /** Another member. */
  otherMember: APIRequestContext;
  /** Translates an interface text to the language of the screen. A text with placeholders gives a pattern. */
  translate: (english: string) => string | RegExp;
};

export type Screen = {
  name: string;
  path: (ids: SeededIds, state: State) => string;
  /** The states the screen has. */
  states: readonly State[];
  visitor?: boolean;
  /** Of moderators and admins: opened by an admin. */
  staff?: boolean;
  /** Not on phones. */
  wide?: boolean;
  /** Runs before the page is opened, for example to block requests. */
  arrange?: (stage: Stage) => Promise<unknown>;
  /** Runs on the page before the screenshot: opens a menu, types a word. */
  prepare?: (stage: Stage) => Promise<unknown>;
  /**
   * The element that `prepare` opened, and its opener. It must be in the window and on top
   * (tests/e2e/support/in-view.ts).
   */
  opens?: (stage: Stage) => Opened;
  /** Closes it so that nothing of it is left. The next screen with the same path then needs no visit of its own. */
  close?: (stage: Stage) => Promise<unknown>;
};

type Opened = { element: Locator; opener?: Locator };

export const button = ({ page, translate }: Stage, name: string) =>
  page.getByRole('button', { name: translate(name), exact: true });
export const field = ({ page, translate }: Stage, name: string) =>
  page.getByRole('textbox', { name: translate(name), exact: true });
export const dialog = ({ page }: Stage) => page.getByRole('dialog');

export const closeWithEscape = ({ page }: Stage) => page.keyboard.press('Escape');

/** A modal dialog has no opener to be near. */
export const opensDialog = (stage: Stage): Opened => ({ element: dialog(stage) });
/** A short message, or the banner at the lower edge. */
export const opensMessage = ({ page }: Stage): Opened => ({
  element: page.locator('[role="status"], [role="alert"], output').filter({ hasText: /\S/u }).last(),
});
/** A list next to the text field. */
export const opensList = ({ page }: Stage): Opened => ({
  element: page.getByRole('listbox').first(),
  opener: page.locator(':focus'),
});
export const opensMenu = ({ page }: Stage): Opened => ({
  element: page.getByRole('menu'),
  opener: page.locator('[aria-haspopup="menu"][aria-expanded="true"]'),
});
