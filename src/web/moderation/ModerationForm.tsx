import { t } from '@lingui/core/macro';
import type { ReactNode } from 'react';
import { actionsWithoutReason } from '#shared/moderation/action-reasons.ts';
import type { MemberAction, PostAction } from '#shared/moderation/moderation.ts';
import { FormSelect } from '#web/ui/FormSelect.tsx';
import { actionDescriptions, actionLabels } from './moderation-messages.ts';
import { ReasonForm } from './ReasonForm.tsx';
import classes from './moderation.module.css';

/** The form for a moderation action on a post or a member, with its reason. */
export function ModerationForm<Action extends PostAction | MemberAction>({
  actions,
  action,
  disabled = false,
  refusal = null,
  onAction,
  act,
  onCancel,
  children,
}: {
  /** The possible actions. */
  actions: readonly Action[];
  /** The selected action. */
  action: Action;
  disabled?: boolean;
  refusal?: string | null;
  onAction: (action: Action) => void;
  /** Performs the action. The message of an error it throws is shown. */
  act: (reason: string) => Promise<void>;
  onCancel?: () => void;
  /** Further fields of the selected action. */
  children: ReactNode;
}) {
  return (
    <ReasonForm
      submit={actionLabels[action]()}
      disabled={disabled}
      refusal={refusal}
      optional={actionsWithoutReason.has(action)}
      act={act}
      onCancel={onCancel}
    >
      <FormSelect
        label={t`Action`}
        options={actions.map((each) => [each, actionLabels[each]()])}
        value={action}
        onChange={onAction}
      />
      <p className={classes.quiet}>{actionDescriptions[action]()}</p>
      {children}
    </ReasonForm>
  );
}
