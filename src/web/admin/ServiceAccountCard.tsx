import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '#web/ui/Button.tsx';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type ServiceAccount, serviceAccountScope } from '#shared/integrations/service-accounts.ts';
import { profilePath } from '#web/core/paths.ts';
import { toast, toastError } from '#web/core/toast.ts';
import { ApiTokenList, CreateApiToken } from '#web/identity/index.ts';
import { formatCount } from '#web/core/format.ts';
import { formatCountOf } from '#web/ui/Count.tsx';
import { ConfirmDialog } from '#web/ui/Dialog.tsx';
import { Link } from '#web/ui/Link.tsx';
import { Time } from '#web/ui/Time.tsx';
import {
  createServiceAccountToken,
  revokeServiceAccountToken,
  setServiceAccountActive,
} from './service-accounts.ts';
import classes from './admin.module.css';

/** A service account with its limits and tokens, and what an admin can do with it. */
export function ServiceAccountCard({
  account,
  tokensEnabled,
  onEdit,
  onDelete,
}: {
  account: ServiceAccount;
  tokensEnabled: boolean;
  onEdit: () => void;
  onDelete: () => void;
}) {
  const { id, displayName: name, active, tokens } = account;
  const client = useQueryClient();
  const [creating, setCreating] = useState(false);
  const [deactivating, setDeactivating] = useState(false);
  const setActive = useMutation({
    mutationFn: (wanted: boolean) => setServiceAccountActive(client, id, wanted),
    onSuccess: () => toast(t`Saved to the moderation log`),
    onError: (error) => toastError(error.message),
    onSettled: () => setDeactivating(false),
  });
  const button = (label: string, text: string, onClick: () => void, isBusy = false) => (
    <Button size="xs" variant="default" aria-label={label} loading={isBusy} onClick={onClick}>
      {text}
    </Button>
  );
  return (
    <>
      <div className={classes.cardHead}>
        <Link href={profilePath(id)} className={classes.strong} dir="auto">
          {name}
        </Link>
        <span className={active ? classes.active : classes.state}>{active ? t`Active` : t`Deactivated`}</span>
      </div>
      <p className={classes.facts}>
        <span>
          {plural(account.requestsPerMinute, { one: '# request per minute', other: '# requests per minute' })}
        </span>
        <span>{plural(account.postsPerHour, { one: '# post per hour', other: '# posts per hour' })}</span>
        <span>{formatCountOf('question', account.questionsCount, formatCount(account.questionsCount))}</span>
        <span>{formatCountOf('answer', account.answersCount, formatCount(account.answersCount))}</span>
        <span>
          <Trans>
            Created <Time at={account.createdAt} />
          </Trans>
        </span>
      </p>
      {tokens.length === 0 && <p className={classes.facts}>{t`No API tokens`}</p>}
      <ApiTokenList tokens={tokens} revoke={(tokenId) => revokeServiceAccountToken(client, id, tokenId)} />
      <div className={classes.buttons}>
        {tokensEnabled && button(t`Create a token: ${name}`, t`Create a token`, () => setCreating(true))}
        {button(t`Edit: ${name}`, t`Edit`, onEdit)}
        {active
          ? button(t`Deactivate: ${name}`, t`Deactivate`, () => setDeactivating(true))
          : button(t`Activate: ${name}`, t`Activate`, () => setActive.mutate(true), setActive.isPending)}
        <Button size="xs" variant="default" color="red" aria-label={t`Delete: ${name}`} onClick={onDelete}>
          {t`Delete`}
        </Button>
      </div>
      <CreateApiToken
        opened={creating}
        scopes={serviceAccountScope.options}
        create={(draft) => createServiceAccountToken(client, id, draft)}
        onClose={() => setCreating(false)}
      />
      <ConfirmDialog
        title={t`Deactivate service account`}
        opened={deactivating}
        text={t`Programs that use “${name}” are refused until it is activated again. Its posts and tokens stay.`}
        label={t`Deactivate`}
        isHarmless
        busy={setActive.isPending}
        onConfirm={() => setActive.mutate(false)}
        onCancel={() => setDeactivating(false)}
      />
    </>
  );
}
