import { t } from '@lingui/core/macro';
import { Modal } from '@mantine/core';
import { useEffect, useEffectEvent, type ReactNode } from 'react';
import { useSwipe } from './useSwipe.ts';
import classes from './Dialog.module.css';

type Props = {
  title: string;
  opened: boolean;
  onClose: () => void;
  /** Without a close button, one of the buttons inside must close it. */
  closeButton?: boolean;
  /** Another dialog follows it: this one is gone before that one shows, and does not fade out beside it. */
  followed?: boolean;
  size?: string;
  /** What opened it, where that has not the focus: the button of a menu whose item was chosen. */
  opener?: (() => HTMLElement | null) | undefined;
  children: ReactNode;
};

/**
 * A dialog over the page: it keeps the focus inside, Esc closes it, and the focus goes back to what opened it. On a phone
 * it is a sheet at the lower edge, which a swipe down on its title closes as well.
 */
export function Dialog({
  title,
  opened,
  onClose,
  closeButton = true,
  followed = false,
  size = '28rem',
  opener,
  children,
}: Props) {
  useFocusReturn(opened, opener);
  const swipe = useSwipe<HTMLDivElement>('down', onClose, (root) => root.querySelector('[role="dialog"]'));
  return (
    <Modal
      {...swipe}
      onPointerDown={(event) => {
        if (isHandle(event.target)) swipe.onPointerDown(event);
      }}
      title={title}
      opened={opened}
      onClose={onClose}
      size={size}
      withCloseButton={closeButton}
      {...(followed && { transitionProps: { exitDuration: 0 } })}
      closeButtonProps={{ 'aria-label': t`Close` }}
      // Inside a dialog it is no banner of the page.
      attributes={{ header: { role: 'none' } }}
      // The style sheet does it; Mantine's way moves a page whose scrollbar has a gutter of its own.
      lockScroll={false}
      classNames={{
        inner: classes.inner ?? '',
        content: classes.content ?? '',
        header: classes.header ?? '',
        title: classes.title ?? '',
      }}
    >
      {children}
    </Modal>
  );
}

/** Mantine notes what had the focus only where the dialog was there before it opened, and gives it back only where it stays. */
function useFocusReturn(opened: boolean, opener: (() => HTMLElement | null) | undefined): void {
  const findOpener = useEffectEvent(() => opener?.() ?? document.activeElement);
  useEffect(() => {
    if (!opened) return;
    const element = findOpener();
    return () => {
      if (element instanceof HTMLElement) element.focus({ preventScroll: true });
    };
  }, [opened]);
}

function isHandle(target: EventTarget): boolean {
  return (
    target instanceof Element && target.closest(`.${classes.header}`) !== null && !target.closest('button')
  );
}
