import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '#web/ui/Button.tsx';
import { useQuery } from '@tanstack/react-query';
import { IconFingerprint } from '@tabler/icons-react';
import { useId, useState } from 'react';
import type { Passkey } from '#shared/identity/passkeys.ts';
import { canUsePasskeys, passkeyErrorMessage } from './sign-in.ts';
import { toast } from '#web/core/toast.ts';
import { LoadError } from '#web/ui/LoadError.tsx';
import { LoadingRegion } from '#web/ui/LoadingRegion.tsx';
import { Time } from '#web/ui/Time.tsx';
import { addPasskey, passkeysQuery, removePasskey } from './sign-in-settings.ts';
import { getActionErrorMessage } from '#web/core/action-error.ts';
import { ConfirmPasswordDialog } from './ConfirmPasswordDialog.tsx';
import { SettingsSkeleton } from './SettingsSection.tsx';
import account from './account-settings.module.css';
import classes from './settings-list.module.css';

/** The member's passkeys. They can be added and removed. */
export function PasskeySettings() {
  const query = useQuery(passkeysQuery);
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<Passkey | null>(null);
  if (query.isPending)
    return (
      <LoadingRegion label={t`Loading your passkeys`} part>
        <SettingsSkeleton lines={[]} />
      </LoadingRegion>
    );
  const { data } = query;
  if (data === undefined) return <LoadError text={t`Your passkeys could not be loaded.`} query={query} />;
  return (
    <div className={account.setting}>
      {data.items.length > 0 && (
        <ul className={classes.list}>
          {data.items.map((passkey) => (
            <PasskeyItem key={passkey.id} passkey={passkey} onRemove={() => setRemoving(passkey)} />
          ))}
        </ul>
      )}
      {canUsePasskeys() ? (
        <Button variant="default" onClick={() => setAdding(true)}>
          {t`Add a passkey`}
        </Button>
      ) : (
        <p className={account.note}>{t`Passkeys are not available in this browser or at this address.`}</p>
      )}
      <ConfirmPasswordDialog
        title={t`Add a passkey`}
        opened={adding}
        submitLabel={t`Continue`}
        nameLabel={t`Name, for example of the device`}
        run={(password, name) => addPasskey(name, password)}
        errorMessage={passkeyErrorMessage}
        onDone={() => {
          setAdding(false);
          toast(t`Passkey added`);
        }}
        onClose={() => setAdding(false)}
      />
      <ConfirmPasswordDialog
        title={t`Remove passkey`}
        opened={removing !== null}
        submitLabel={t`Remove`}
        text={removing?.name}
        run={(password) => removePasskey(removing?.id ?? 0, password)}
        errorMessage={getActionErrorMessage}
        onDone={() => {
          setRemoving(null);
          toast(t`Passkey removed`);
        }}
        onClose={() => setRemoving(null)}
      />
    </div>
  );
}

function PasskeyItem({ passkey, onRemove }: { passkey: Passkey; onRemove: () => void }) {
  const nameId = useId();
  return (
    <li className={classes.item}>
      <IconFingerprint size={24} stroke={1.5} aria-hidden />
      <div id={nameId} className={classes.about}>
        <div>{passkey.name}</div>
        <div className={classes.since}>
          {passkey.lastUsedAt === null ? (
            <Trans>
              added <Time at={passkey.createdAt} />, not used yet
            </Trans>
          ) : (
            <Trans>
              added <Time at={passkey.createdAt} />, last used <Time at={passkey.lastUsedAt} />
            </Trans>
          )}
        </div>
      </div>
      <Button variant="default" size="compact-md" aria-describedby={nameId} onClick={onRemove}>
        {t`Remove`}
      </Button>
    </li>
  );
}
