import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { type FormEvent, useState } from 'react';
import { toast } from '#web/core/toast.ts';
import { FormError } from '#web/ui/FormError.tsx';
import { ReasonField } from './ReasonField.tsx';
import classes from './moderation.module.css';

/** Asks for a reason and performs the action. The message of an error that `act` throws is shown. */
export function ReasonForm({
  submit,
  disabled = false,
  act,
  onCancel,
}: {
  /** The label of the submit button. */
  submit: string;
  disabled?: boolean;
  act: (reason: string) => Promise<void>;
  onCancel: () => void;
}) {
  const [reason, setReason] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const [saving, setSaving] = useState(false);

  async function save(event: FormEvent) {
    event.preventDefault();
    if (saving || disabled) return;
    setSaving(true);
    setProblem(null);
    try {
      await act(reason);
      toast(t`Saved to the moderation log`);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : '');
      setSaving(false);
    }
  }

  return (
    <form className={classes.form} noValidate onSubmit={(event) => void save(event)}>
      <ReasonField value={reason} onChange={setReason} />
      <FormError message={problem} />
      <div className={classes.buttons}>
        <Button variant="default" onClick={onCancel}>{t`Cancel`}</Button>
        <Button type="submit" loading={saving} disabled={disabled}>
          {submit}
        </Button>
      </div>
    </form>
  );
}
