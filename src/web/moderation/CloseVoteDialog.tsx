import { plural, t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { Radio, RadioGroup } from '#web/ui/mantine/Radio.tsx';
import { TextInput } from '#web/ui/mantine/TextInput.tsx';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { CloseVoteDraft, CloseVotes } from '#shared/moderation/close-votes.ts';
import { ApiError, translateError } from '#web/core/errors.ts';
import { toast } from '#web/core/toast.ts';
import { useQuestionPage } from '#web/posts/index.ts';
import { Dialog } from '#web/ui/Dialog.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { closeVotesQuery, setCloseVote } from './close-votes.ts';
import classes from './moderation.module.css';
import { parseQuestionNumber } from './question-number.ts';

const other = 'other';

/** Votes to close a question as a duplicate of another one, or to reopen it. */
export default function CloseVoteDialog({
  questionId,
  votes,
  opener,
  onClose,
}: {
  questionId: number;
  votes: CloseVotes;
  opener: () => HTMLElement | null;
  onClose: () => void;
}) {
  const client = useQueryClient();
  const { cache } = useQuestionPage();
  const isOpen = votes.duplicateOf === null;
  const [chosen, setChosen] = useState(() => String(votes.myDuplicateOf ?? votes.originals[0]?.id ?? other));
  const [typed, setTyped] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const vote = useMutation({
    mutationFn: (draft: CloseVoteDraft) => setCloseVote(questionId, draft),
    onSuccess: (now, draft) => {
      client.setQueryData(closeVotesQuery(questionId).queryKey, now);
      toast(describeEffect(votes, now, draft));
      if (now.duplicateOf !== votes.duplicateOf) void cache.refresh();
      onClose();
    },
    onError: (error) =>
      setProblem((error instanceof ApiError ? error.messageForField('duplicateOf') : null) ?? error.message),
  });

  function submit(event: FormEvent) {
    event.preventDefault();
    if (vote.isPending) return;
    if (!isOpen) return vote.mutate({ vote: 'reopen', duplicateOf: null });
    const duplicateOf = chosen === other ? parseQuestionNumber(typed) : Number(chosen);
    if (duplicateOf === null) setProblem(translateError('original-required'));
    else vote.mutate({ vote: 'close', duplicateOf });
  }

  return (
    <Dialog
      title={isOpen ? t`Close as a duplicate` : t`Reopen this question`}
      opened
      onClose={onClose}
      opener={opener}
    >
      <form className={classes.form} noValidate onSubmit={submit}>
        <p className={classes.quiet}>{describeRule(votes)}</p>
        {isOpen && votes.originals.length > 0 && (
          <RadioGroup
            label={t`Original question`}
            value={chosen}
            onChange={(value) => {
              setProblem(null);
              setChosen(value);
            }}
          >
            <div className={classes.choices}>
              {votes.originals.map(({ id, title, votes: count }) => (
                <Radio
                  key={id}
                  value={String(id)}
                  label={<span dir="auto">{title}</span>}
                  description={plural(count, { one: '# vote', other: '# votes' })}
                />
              ))}
              <Radio value={other} label={t`Another question`} />
            </div>
          </RadioGroup>
        )}
        {isOpen && chosen === other && (
          <TextInput
            label={t`Number or link of the original question`}
            dir="auto"
            data-autofocus
            value={typed}
            onChange={(event) => {
              setProblem(null);
              setTyped(event.currentTarget.value);
            }}
          />
        )}
        <FormError message={problem} />
        <div className={classes.buttons}>
          {votes.myVote !== null && (
            <Button variant="default" onClick={() => vote.mutate({ vote: null, duplicateOf: null })}>
              {t`Withdraw vote`}
            </Button>
          )}
          <Button variant="default" onClick={onClose}>{t`Cancel`}</Button>
          <Button type="submit" loading={vote.isPending}>
            {getSubmitLabel(votes)}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function getSubmitLabel({ duplicateOf, isDecisive }: CloseVotes): string {
  if (duplicateOf === null) return isDecisive ? t`Close question` : t`Vote to close`;
  return isDecisive ? t`Reopen question` : t`Vote to reopen`;
}

function describeRule({ isDecisive, needed, days, duplicateOf }: CloseVotes): string {
  if (isDecisive) return t`Your vote decides.`;
  const expiry = plural(days, { one: 'A vote counts for # day.', other: 'A vote counts for # days.' });
  const effect =
    duplicateOf === null
      ? plural(needed, {
          one: '# vote for an original question closes this one.',
          other: '# votes for the same original question close this one.',
        })
      : plural(needed, { one: '# vote reopens this question.', other: '# votes reopen this question.' });
  return `${effect} ${expiry}`;
}

function describeEffect(before: CloseVotes, now: CloseVotes, { vote }: CloseVoteDraft): string {
  if (now.duplicateOf !== before.duplicateOf)
    return now.duplicateOf === null ? t`Question reopened` : t`Question closed as a duplicate`;
  return vote === null ? t`Vote withdrawn` : t`Vote saved`;
}
