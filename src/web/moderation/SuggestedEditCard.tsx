import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type {
  EditDecision,
  EditSuggestion,
  EditSuggestionTexts,
} from '#shared/moderation/edit-suggestions.ts';
import { questionPath } from '#shared/posts/question-paths.ts';
import { hasStatus, translateError } from '#web/core/errors.ts';
import { toast, toastError } from '#web/core/toast.ts';
import { anchorOf, Author, PostDiff } from '#web/posts/index.ts';
import { Dialog } from '#web/ui/Dialog.tsx';
import { LoadError } from '#web/ui/LoadError.tsx';
import { LoadingRegion } from '#web/ui/LoadingRegion.tsx';
import { Link } from '#web/ui/Link.tsx';
import { SkeletonLines } from '#web/ui/Skeleton.tsx';
import { Time } from '#web/ui/Time.tsx';
import { decideSuggestion, editSuggestionQuery, withdrawSuggestion } from './edit-suggestions.ts';
import { EditApprovalForm } from './EditApprovalForm.tsx';
import { postKindLabels } from './moderation-messages.ts';
import classes from './moderation.module.css';
import { ReasonForm } from './ReasonForm.tsx';

/** A suggested edit with its changes, and what the member can do with it. */
export function SuggestedEditCard({
  item,
  isOwn,
  onChanged,
  onForm,
}: {
  item: EditSuggestion;
  isOwn: boolean;
  onChanged: () => void;
  /** Is called when a form opens and closes, until which the card has to stay. */
  onForm: (id: number, isOpen: boolean) => void;
}) {
  const query = useQuery(editSuggestionQuery(item.id));
  const hash = item.kind === 'question' ? '' : `#${anchorOf({ kind: item.kind, id: item.postId })}`;
  return (
    <article
      className={classes.card}
      tabIndex={-1}
      data-shortcut-stop
      data-suggested-edit
      aria-label={t`Edit suggested by ${item.memberName}`}
    >
      <Link
        href={`${questionPath(item.questionId, item.title)}${hash}`}
        className={classes.strong}
        dir="auto"
      >
        {item.title}
      </Link>
      <div className={classes.head}>
        <span className={classes.quiet}>{postKindLabels[item.kind]()}</span>
        <Author id={item.memberId} name={item.memberName} />
        <Time at={item.createdAt} />
      </div>
      <p className={classes.summary} dir="auto">
        {item.summary}
      </p>
      {item.moderatorsOnly && (
        <p className={classes.note}>{t`Only moderators see this edit: it matches a rule for new members.`}</p>
      )}
      {isOwn && <OwnStatus item={item} />}
      {query.data !== undefined ? (
        <Changes texts={query.data} isOwn={isOwn} onChanged={onChanged} onForm={onForm} />
      ) : query.isError ? (
        <LoadError text={t`The edit could not be loaded.`} query={query} />
      ) : (
        <LoadingRegion label={t`Loading edit`} part>
          <SkeletonLines widths={['70%', '96%', '55%']} />
        </LoadingRegion>
      )}
    </article>
  );
}

