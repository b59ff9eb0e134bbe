import { t } from '@lingui/core/macro';
import { TextInput } from '#web/ui/mantine/TextInput.tsx';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { TagProposalDecision } from '#shared/moderation/moderation.ts';
import type { TagProposal } from '#shared/moderation/tag-proposals.ts';
import { Dialog } from '#web/ui/Dialog.tsx';
import { FormSelect } from '#web/ui/FormSelect.tsx';
import classes from './moderation.module.css';
import { ReasonForm } from './ReasonForm.tsx';
import { decideTagProposal } from './tag-proposals.ts';

export type TagDecision = TagProposalDecision['decision'];

const labels: Readonly<Record<TagDecision, () => string>> = {
  approve: () => t`Approve`,
  synonym: () => t`Make it another name`,
  reject: () => t`Reject`,
};

const descriptions: Readonly<Record<TagDecision, () => string>> = {
  approve: () => t`The topic is created and added to the questions.`,
  synonym: () => t`The name leads to an existing topic, and the questions get that topic.`,
  reject: () => t`The questions stay as they are. Their authors see the reason.`,
};

/** Lets a moderator decide about a proposed tag. */
export default function TagProposalDialog({
  proposal,
  decision: initial,
  refusal,
  onDecided,
  onClose,
}: {
  proposal: TagProposal;
  /** The decision that is selected first. */
  decision: TagDecision;
  /** Why the moderator cannot decide now; null if they can. */
  refusal: string | null;
  /** Is called after a decision, before `onClose`. */
  onDecided: () => void;
  onClose: () => void;
}) {
  const client = useQueryClient();
  const [decision, setDecision] = useState<TagDecision>(initial);
  const [synonymOf, setSynonymOf] = useState(proposal.similar[0]?.name ?? '');

  return (
    <Dialog title={t`Proposed topic “${proposal.name}”`} opened onClose={onClose}>
      <ReasonForm
        submit={labels[decision]()}
        refusal={refusal}
        optional={decision !== 'reject'}
        act={async (reason) => {
          await decideTagProposal(client, proposal.id, { decision, synonymOf: synonymOf.trim(), reason });
          onDecided();
          onClose();
        }}
        onCancel={onClose}
      >
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
      </ReasonForm>
    </Dialog>
  );
}
