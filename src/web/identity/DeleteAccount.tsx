import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { useState, type FormEvent } from 'react';
import type { PostsAfterDeletion } from '#shared/identity/accounts.ts';
import type { OwnApplication } from '#shared/identity/applications.ts';
import { OwnPasswordField } from './OwnPasswordField.tsx';
import { formatDateTime } from '#web/core/format.ts';
import { useMember } from '#web/core/session.ts';
import { toast } from '#web/core/toast.ts';
import fields from '#web/ui/fields.module.css';
import { Dialog } from '#web/ui/Dialog.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { useFields } from '#web/ui/useFields.ts';
import { useDeleteAccount, useHasPassword } from './settings.ts';
import { toFormProblem } from './ChangeEmailDialog.tsx';
import classes from './account-settings.module.css';

/**
 * Deletes the account: asks what happens to the posts, and for the password.
 * @param application of an account that is not a member's yet, and so has no posts
 */
export function DeleteAccount({ application }: DeleteAccountProps) {
  const [opened, setOpened] = useState(false);
  return (
    <div className={classes.setting}>
      <Button color="red" variant="outline" onClick={() => setOpened(true)}>
        {t`Delete my account`}
      </Button>
      <Dialog
        title={t`Permanently delete your account?`}
        opened={opened}
        onClose={() => setOpened(false)}
        closeButton={false}
      >
        <DeleteAccountForm application={application} onClose={() => setOpened(false)} />
      </Dialog>
    </div>
  );
}

type DeleteAccountProps = { application?: OwnApplication | undefined };

const choices = () =>
  [
    {
      posts: 'keep',
      label: t`Keep my posts`,
      text: t`Your questions, answers and replies stay, under the name “Former member”.`,
    },
    {
      posts: 'delete',
      label: t`Delete my posts`,
      text: t`Answers from other members to your questions are deleted too. This takes a few minutes.`,
    },
  ] as const;

function DeleteAccountForm({ application, onClose }: DeleteAccountProps & { onClose: () => void }) {
  const isApplicant = application !== undefined;
  const [posts, setPosts] = useState<PostsAfterDeletion>('keep');
  const { texts, field, showProblem, formError } = useFields(useState({ password: '' }));
  const hasPassword = useHasPassword(application?.hasPassword);
  const deletion = useDeleteAccount({ onDeleted: () => toast(t`Your account has been deleted.`) });

  function submit(event: FormEvent) {
    event.preventDefault();
    if (deletion.isPending) return;
    showProblem(null);
    deletion.mutate(
      { ...texts, posts },
      {
        onError: (error) => {
          const problem = toFormProblem(error);
          showProblem({ ...problem, field: problem.field === 'password' ? 'password' : null });
        },
      },
    );
  }

  return (
    <form className={classes.form} noValidate onSubmit={submit}>
      <p>
        {isApplicant
          ? t`Your name, email address and answers are deleted. This cannot be undone.`
          : t`You are signed out everywhere. Your name, email address, drafts, bookmarks, follows and settings are deleted. Your votes still count, anonymously. This cannot be undone.`}
      </p>
      <p>{t`The network address that you registered from is deleted 30 days after your registration.`}</p>
      <BlockedEmailNotice application={application} />
      {!isApplicant && (
        <fieldset className={classes.choices}>
          <legend>{t`What should happen to your posts?`}</legend>
          {choices().map((choice) => (
            <label key={choice.posts} className={classes.choice}>
              <input
                type="radio"
                className={fields.checkbox}
                name="posts"
                checked={posts === choice.posts}
                onChange={() => setPosts(choice.posts)}
              />
              <span>
                {choice.label}
                <span className={classes.note}>{choice.text}</span>
              </span>
            </label>
          ))}
        </fieldset>
      )}
      <OwnPasswordField hasPassword={hasPassword} {...field('password')} />
      <FormError message={formError} />
      <div className={classes.dialogButtons}>
        <Button variant="default" data-autofocus onClick={onClose}>
          {t`Cancel`}
        </Button>
        <Button type="submit" color="red" loading={deletion.isPending || hasPassword === undefined}>
          {t`Delete`}
        </Button>
      </div>
    </form>
  );
}

/** Says that a suspended member or a refused applicant cannot return with the same address. */
function BlockedEmailNotice({ application }: DeleteAccountProps) {
  const until = useMember()?.suspended?.until;
  if (application?.status === 'refused')
    return (
      <p>{t`Your account was refused, so a hash of your email address is stored for a year. Until then, no account can have this address.`}</p>
    );
  if (until === undefined) return null;
  return (
    <p>{t`Your account is suspended, so a hash of your email address is stored until ${formatDateTime(until)}. Until then, no account can have this address.`}</p>
  );
}
