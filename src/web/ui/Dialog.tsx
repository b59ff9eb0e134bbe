import { t } from '@lingui/core/macro';
import { Modal, Button } from '@mantine/core';
import { useEffect, useEffectEvent, type ReactNode } from 'react';
import { useSwipe } from './useSwipe.ts';
import classes from './Dialog.module.css';

type Props = {
  title: string;
  opened: boolean;
  onClose: () => void;
  /** Without a close button, one of the buttons inside must close it. */
  closeButton?: boolean;
  /** Another dialog follows: this one disappears immediately instead of fading out next to it. */
  followed?: boolean;
  size?: string;
  /** The element that opened it, if it does not have the focus: the button of a menu whose item was chosen. */
  opener?: (() => HTMLElement | null) | undefined;
  children: ReactNode;
};

/**
 * A modal dialog: it traps the focus, Esc closes it, and the focus returns to its opener. On phones it is a bottom
 * sheet, which a swipe down on its title also closes.
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
      // A header in a dialog is not the banner of the page.
      attributes={{ header: { role: 'none' } }}
      // The style sheet locks scrolling. Mantine's lock moves pages with a reserved scrollbar gutter.
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

/** Mantine restores the focus only if the dialog was mounted before it opened and stays mounted after. */
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

/** Asks for confirmation before something is deleted. 'Cancel' has the focus. */
export function DeleteDialog(props: {
  opened: boolean;
  title: string;
  text: string;
  deleting: boolean;
  onDelete: () => void;
  onCancel: () => void;
}) {
  return (
    <Dialog title={props.title} opened={props.opened} onClose={props.onCancel} closeButton={false}>
      <p className={classes.question}>{props.text}</p>
      <div className={classes.buttons}>
        <Button variant="default" data-autofocus onClick={props.onCancel}>
          {t`Cancel`}
        </Button>
        <Button color="red" loading={props.deleting} onClick={props.onDelete}>
          {t`Delete`}
        </Button>
      </div>
    </Dialog>
  );
}
