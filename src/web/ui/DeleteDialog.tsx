import { t } from '@lingui/core/macro';
import { Button } from '@mantine/core';
import { Dialog } from './Dialog.tsx';
import classes from './DeleteDialog.module.css';

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
      <p className={classes.text}>{props.text}</p>
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
