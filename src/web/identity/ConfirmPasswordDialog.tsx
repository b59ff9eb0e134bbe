import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { TextInput } from '#web/ui/mantine/TextInput.tsx';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState, type FormEvent, type ReactNode } from 'react';
import { OwnPasswordField } from './OwnPasswordField.tsx';
import { ApiError } from '#web/core/errors.ts';
import { Dialog } from '#web/ui/Dialog.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { settingsKeys, useHasPassword } from './settings.ts';
import classes from './account-settings.module.css';

type Props<Done> = {
  title: string;
  opened: boolean;
  /** Whether another dialog follows. */
  followed?: boolean;
  /** The label of the submit button. */
  submitLabel: string;
  text?: ReactNode;
  /** The label of a second field, for a name. */
  nameLabel?: string;
  run: (password: string, name: string) => Promise<Done>;
  errorMessage: (error: Error) => string;
  onDone: (result: Done) => void;
  onClose: () => void;
  opener?: () => HTMLElement | null;
};

/** Asks for the password before a sign-in method is added or removed. */
export function ConfirmPasswordDialog<Done>(props: Props<Done>) {
  return (
    <Dialog
      title={props.title}
      opened={props.opened}
      followed={props.followed === true}
      opener={props.opener}
      onClose={props.onClose}
    >
      <ConfirmPasswordForm {...props} />
    </Dialog>
  );
}

function ConfirmPasswordForm<Done>({
  submitLabel,
  text,
  nameLabel,
  run,
  errorMessage,
  onDone,
  onClose,
}: Props<Done>) {
  const [password, setPassword] = useState('');
  const [name, setName] = useState('');
  const passwordField = useRef<HTMLInputElement>(null);
  const hasPassword = useHasPassword();
  useEffect(() => {
    // The field may appear after the dialog.
    if (hasPassword === true && nameLabel === undefined) passwordField.current?.focus();
  }, [hasPassword, nameLabel]);
  const client = useQueryClient();
  const mutation = useMutation({
    mutationFn: () => run(password, name),
    onSuccess: onDone,
    onError: () => passwordField.current?.focus(),
    onSettled: () => void client.invalidateQueries({ queryKey: settingsKeys.all }),
  });
  const { error } = mutation;
  const atField = (field: string) => (error instanceof ApiError ? error.messageForField(field) : null);
  const isAtField = atField('password') !== null || atField('name') !== null;

  function submit(event: FormEvent) {
    event.preventDefault();
    if (!mutation.isPending) mutation.mutate();
  }

  return (
    <form className={classes.form} noValidate onSubmit={submit}>
      {text !== undefined && <p>{text}</p>}
      {nameLabel !== undefined && (
        <TextInput
          label={nameLabel}
          data-autofocus
          autoComplete="off"
          value={name}
          error={atField('name')}
          onChange={(event) => setName(event.currentTarget.value)}
        />
      )}
      <OwnPasswordField
        ref={passwordField}
        {...(nameLabel === undefined && { 'data-autofocus': true })}
        value={password}
        error={atField('password')}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
      <FormError message={error === null || isAtField ? null : errorMessage(error)} />
      <div className={classes.dialogButtons}>
        <Button variant="default" onClick={onClose}>
          {t`Cancel`}
        </Button>
        <Button type="submit" loading={mutation.isPending || hasPassword === undefined}>
          {submitLabel}
        </Button>
      </div>
    </form>
  );
}
