import { menuScreens } from './menus.ts';
import { overlayScreens } from './overlays.ts';
import { changedPageScreens, pageScreens, visitorPageScreens } from './pages.ts';
import type { Screen } from './screen.ts';
import { writingScreens } from './writing.ts';

/** Every screen, dialog, menu and list. A new one is added to the file it belongs to. */
export const screens: readonly Screen[] = [
  ...visitorPageScreens,
  ...pageScreens,
  ...changedPageScreens,
  ...writingScreens,
  ...overlayScreens,
  ...menuScreens,
];
