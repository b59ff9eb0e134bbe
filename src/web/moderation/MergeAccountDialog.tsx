import { plural, t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { Radio, RadioGroup } from '#web/ui/mantine/Radio.tsx';
import { TextInput } from '#web/ui/mantine/TextInput.tsx';
import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { MergePreview } from '#shared/admin/account-merges.ts';
import type { ModeratedMember } from '#shared/moderation/moderation.ts';
import { ApiError } from '#web/core/errors.ts';
import { toast } from '#web/core/toast.ts';
import { OwnPasswordField, useHasPassword } from '#web/identity/index.ts';
import { Avatar } from '#web/ui/Avatar.tsx';
import { Dialog } from '#web/ui/Dialog.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { mergeAccount, mergePreviewQuery } from './account-merges.ts';
import { memberListQuery } from './member-list.ts';
import { describeActivity } from './removals.ts';
import classes from './moderation.module.css';

/** Merges an account into another one: the admin chooses it, sees what happens, and confirms. */
export default function MergeAccountDialog({
  member,
  onClose,
}: {
  member: ModeratedMember;
  onClose: () => void;
}) {
  const [intoId, setIntoId] = useState<number | null>(null);
  return (
    <Dialog title={t`Merge ${member.displayName} into another account`} opened onClose={onClose}>
      {intoId === null ? (
        <AccountChoice exceptId={member.id} onChoose={setIntoId} onCancel={onClose} />
      ) : (
        <Confirmation
          fromId={member.id}
          intoId={intoId}
          onBack={() => setIntoId(null)}
          onDone={() => {
            toast(t`Saved to the moderation log`);
            onClose();
          }}
        />
      )}
    </Dialog>
  );
}

/** Accounts of a search that are shown. */
const maxChoices = 8;

function AccountChoice({
  exceptId,
  onChoose,
  onCancel,
}: {
  exceptId: number;
  onChoose: (id: number) => void;
  onCancel: () => void;
}) {
  const [q, setQ] = useState('');
  const [chosen, setChosen] = useState<string | null>(null);
  const [wanted] = useDebouncedValue(q.trim(), 200);
  const query = useInfiniteQuery({ ...memberListQuery({ q: wanted, show: 'all' }), enabled: wanted !== '' });
  const found = wanted === '' ? [] : (query.data?.pages[0]?.items ?? []);
  const accounts = found.filter(({ id }) => id !== exceptId).slice(0, maxChoices);
  const choice = accounts.find(({ id }) => String(id) === chosen);

  function submit(event: FormEvent) {
    event.preventDefault();
    if (choice !== undefined) onChoose(choice.id);
  }

  return (
    <form className={classes.form} noValidate onSubmit={submit}>
      <TextInput
        type="search"
        label={t`Account that stays`}
        description={t`Beginning of a name, or an email address`}
        autoComplete="off"
        data-autofocus
        dir="auto"
        value={q}
        onChange={(event) => setQ(event.currentTarget.value)}
      />
      {wanted !== '' && query.isSuccess && accounts.length === 0 && <p>{t`No members found`}</p>}
      {accounts.length > 0 && (
        <RadioGroup label={t`Members`} value={choice === undefined ? null : chosen} onChange={setChosen}>
          <div className={classes.accounts}>
            {accounts.map((account) => (
              <div key={account.id} className={classes.account}>
                <Radio value={String(account.id)} label={account.displayName} />
                <Avatar id={account.id} name={account.displayName} avatar={account.avatar} size={24} />
                <span className={classes.quiet}>
                  {describeActivity({
                    questions: account.questions,
                    answers: account.answers,
                    replies: 0,
                    votes: 0,
                  })}
                </span>
              </div>
            ))}
          </div>
        </RadioGroup>
      )}
      <div className={classes.buttons}>
        <Button variant="default" onClick={onCancel}>{t`Cancel`}</Button>
        <Button type="submit" disabled={choice === undefined}>{t`Preview`}</Button>
      </div>
    </form>
  );
}

function Confirmation({
  fromId,
  intoId,
  onBack,
  onDone,
}: {
  fromId: number;
  intoId: number;
  onBack: () => void;
  onDone: () => void;
}) {
  const client = useQueryClient();
  const preview = useQuery(mergePreviewQuery(fromId, intoId));
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const hasPassword = useHasPassword();
  const merging = useMutation({
    mutationFn: () => mergeAccount(client, fromId, { into: intoId, name, password }),
    onSuccess: onDone,
  });
  const { error } = merging;
  const atField = (field: string) => (error instanceof ApiError ? error.messageForField(field) : null);
  const isAtField = atField('name') !== null || atField('password') !== null;

  function submit(event: FormEvent) {
    event.preventDefault();
    if (!merging.isPending) merging.mutate();
  }

  if (preview.data === undefined)
    return (
      <div className={classes.form}>
        <FormError message={preview.error?.message ?? null} />
        <div className={classes.buttons}>
          <Button variant="default" onClick={onBack}>{t`Back`}</Button>
        </div>
      </div>
    );
  const { from, into } = preview.data;
  return (
    <form className={classes.form} noValidate onSubmit={submit}>
      <p dir="auto">{t`${from.displayName} becomes part of ${into.displayName}. This cannot be undone.`}</p>
      <MergeEffects preview={preview.data} />
      <TextInput
        label={t`Name of the account that is merged`}
        description={from.displayName}
        autoComplete="off"
        data-autofocus
        dir="auto"
        value={name}
        error={atField('name')}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <OwnPasswordField
        value={password}
        error={atField('password')}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
      <FormError message={error === null || isAtField ? null : error.message} />
      <div className={classes.buttons}>
        <Button variant="default" onClick={onBack}>{t`Back`}</Button>
        <Button
          type="submit"
          color="red"
          loading={merging.isPending || hasPassword === undefined}
          disabled={name.trim() !== from.displayName.trim()}
        >
          {t`Merge accounts`}
        </Button>
      </div>
    </form>
  );
}

/** What moves, and what is lost. */
function MergeEffects({ preview }: { preview: MergePreview }) {
  const { questions, answers, replies, votes, doubleVotes, ownVotes, signInMethods, sessions } = preview;
  const { follows, bookmarks, drafts, uploads, warnings } = preview;
  return (
    <ul className={classes.effects} aria-label={t`Preview`}>
      <li>{t`Moves: ${describeActivity({ questions, answers, replies, votes })}`}</li>
      <li>
        {[
          plural(follows, { one: '# follow', other: '# follows' }),
          plural(bookmarks, { one: '# bookmark', other: '# bookmarks' }),
          plural(drafts, { one: '# draft', other: '# drafts' }),
          plural(uploads, { one: '# picture', other: '# pictures' }),
          plural(warnings, { one: '# warning', other: '# warnings' }),
        ].join(' · ')}
      </li>
      {doubleVotes > 0 && (
        <li>
          {plural(doubleVotes, {
            one: '# vote is removed, because both accounts voted on the post.',
            other: '# votes are removed, because both accounts voted on the post.',
          })}
        </li>
      )}
      {ownVotes > 0 && (
        <li>
          {plural(ownVotes, {
            one: '# vote on the other account’s post earns no reputation any more.',
            other: '# votes on each other’s posts earn no reputation any more.',
          })}
        </li>
      )}
      <li>
        {t`Removed: name, bio, picture, email address and preferences of the merged account.`}{' '}
        {plural(signInMethods, { one: '# sign-in method', other: '# sign-in methods' })},{' '}
        {plural(sessions, { one: '# session', other: '# sessions' })}
      </li>
    </ul>
  );
}
