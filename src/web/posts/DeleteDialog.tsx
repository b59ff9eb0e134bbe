import '@mantine/core/styles/ModalBase.layer.css';
import '@mantine/core/styles/Modal.layer.css';
import { Button, Modal } from '@mantine/core';
import classes from './DeleteDialog.module.css';

/** Asks once before something is gone for good. 'Cancel' has the focus. */
export function DeleteDialog(props: {
  opened: boolean;
  title: string;
  text: string;
  deleting: boolean;
  onDelete: () => void;
  onCancel: () => void;
}) {
  return (
    <Modal
      opened={props.opened}
      onClose={props.onCancel}
      title={props.title}
      withCloseButton={false}
      lockScroll={false}
    >
      <p className={classes.text}>{props.text}</p>
      <div className={classes.buttons}>
        <Button variant="default" data-autofocus onClick={props.onCancel}>
          Cancel
        </Button>
        <Button color="red" loading={props.deleting} onClick={props.onDelete}>
          Delete
        </Button>
      </div>
    </Modal>
  );
}