function Changes({
  texts,
  isOwn,
  onChanged,
  onForm,
}: {
  texts: EditSuggestionTexts;
} & Pick<Parameters<typeof SuggestedEditCard>[0], 'isOwn' | 'onChanged' | 'onForm'>) {
  const { id, base, current, suggested, merged } = texts;
  const [isRejecting, setIsRejecting] = useState(false);
  // The texts when the form opened, with the edit that the member has seen last: the server refuses to overwrite another.
  const [edited, setEdited] = useState<EditSuggestionTexts | null>(null);
  const hasForm = isRejecting || edited !== null;
  useEffect(() => {
    if (!hasForm) return;
    onForm(id, true);
    return () => onForm(id, false);
  }, [hasForm, id, onForm]);
  const decide = useMutation({
    mutationFn: (decision: EditDecision) => decideSuggestion(id, decision),
    onSuccess: (_, { decision }) => {
      setEdited(null);
      setIsRejecting(false);
      if (decision === 'approve') toast(t`Edit approved`);
      onChanged();
    },
    onError: (error, { texts: changed, decision }) => {
      // Forms show their errors themselves.
      if (decision === 'approve' && changed === null) toastError(error.message);
      if (hasStatus(error, 409) || hasStatus(error, 404)) onChanged();
    },
  });
  const isDecided = base === null;
  if (isDecided && !hasForm) return <PostDiff before={null} after={suggested} />;
  const refusal = isDecided ? translateError('suggestion-decided') : null;
  const approval = { decision: 'approve', basedOn: texts.editedAt, reason: '', texts: null } as const;
  if (edited !== null)
    return (
      <EditApprovalForm
        kind={edited.kind}
        initial={edited.merged ?? edited.suggested}
        newer={
          isDecided || texts.editedAt === edited.editedAt ? null : { before: edited.current, after: current }
        }
        onNewerSeen={() => {
          decide.reset();
          setEdited({ ...edited, current, editedAt: texts.editedAt });
        }}
        refusal={refusal}
        error={decide.error?.message ?? null}
        saving={decide.isPending}
        onApprove={(changed) => decide.mutate({ ...approval, basedOn: edited.editedAt, texts: changed })}
        onCancel={() => setEdited(null)}
      />
    );
  return (
    <>
      <PostDiff before={merged === null ? base : current} after={merged ?? suggested} />
      {merged === null && (
        <>
          <p className={classes.note}>{t`The post has changed in the same place since. Its changes:`}</p>
          <PostDiff before={base} after={current} />
        </>
      )}
      <div className={classes.buttons}>
        {isOwn ? (
          <WithdrawButton id={id} onWithdrawn={onChanged} />
        ) : (
          <>
            <Button variant="default" data-decision="reject" onClick={() => setIsRejecting(true)}>
              {t`Reject`}
            </Button>
            <Button variant="default" data-decision="edit" onClick={() => setEdited(texts)}>
              {t`Edit and approve`}
            </Button>
            {merged !== null && (
              <Button
                data-decision="approve"
                loading={decide.isPending}
                onClick={() => decide.mutate(approval)}
              >
                {t`Approve`}
              </Button>
            )}
          </>
        )}
      </div>
      {isRejecting && (
        <Dialog title={t`Reject this edit?`} opened onClose={() => setIsRejecting(false)}>
          <ReasonForm
            submit={t`Reject`}
            label={t`Reason`}
            hasCommonReasons={false}
            refusal={refusal}
            done={t`Edit rejected`}
            act={async (reason) => {
              await decide.mutateAsync({ ...approval, decision: 'reject', reason });
            }}
            onCancel={() => setIsRejecting(false)}
          >
            <p className={classes.quiet}>{t`The member who suggested the edit sees the reason.`}</p>
          </ReasonForm>
        </Dialog>
      )}
    </>
  );
}

function WithdrawButton({ id, onWithdrawn }: { id: number; onWithdrawn: () => void }) {
  const withdraw = useMutation({
    mutationFn: () => withdrawSuggestion(id),
    onSuccess: () => {
      toast(t`Suggested edit withdrawn`);
      onWithdrawn();
    },
    onError: (error) => {
      toastError(error.message);
      onWithdrawn();
    },
  });
  return (
    <Button variant="default" loading={withdraw.isPending} onClick={() => withdraw.mutate()}>
      {t`Withdraw`}
    </Button>
  );
}

/** What became of the member's own suggestion. */
function OwnStatus({ item }: { item: EditSuggestion }) {
  const { status, reason, decidedByName: name } = item;
  return (
    <div className={classes.head}>
      <span className={classes.strong}>{describeStatus(status, name)}</span>
      {reason !== '' && <span dir="auto">{t`Reason: ${reason}`}</span>}
      {item.decidedAt !== null && <Time at={item.decidedAt} />}
    </div>
  );
}

function describeStatus(status: EditSuggestion['status'], name: string | null): string {
  switch (status) {
    case 'open':
      return t`Waiting for approval`;
    case 'approved':
      return name === null ? t`Saved without approval` : t`Approved by ${name}`;
    case 'rejected':
      return name === null ? t`Rejected` : t`Rejected by ${name}`;
    case 'withdrawn':
      return t`Withdrawn`;
  }
}
