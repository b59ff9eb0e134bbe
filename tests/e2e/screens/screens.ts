import { menuScreens } from './menu-screens.ts';
import { overlayScreens } from './overlay-screens.ts';
import { changedPageScreens, pageScreens, visitorPageScreens } from './page-screens.ts';
import type { Screen } from './screen.ts';
import { staffScreens } from './staff-screens.ts';
import { writingScreens } from './writing-screens.ts';

/** Every screen, dialog, menu and list. Add a new one to the file it belongs to. */
export const screens: readonly Screen[] = [
  ...visitorPageScreens,
  ...pageScreens,
  ...changedPageScreens,
  ...writingScreens,
  ...overlayScreens,
  ...menuScreens,
  ...staffScreens,
];
