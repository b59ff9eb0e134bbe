import { t } from '@lingui/core/macro';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { toast } from '#web/core/toast.ts';
import { Button } from '#web/ui/Button.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { ReasonField } from './ReasonField.tsx';
import classes from './moderation.module.css';

/** Asks for a reason and performs the action. The message of an error that `act` throws is shown. */
export function ReasonForm({
  submit,
  isRed = false,
  disabled = false,
  done = t`Saved to the moderation log`,
  act,
  onCancel,
  children,
  ...field
}: {
  /** The label of the submit button. */
  submit: string;
  isRed?: boolean;
  disabled?: boolean;
  /** The message after the action. */
  done?: string;
  act: (reason: string) => Promise<void>;
  onCancel?: (() => void) | undefined;
  /** What stands above the reason, such as further fields. */
  children?: ReactNode;
} & Pick<Parameters<typeof ReasonField>[0], 'label' | 'optional' | 'hasCommonReasons'>) {
  const [reason, setReason] = useState('');
  const perform = useMutation({
    mutationFn: act,
    onSuccess() {
      setReason('');
      toast(done);
    },
  });

  function save(event: FormEvent) {
    event.preventDefault();
    if (!perform.isPending && !disabled) perform.mutate(reason);
  }

  return (
    <form className={classes.form} noValidate onSubmit={save}>
      {children}
      <ReasonField {...field} value={reason} onChange={setReason} />
      <FormError message={perform.error?.message ?? null} />
      <div className={classes.buttons}>
        {onCancel !== undefined && <Button variant="default" onClick={onCancel}>{t`Cancel`}</Button>}
        <Button
          type="submit"
          {...(isRed && { color: 'red' })}
          loading={perform.isPending}
          disabled={disabled}
        >
          {submit}
        </Button>
      </div>
    </form>
  );
}
