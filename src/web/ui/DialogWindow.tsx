import { t } from '@lingui/core/macro';
import { Button } from './Button.tsx';
import { Modal } from './mantine/Modal.tsx';
import { useEffect, useEffectEvent } from 'react';
import { useRootAttribute } from '#web/core/root-attribute.ts';
import { useSwipe } from './useSwipe.ts';
import type { ConfirmProps, DialogProps } from './Dialog.tsx';
import confirm from './ConfirmWindow.module.css';
import classes from './DialogWindow.module.css';

/** The window of a `Dialog`. */
export default function DialogWindow({
  title,
  opened,
  onClose,
  closeButton = true,
  closeOnClickOutside = false,
  followed = false,
  size = '28rem',
  opener,
  children,
}: DialogProps) {
  useFocusReturn(opened, opener);
  useRootAttribute('data-dialog', opened);
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
      closeOnClickOutside={closeOnClickOutside}
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

/** The window of a `ConfirmDialog`. */
export function ConfirmWindow(props: ConfirmProps) {
  return (
    <DialogWindow
      title={props.title}
      opened={props.opened}
      onClose={props.onCancel}
      opener={props.opener}
      closeButton={false}
      closeOnClickOutside
    >
      <p className={confirm.question}>{props.text}</p>
      {props.children}
      <div className={confirm.buttons}>
        <Button variant="default" data-autofocus onClick={props.onCancel}>
          {t`Cancel`}
        </Button>
        <Button
          {...(props.isHarmless !== true && { color: 'red' })}
          loading={props.busy}
          disabled={props.disabled}
          onClick={props.onConfirm}
        >
          {props.label ?? t`Delete`}
        </Button>
      </div>
    </DialogWindow>
  );
}

/** Mantine restores the focus only if the dialog was mounted before it opened and stays mounted after. */
function useFocusReturn(opened: boolean, opener: (() => HTMLElement | null) | undefined): void {
  const findOpener = useEffectEvent(() => opener?.());
  useEffect(() => {
    if (!opened) return;
    const focused = document.activeElement;
    return () => {
      const element = findOpener() ?? focused;
      if (element instanceof HTMLElement) element.focus({ preventScroll: true });
    };
  }, [opened]);
}

function isHandle(target: EventTarget): boolean {
  return (
    target instanceof Element && target.closest(`.${classes.header}`) !== null && !target.closest('button')
  );
}
