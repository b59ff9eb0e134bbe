import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { Textarea } from '#web/ui/mantine/Textarea.tsx';
import { type FormEvent, useState } from 'react';
import { translateError } from '#web/core/errors.ts';
import { CharacterCounter } from '#web/ui/CharacterCounter.tsx';
import { Dialog } from '#web/ui/Dialog.tsx';
import classes from './moderation.module.css';

const maxReasonLength = 500;

/** Asks why a suggested edit is rejected. Its member sees the reason. */
export function RejectEditDialog(props: {
  saving: boolean;
  onReject: (reason: string) => void;
  onClose: () => void;
}) {
  const [reason, setReason] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  function reject(event: FormEvent) {
    event.preventDefault();
    if (reason.trim() === '') setProblem(translateError('reason-required'));
    else if (!props.saving) props.onReject(reason.trim());
  }
  return (
    <Dialog title={t`Reject this edit?`} opened onClose={props.onClose}>
      <form className={classes.form} noValidate onSubmit={reject}>
        <div>
          <Textarea
            label={t`Reason`}
            description={t`The member who suggested the edit sees it.`}
            rows={3}
            dir="auto"
            data-autofocus
            value={reason}
            error={problem}
            onChange={(event) => {
              setProblem(null);
              setReason(event.currentTarget.value);
            }}
          />
          <CharacterCounter text={reason} max={maxReasonLength} />
        </div>
        <div className={classes.buttons}>
          <Button variant="default" onClick={props.onClose}>{t`Cancel`}</Button>
          <Button type="submit" loading={props.saving}>{t`Reject`}</Button>
        </div>
      </form>
    </Dialog>
  );
}
