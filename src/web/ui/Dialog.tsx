import '@mantine/core/styles/ModalBase.layer.css';
import '@mantine/core/styles/Modal.layer.css';
import '@mantine/core/styles/Overlay.layer.css';
import { t } from '@lingui/core/macro';
import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './Dialog.module.css';

type Props = {
  title: string;
  opened: boolean;
  onClose: () => void;
  /** Without a close button, one of the buttons inside must close it. */
  closeButton?: boolean;
  size?: string;
  children: ReactNode;
};

/** A dialog over the page: it keeps the focus inside, Esc closes it, and the focus goes back to what opened it. */
export function Dialog({ title, opened, onClose, closeButton = true, size = '28rem', children }: Props) {
  return (
    <Modal
      title={title}
      opened={opened}
      onClose={onClose}
      size={size}
      withCloseButton={closeButton}
      closeButtonProps={{ 'aria-label': t`Close` }}
      // The style sheet does it; Mantine's way moves a page whose scrollbar has a gutter of its own.
      lockScroll={false}
      classNames={{ title: classes.title ?? '' }}
    >
      {children}
    </Modal>
  );
}
