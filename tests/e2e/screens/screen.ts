import type { APIRequestContext, Locator, Page } from '@playwright/test';
import type { State } from './states.ts';

/** What stands in the community with much in it; `own…` was written by the member who looks. */
export type SeededIds = {
  question: number;
  extreme: number;
  memberId: number;
  extremeMember: number;
  extremeTag: string;
  own: number;
  ownAnswer: number;
  ownReply: number;
  /** One of the member's, to be changed. */
  spare: number;
  list: number;
  emptyList: number;
};

export type Stage = {
  page: Page;
  ids: SeededIds;
  state: State;
  /** Somebody else. */
  otherMember: APIRequestContext;
  /** A text of the interface, in the language it is shown in; one with a gap fits whatever stands in it. */
  translate: (english: string) => string | RegExp;
};

export type Screen = {
  name: string;
  path: (ids: SeededIds, state: State) => string;
  /** The states the screen has. */
  states: readonly State[];
  visitor?: boolean;
  /** It is not there on a phone. */
  wide?: boolean;
  /** What is done before the page is opened: keeps something away from it. */
  arrange?: (stage: Stage) => Promise<unknown>;
  /** What is done on the page before the picture: opens a menu, types a word. */
  prepare?: (stage: Stage) => Promise<unknown>;
  /** What has opened then, and beside what: it is in the window and on top (tests/e2e/support/in-view.ts). */
  opens?: (stage: Stage) => Opened;
};

type Opened = { element: Locator; opener?: Locator };

export const button = ({ page, translate }: Stage, name: string) =>
  page.getByRole('button', { name: translate(name), exact: true });
export const field = ({ page, translate }: Stage, name: string) =>
  page.getByRole('textbox', { name: translate(name), exact: true });
export const dialog = ({ page }: Stage) => page.getByRole('dialog');

/** A dialog is all that can be used while it is open: it is beside nothing. */
export const opensDialog = (stage: Stage): Opened => ({ element: dialog(stage) });
/** A short message, or the strip along the lower edge. */
export const opensMessage = ({ page }: Stage): Opened => ({
  element: page.locator('[role="status"], [role="alert"], output').filter({ hasText: /\S/u }).last(),
});
/** A list beside the field that one writes in. */
export const opensList = ({ page }: Stage): Opened => ({
  element: page.getByRole('listbox').first(),
  opener: page.locator(':focus'),
});
export const opensMenu = ({ page }: Stage): Opened => ({
  element: page.getByRole('menu'),
  opener: page.locator('[aria-haspopup="menu"][aria-expanded="true"]'),
});
