import '@mantine/core/styles/ModalBase.layer.css';
import '@mantine/core/styles/Modal.layer.css';
import '@mantine/core/styles/Overlay.layer.css';
import { Modal } from '@mantine/core';
import { Fragment } from 'react';
import { useListedShortcuts } from '#web/platform/shortcuts.ts';
import classes from './ShortcutSheet.module.css';

export default function ShortcutSheet({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const shortcuts = useListedShortcuts();
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title="Keyboard shortcuts"
      closeButtonProps={{ 'aria-label': 'Close' }}
      classNames={{ title: classes.title ?? '' }}
    >
      <dl className={classes.list}>
        {[...shortcuts, { keys: 'Ctrl+Enter', description: 'Post what you are writing' }].map(
          ({ keys, description }) => (
            <Fragment key={keys}>
              <dt>
                {keys.split(/[ +]/u).map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </dt>
              <dd>{description}</dd>
            </Fragment>
          ),
        )}
      </dl>
    </Modal>
  );
}
