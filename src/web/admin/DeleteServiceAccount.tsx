import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { PostsAfterDeletion } from '#shared/identity/accounts.ts';
import type { ServiceAccount } from '#shared/integrations/service-accounts.ts';
import { toast } from '#web/core/toast.ts';
import { OwnPasswordField, useHasPassword } from '#web/identity/index.ts';
import { FormError } from '#web/ui/FormError.tsx';
import { useMutationForm } from '#web/ui/useMutationForm.ts';
import fields from '#web/ui/fields.module.css';
import { deleteServiceAccount } from './service-accounts.ts';
import classes from './admin.module.css';

/** Asks what happens to the posts of a service account, and for the password of the admin. */
export function DeleteServiceAccount({ account, onClose }: { account: ServiceAccount; onClose: () => void }) {
  const client = useQueryClient();
  const [posts, setPosts] = useState<PostsAfterDeletion>('keep');
  const [password, setPassword] = useState('');
  const hasPassword = useHasPassword();
  const remove = useMutation({
    mutationFn: () =>
      deleteServiceAccount(client, account.id, { posts, ...(password !== '' && { password }) }),
    onSuccess: () => {
      toast(t`Saved to the moderation log`);
      onClose();
    },
  });
  const { form, errorOf, formError } = useMutationForm(remove, ['password']);

  const choice = (value: PostsAfterDeletion, label: string) => (
    <label className={classes.choice}>
      <input
        type="radio"
        className={fields.checkbox}
        name="posts"
        checked={posts === value}
        onChange={() => setPosts(value)}
      />
      {label}
    </label>
  );
  return (
    <form {...form} className={classes.form}>
      <p className={classes.intro}>
        {t`“${account.displayName}” and its API tokens are deleted. This cannot be undone.`}
      </p>
      <fieldset className={classes.picture}>
        <legend>{t`What should happen to its posts?`}</legend>
        {choice('keep', t`Keep them, under the name “Former member”`)}
        {choice('delete', t`Delete them, with the answers of members to its questions`)}
      </fieldset>
      <OwnPasswordField
        value={password}
        error={errorOf('password')}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
      <FormError message={formError} />
      <div className={classes.buttons}>
        <Button variant="default" data-autofocus onClick={onClose}>
          {t`Cancel`}
        </Button>
        <Button type="submit" color="red" loading={remove.isPending || hasPassword === undefined}>
          {t`Delete`}
        </Button>
      </div>
    </form>
  );
}
