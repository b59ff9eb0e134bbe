import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { useState, type FormEvent, type ReactNode } from 'react';
import { actionsWithoutReason } from '#shared/moderation/action-reasons.ts';
import type { MemberAction, PostAction } from '#shared/moderation/moderation.ts';
import { toast } from '#web/core/toast.ts';
import { FormError } from '#web/ui/FormError.tsx';
import { FormSelect } from '#web/ui/FormSelect.tsx';
import { actionDescriptions, actionLabels } from './moderation-messages.ts';
import { ReasonField } from './ReasonField.tsx';
import classes from './moderation.module.css';

/** The form for a moderation action on a post or a member, with its reason. */
export function ModerationForm<Action extends PostAction | MemberAction>({
  actions,
  action,
  onAction,
  act,
  onCancel,
  children,
}: {
  /** The possible actions. */
  actions: readonly Action[];
  /** The selected action. */
  action: Action;
  onAction: (action: Action) => void;
  /** Performs the action. The message of an error it throws is shown. */
  act: (reason: string) => Promise<void>;
  onCancel?: () => void;
  /** Further fields of the selected action. */
  children: ReactNode;
}) {
  const [reason, setReason] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const [saving, setSaving] = useState(false);

  async function save(event: FormEvent) {
    event.preventDefault();
    if (saving) return;
    setSaving(true);
    setProblem(null);
    try {
      await act(reason);
      setReason('');
      toast(t`Saved to the moderation log`);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : '');
    } finally {
      setSaving(false);
    }
  }

  return (
    <form className={classes.form} noValidate onSubmit={(event) => void save(event)}>
      <FormSelect
        label={t`Action`}
        options={actions.map((each) => [each, actionLabels[each]()])}
        value={action}
        onChange={onAction}
      />
      <p className={classes.quiet}>{actionDescriptions[action]()}</p>
      {children}
      <ReasonField value={reason} onChange={setReason} optional={actionsWithoutReason.has(action)} />
      <FormError message={problem} />
      <div className={classes.buttons}>
        {onCancel !== undefined && <Button variant="default" onClick={onCancel}>{t`Cancel`}</Button>}
        <Button type="submit" loading={saving}>
          {actionLabels[action]()}
        </Button>
      </div>
    </form>
  );
}
