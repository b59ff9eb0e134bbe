import { t } from '@lingui/core/macro';
import { IconDots } from '@tabler/icons-react';
import { Suspense, useState, type ReactNode } from 'react';
import { onEscape } from '#web/core/composition.ts';
import type { preloadOnIntent } from '#web/ui/lazy-popover.tsx';
import classes from './PostActions.module.css';

/** What the menu of a button needs. */
export type OpenMenu = { button: HTMLElement; opened: boolean; onClose: () => void };

/**
 * The button 'More actions' with its menu, which is loaded and rendered when the button is first pressed: a thread can
 * have hundreds. The button stays the same element, so that the focus can return to it.
 */
export function MoreActions({
  intent,
  children: renderMenu,
}: {
  /** Loads the code of the menu before the button is pressed. */
  intent: ReturnType<typeof preloadOnIntent>;
  children: (menu: OpenMenu) => ReactNode;
}) {
  const [button, setButton] = useState<HTMLElement | null>(null);
  const [opened, setOpened] = useState(false);
  return (
    <>
      <button
        type="button"
        className={`${classes.action} ${classes.more}`}
        aria-label={t`More actions`}
        title={t`More actions`}
        aria-haspopup="menu"
        aria-expanded={opened}
        onClick={({ currentTarget }) => {
          setButton(currentTarget);
          setOpened(!opened);
        }}
        onKeyDown={onEscape(() => setOpened(false))}
        {...intent}
      >
        <IconDots size={18} stroke={1.8} aria-hidden="true" />
      </button>
      {button !== null && (
        <Suspense>{renderMenu({ button, opened, onClose: () => setOpened(false) })}</Suspense>
      )}
    </>
  );
}
