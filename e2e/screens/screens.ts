import { menus } from './menus.ts';
import { overlays } from './overlays.ts';
import { changedPages, pages, visitorPages } from './pages.ts';
import type { Screen } from './screen.ts';
import { writing } from './writing.ts';

/** Every screen, dialog, menu and list. A new one is added to the file it belongs to. */
export const screens: readonly Screen[] = [
  ...visitorPages,
  ...pages,
  ...changedPages,
  ...writing,
  ...overlays,
  ...menus,
];
