import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { TextInput } from '#web/ui/mantine/TextInput.tsx';
import { Textarea } from '#web/ui/mantine/Textarea.tsx';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { limits } from '#shared/core/limits.ts';
import { type ServiceAccount, serviceAccountLimits } from '#shared/integrations/service-accounts.ts';
import { toast } from '#web/core/toast.ts';
import { FormError } from '#web/ui/FormError.tsx';
import { useMutationForm } from '#web/ui/useMutationForm.ts';
import { addServiceAccount, changeServiceAccount } from './service-accounts.ts';
import classes from './admin.module.css';

/** Creates a service account, or changes one. */
export function ServiceAccountForm({
  account,
  onClose,
}: {
  account: ServiceAccount | null;
  onClose: () => void;
}) {
  const client = useQueryClient();
  const { requestsPerMinute, postsPerHour } = serviceAccountLimits;
  const [displayName, setDisplayName] = useState(account?.displayName ?? '');
  const [bio, setBio] = useState(account?.bio ?? '');
  const [requests, setRequests] = useState(String(account?.requestsPerMinute ?? requestsPerMinute.default));
  const [posts, setPosts] = useState(String(account?.postsPerHour ?? postsPerHour.default));
  const save = useMutation({
    mutationFn: async () => {
      const draft = {
        displayName,
        bio,
        requestsPerMinute: toNumber(requests),
        postsPerHour: toNumber(posts),
      };
      if (account === null) await addServiceAccount(client, draft);
      else await changeServiceAccount(client, account.id, draft);
    },
    onSuccess: () => {
      toast(t`Saved to the moderation log`);
      onClose();
    },
  });
  const { form, errorOf, formError } = useMutationForm(save, [
    'displayName',
    'bio',
    'requestsPerMinute',
    'postsPerHour',
  ]);
  const firstField = useRef<HTMLInputElement>(null);
  useEffect(() => firstField.current?.focus(), []);

  return (
    <form {...form} className={classes.form}>
      <TextInput
        ref={firstField}
        label={t`Name of the service account`}
        description={t`Posts of the program show this name.`}
        autoComplete="off"
        maxLength={limits.displayNameMax * 2}
        value={displayName}
        error={errorOf('displayName')}
        onChange={(event) => setDisplayName(event.currentTarget.value)}
      />
      <Textarea
        label={t`What the program does`}
        description={t`Shown on its profile`}
        rows={2}
        maxLength={limits.bio * 2}
        value={bio}
        error={errorOf('bio')}
        onChange={(event) => setBio(event.currentTarget.value)}
      />
      <div className={classes.pair}>
        <TextInput
          label={t`Requests per minute`}
          inputMode="numeric"
          value={requests}
          error={errorOf('requestsPerMinute')}
          onChange={(event) => setRequests(event.currentTarget.value)}
        />
        <TextInput
          label={t`Posts per hour`}
          inputMode="numeric"
          value={posts}
          error={errorOf('postsPerHour')}
          onChange={(event) => setPosts(event.currentTarget.value)}
        />
      </div>
      <FormError message={formError} />
      <div className={classes.buttons}>
        <Button type="submit" loading={save.isPending}>
          {account === null ? t`Create service account` : t`Save`}
        </Button>
        <Button variant="default" onClick={onClose}>
          {t`Cancel`}
        </Button>
      </div>
    </form>
  );
}

/** The server refuses NaN, which JSON has as null, at the field. */
const toNumber = (text: string) => (text.trim() === '' ? Number.NaN : Number(text));
