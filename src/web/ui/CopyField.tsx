import { t } from '@lingui/core/macro';
import { Button } from './Button.tsx';
import classes from './CopyField.module.css';
import { copyWithToast } from './copy-with-toast.ts';
import { TextInput } from './mantine/TextInput.tsx';

/** A text to copy, such as an address. */
export function CopyField({
  label,
  description,
  text,
  button = t`Copy`,
  onSaved,
}: {
  label: string;
  description: string;
  text: string;
  button?: string;
  /** For a secret that is shown once: called when the member says that it is saved. */
  onSaved?: () => void;
}) {
  return (
    <div className={classes.field}>
      <TextInput
        label={label}
        description={description}
        readOnly
        dir="ltr"
        value={text}
        onFocus={(event) => event.currentTarget.select()}
      />
      <div className={classes.buttons}>
        <Button
          variant="default"
          data-autofocus={onSaved !== undefined || undefined}
          onClick={() => void copyWithToast(text)}
        >
          {button}
        </Button>
        {onSaved !== undefined && <Button onClick={onSaved}>{t`I've saved it`}</Button>}
      </div>
    </div>
  );
}
