import { useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { paths } from '#web/platform/paths.ts';
import { useShortcuts } from '#web/platform/shortcuts.ts';
import { searchBoxId } from './SearchBox.tsx';

const ShortcutSheet = lazy(() => import('./ShortcutSheet.tsx'));

/** The keys that hold on every page for members (UI.md, Keyboard first). */
export function KeyboardShortcuts() {
  const router = useRouter();
  const [sheet, setSheet] = useState<'never' | 'open' | 'closed'>('never');
  const go = (to: string) => () => void router.navigate({ to });

  useShortcuts([
    { keys: '/', description: 'Search', run: focusSearch },
    { keys: 'n', description: 'Ask a question', run: go(paths.ask) },
    { keys: 'j', description: 'Next', run: () => step(1) },
    { keys: 'k', description: 'Previous', run: () => step(-1) },
    { keys: 'g h', description: 'Go to Home', run: go(paths.home) },
    { keys: 'g t', description: 'Go to Topics', run: go(paths.topics) },
    { keys: 'g f', description: 'Go to Following', run: go(paths.following) },
    { keys: 'g p', description: 'Go to Your Profile', run: go(paths.profile) },
    { keys: '?', description: 'Show these shortcuts', run: () => setSheet('open') },
  ]);

  if (sheet === 'never') return null;
  return (
    <Suspense>
      <ShortcutSheet opened={sheet === 'open'} onClose={() => setSheet('closed')} />
    </Suspense>
  );
}

function focusSearch() {
  const box = document.getElementById(searchBoxId);
  if (!(box instanceof HTMLInputElement)) return;
  box.focus();
  box.select();
}

/** Moves the focus among what a page marks with `data-shortcut-stop`: from where it is, else from what is in view. */
function step(by: 1 | -1) {
  const stops = [...document.querySelectorAll<HTMLElement>('main [data-shortcut-stop]')].filter((stop) =>
    stop.checkVisibility(),
  );
  const at = stops.findIndex((stop) => stop.contains(document.activeElement));
  const first = stops.findIndex((stop) => stop.getBoundingClientRect().top >= 0);
  const target = at === -1 ? stops[by === 1 ? first : first - 1] : stops[at + by];
  if (target === undefined) return;
  target.focus({ preventScroll: true });
  target.scrollIntoView({ block: 'center' });
}
