import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { Textarea } from '#web/ui/mantine/Textarea.tsx';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import type { ReportReason, ReportState } from '#shared/moderation/moderation.ts';
import { paths } from '#web/core/paths.ts';
import { toast } from '#web/core/toast.ts';
import type { PostRef } from '#shared/core/fields.ts';
import { CharacterCounter } from '#web/ui/CharacterCounter.tsx';
import { Dialog } from '#web/ui/Dialog.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { Link } from '#web/ui/Link.tsx';
import { FormSelect } from '#web/ui/FormSelect.tsx';
import { moderationKeys, reportQuery, setReport } from './moderation.ts';
import { reportReasons } from './moderation-messages.ts';
import classes from './moderation.module.css';

/** Reports a post to the moderators or withdraws the report. */
export default function ReportDialog({
  post,
  opener,
  onClose,
}: {
  post: PostRef;
  opener: () => HTMLElement | null;
  onClose: () => void;
}) {
  const { data: state, error } = useQuery(reportQuery(post));
  return (
    <Dialog title={t`Report`} opened onClose={onClose} opener={opener}>
      <FormError message={state === undefined ? (error?.message ?? null) : null} />
      {state !== undefined && <ReportForm post={post} state={state} onClose={onClose} />}
    </Dialog>
  );
}

const maxNoteLength = 500;

function ReportForm({ post, state, onClose }: { post: PostRef; state: ReportState; onClose: () => void }) {
  const client = useQueryClient();
  const [reason, setReason] = useState<ReportReason>(state.reason ?? 'spam');
  const [note, setNote] = useState('');
  const report = useMutation({
    mutationFn: (wanted: ReportReason | null) => setReport(post, { reason: wanted, note }),
    onSuccess: (saved, wanted) => {
      client.setQueryData(moderationKeys.report(post), saved);
      toast(wanted === null ? t`Report withdrawn` : t`Thank you. The moderators will review it.`);
      onClose();
    },
  });
  if (state.closed) return <p>{t`A moderator has reviewed your report. Thank you.`}</p>;

  function save(wanted: ReportReason | null) {
    if (!report.isPending) report.mutate(wanted);
  }

  return (
    <form
      className={classes.form}
      noValidate
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        save(reason);
      }}
    >
      <FormSelect
        label={t`Why are you reporting this post?`}
        options={reportReasons()}
        value={reason}
        onChange={setReason}
      />
      <div>
        <Textarea
          label={t`Additional details`}
          rows={3}
          dir="auto"
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
        />
        <CharacterCounter text={note} max={maxNoteLength} />
      </div>
      <p className={classes.quiet}>
        {t`Reports are anonymous.`} <Link href={paths.moderationLog}>{t`Moderation log`}</Link>
      </p>
      <FormError message={report.error?.message ?? null} />
      <div className={classes.buttons}>
        {state.reason !== null && (
          <Button variant="default" onClick={() => save(null)}>{t`Withdraw report`}</Button>
        )}
        <Button variant="default" onClick={onClose}>{t`Cancel`}</Button>
        <Button type="submit" loading={report.isPending}>{t`Report`}</Button>
      </div>
    </form>
  );
}
