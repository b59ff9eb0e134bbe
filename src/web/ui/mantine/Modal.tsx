import { Modal as MantineModal, ModalRoot as MantineModalRoot } from '@mantine/core';
import { withMantine } from './with-mantine.tsx';

export const Modal = withMantine(MantineModal);
/** A window without the header of `Modal`. */
export const ModalRoot: typeof MantineModalRoot = withMantine(MantineModalRoot);
