import { Suspense, useState, type ReactNode } from 'react';
import { lazyComponent } from '#web/core/lazy.ts';

const load = () => import('./DialogWindow.tsx');
const DialogWindow = lazyComponent(load);
const ConfirmWindow = lazyComponent(async () => ({ default: (await load()).ConfirmWindow }));

export type DialogProps = {
  title: string;
  opened: boolean;
  onClose: () => void;
  /** Without a close button, one of the buttons inside must close it. */
  closeButton?: boolean;
  /** For dialogs without a form: elsewhere, a click beside the dialog would lose what is typed. */
  closeOnClickOutside?: boolean;
  /** Another dialog follows: this one disappears immediately instead of fading out next to it. */
  followed?: boolean;
  size?: string;
  /**
   * The element that gets the focus when it closes, if not the one that had it before: the button of a menu whose item was
   * chosen, or another one if the opener is gone by then.
   */
  opener?: (() => HTMLElement | null) | undefined;
  children: ReactNode;
};

export type ConfirmProps = {
  opened: boolean;
  title: string;
  text: string;
  /** The label of the button that confirms; 'Delete' if absent. */
  label?: string;
  /** Whether nothing is lost. Then its button is not red. */
  isHarmless?: boolean;
  busy: boolean;
  disabled?: boolean;
  onConfirm: () => void;
  onCancel: () => void;
  opener?: DialogProps['opener'];
  /** Between the text and the buttons. */
  children?: ReactNode;
};

/** Loads the code of dialogs, so that one opens at once, also if the connection is lost meanwhile. */
export function preloadDialogs(): void {
  load().catch(ignore);
}

/** Opening a dialog tries again. */
function ignore() {}

/**
 * A modal dialog: it traps the focus, Esc closes it, and the focus returns to its opener. On phones it is a bottom
 * sheet, which a swipe down on its title also closes. Its code is loaded when the first dialog opens.
 */
export function Dialog(props: DialogProps) {
  return (
    <OnceOpened opened={props.opened}>
      <DialogWindow {...props} />
    </OnceOpened>
  );
}

/** Asks for confirmation, such as before something is deleted. 'Cancel' has the focus. */
export function ConfirmDialog(props: ConfirmProps) {
  return (
    <OnceOpened opened={props.opened}>
      <ConfirmWindow {...props} />
    </OnceOpened>
  );
}

function OnceOpened({ opened, children }: { opened: boolean; children: ReactNode }) {
  const [wasOpened, setWasOpened] = useState(opened);
  if (opened && !wasOpened) setWasOpened(true);
  return wasOpened && <Suspense>{children}</Suspense>;
}
