import { t } from '@lingui/core/macro';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { toast, toastError } from '#web/core/toast.ts';
import { Button } from '#web/ui/Button.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { ReasonField } from './ReasonField.tsx';
import classes from './moderation.module.css';

/**
 * Asks for a reason and performs the action. The message of an error that `act` throws is shown, as a toast if the form
 * was closed.
 */
export function ReasonForm({
  submit,
  isRed = false,
  disabled = false,
  refusal = null,
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
  /** An error from outside, which also disables the button. */
  refusal?: string | null;
  /** The message after the action. */
  done?: string;
  act: (reason: string) => Promise<void>;
  onCancel?: (() => void) | undefined;
  /** What stands above the reason, such as further fields. */
  children?: ReactNode;
} & Pick<Parameters<typeof ReasonField>[0], 'label' | 'optional' | 'hasCommonReasons'>) {
  const [reason, setReason] = useState('');
  const isDisabled = disabled || refusal !== null;
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  const perform = useMutation({
    mutationFn: act,
    onSuccess() {
      setReason('');
      toast(done);
    },
    onError(error) {
      if (!isShown.current) toastError(error.message);
    },
  });

  function save(event: FormEvent) {
    event.preventDefault();
    if (!perform.isPending && !isDisabled) perform.mutate(reason);
  }

  return (
    <form className={classes.form} noValidate onSubmit={save}>
      {children}
      <ReasonField {...field} value={reason} onChange={setReason} />
      <FormError message={refusal ?? perform.error?.message ?? null} />
      <div className={classes.buttons}>
        {onCancel !== undefined && <Button variant="default" onClick={onCancel}>{t`Cancel`}</Button>}
        <Button
          type="submit"
          {...(isRed && { color: 'red' })}
          loading={perform.isPending}
          disabled={isDisabled}
        >
          {submit}
        </Button>
      </div>
    </form>
  );
}
