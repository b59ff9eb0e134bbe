import { useRouter } from '#web/core/router.ts';
import { Suspense, useEffect } from 'react';
import { lazyComponent } from '#web/core/lazy.ts';
import { paths } from '#web/core/paths.ts';
import { useShortcuts } from '#web/core/keyboard-shortcuts.ts';
import { commandPaletteOverlay, shortcutSheetOverlay } from './overlays.ts';
import { searchBoxId } from './SearchBox.tsx';

const ShortcutSheet = lazyComponent(() => import('./ShortcutSheet.tsx'));
const loadPalette = () => import('./CommandPalette.tsx');
const Palette = lazyComponent(loadPalette);

/** The shortcuts that work on every page for members, and the dialogs they open. */
export function KeyboardShortcuts() {
  const router = useRouter();
  const paletteState = commandPaletteOverlay.useState();
  const sheetState = shortcutSheetOverlay.useState();
  const go = (path: string) => () => void router.navigate(path);

  useShortcuts({
    palette: commandPaletteOverlay.open,
    search: focusSearch,
    ask: go(paths.ask),
    next: () => step(1),
    previous: () => step(-1),
    home: go(paths.home),
    topics: go(paths.tags),
    following: go(paths.following),
    notifications: go(paths.notifications),
    profile: go(paths.profile),
    sheet: shortcutSheetOverlay.open,
  });

  useEffect(
    () =>
      router.onNavigated(({ from, action }) => {
        leftPath = action === 'push' ? null : from.pathname;
      }),
    [router],
  );
  useEffect(() => {
    document.addEventListener('keydown', fetchPalette);
    return () => document.removeEventListener('keydown', fetchPalette);
  }, []);

  return (
    <>
      {/* Each with a boundary of its own, because the one that is still loading would hide the other. */}
      <Suspense>
        {sheetState !== 'never' && (
          <ShortcutSheet opened={sheetState === 'open'} onClose={shortcutSheetOverlay.close} />
        )}
      </Suspense>
      <Suspense>
        {paletteState !== 'never' && (
          <Palette
            opened={paletteState === 'open'}
            onClose={commandPaletteOverlay.close}
            onShowShortcuts={shortcutSheetOverlay.open}
          />
        )}
      </Suspense>
    </>
  );
}

/** Starts loading with the first of the two keys, so that the palette is ready for text typed after the second. */
function fetchPalette({ key }: KeyboardEvent) {
  if (key === 'Control' || key === 'Meta') void loadPalette().catch(ignore);
}

/** Opening it tries again. */
function ignore() {}

function focusSearch() {
  const box = document.getElementById(searchBoxId);
  if (!(box instanceof HTMLInputElement)) return;
  box.focus();
  box.select();
}

/** The path of the page before this one, if the browser's history led here. */
let leftPath: string | null = null;

/**
 * Moves the focus among the elements marked with `data-shortcut-stop`, starting from the focused one, or else from the
 * one in view that leads to the page before, as after Back, or else from the first in view.
 */
function step(by: 1 | -1) {
  const stops = [...document.querySelectorAll<HTMLElement>('main [data-shortcut-stop]')].filter((stop) =>
    stop.checkVisibility(),
  );
  const focused = stops.findIndex((stop) => stop.contains(document.activeElement));
  const at = focused === -1 ? stops.findIndex(isLinkBack) : focused;
  const first = stops.findIndex((stop) => stop.getBoundingClientRect().top >= 0);
  const target = at === -1 ? stops[by === 1 ? first : first - 1] : stops[at + by];
  if (target === undefined) return;
  target.focus({ preventScroll: true });
  target.scrollIntoView({ block: 'center' });
}

function isLinkBack(stop: HTMLElement): boolean {
  const { top, bottom } = stop.getBoundingClientRect();
  return stop instanceof HTMLAnchorElement && stop.pathname === leftPath && bottom > 0 && top < innerHeight;
}
