import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { TextInput } from '#web/ui/mantine/TextInput.tsx';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { TagProposalDecision } from '#shared/moderation/moderation.ts';
import type { TagProposal } from '#shared/moderation/tag-proposals.ts';
import { toast } from '#web/core/toast.ts';
import { Dialog } from '#web/ui/Dialog.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { FormSelect } from '#web/ui/FormSelect.tsx';
import classes from './moderation.module.css';
import { ReasonField } from './ReasonField.tsx';
import { decideTagProposal } from './tag-proposals.ts';

export type TagDecision = TagProposalDecision['decision'];

const labels: Readonly<Record<TagDecision, () => string>> = {
  approve: () => t`Approve`,
  synonym: () => t`Make it another name`,
  reject: () => t`Reject`,
};

const descriptions: Readonly<Record<TagDecision, () => string>> = {
  approve: () => t`The topic is created, and the questions get it.`,
  synonym: () => t`The name leads to an existing topic, and the questions get that topic.`,
  reject: () => t`The questions stay as they are. Their authors see the reason.`,
};

/** Lets a moderator decide about a proposed tag. */
export default function TagProposalDialog({
  proposal,
  decision: initial,
  onDecided,
  onClose,
}: {
  proposal: TagProposal;
  /** The decision that is selected first. */
  decision: TagDecision;
  /** Is called after a decision, before `onClose`. */
  onDecided: () => void;
  onClose: () => void;
}) {
  const client = useQueryClient();
  const [decision, setDecision] = useState<TagDecision>(initial);
  const [synonymOf, setSynonymOf] = useState(proposal.similar[0]?.name ?? '');
  const [reason, setReason] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const [saving, setSaving] = useState(false);

  async function save(event: FormEvent) {
    event.preventDefault();
    if (saving) return;
    setSaving(true);
    setProblem(null);
    try {
      await decideTagProposal(client, proposal.id, { decision, synonymOf: synonymOf.trim(), reason });
      onDecided();
      onClose();
      toast(t`Saved to the moderation log`);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : '');
      setSaving(false);
    }
  }

  return (
    <Dialog title={t`Proposed topic “${proposal.name}”`} opened onClose={onClose}>
      <form className={classes.form} noValidate onSubmit={(event) => void save(event)}>
        <FormSelect
          label={t`Action`}
          options={(['approve', 'synonym', 'reject'] as const).map((each) => [each, labels[each]()])}
          value={decision}
          onChange={setDecision}
        />
        <p className={classes.quiet}>{descriptions[decision]()}</p>
        {decision === 'synonym' && (
          <TextInput
            label={t`Existing topic`}
            dir="auto"
            autoComplete="off"
            autoCapitalize="none"
            value={synonymOf}
            onChange={(event) => setSynonymOf(event.currentTarget.value)}
          />
        )}
        <ReasonField value={reason} onChange={setReason} optional={decision !== 'reject'} />
        <FormError message={problem} />
        <div className={classes.buttons}>
          <Button variant="default" onClick={onClose}>{t`Cancel`}</Button>
          <Button type="submit" loading={saving}>
            {labels[decision]()}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
