import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { type FormEvent, useState } from 'react';
import { translateError } from '#web/core/errors.ts';
import { Dialog } from '#web/ui/Dialog.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import classes from './moderation.module.css';
import { ReasonField } from './ReasonField.tsx';

/** Asks why an account is refused. The applicant sees the reason. */
export function RefuseAccountDialog({
  name,
  saving,
  onRefuse,
  onClose,
}: {
  name: string;
  saving: boolean;
  onRefuse: (reason: string) => void;
  onClose: () => void;
}) {
  const [reason, setReason] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  function refuse(event: FormEvent) {
    event.preventDefault();
    if (reason.trim() === '') setProblem(translateError('reason-required'));
    else if (!saving) onRefuse(reason.trim());
  }
  return (
    <Dialog title={t`Refuse the account of ${name}?`} opened onClose={onClose}>
      <form className={classes.form} noValidate onSubmit={refuse}>
        <p className={classes.quiet}>
          {t`The applicant gets the reason by email and can still sign in to see it. You can approve the account later.`}
        </p>
        <ReasonField
          value={reason}
          label={t`Reason (for the applicant)`}
          onChange={(value) => {
            setProblem(null);
            setReason(value);
          }}
        />
        <FormError message={problem} />
        <div className={classes.buttons}>
          <Button variant="default" onClick={onClose}>{t`Cancel`}</Button>
          <Button type="submit" color="red" loading={saving}>{t`Refuse`}</Button>
        </div>
      </form>
    </Dialog>
  );
}
