import { t } from '@lingui/core/macro';
import { IconButton, Button } from '#web/ui/Button.tsx';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import type { SignInProvider } from '#shared/admin/sign-in-providers.ts';
import { IssuerCheck } from './IssuerCheck.tsx';
import classes from './admin.module.css';

/** A provider with what an admin can do with it. That of the environment can only be checked. */
export function SignInProviderCard({
  provider,
  place,
  isBusy,
  onEdit,
  onEnable,
  onDisable,
  onDelete,
  onMove,
}: {
  provider: SignInProvider;
  place: { isFirst: boolean; isLast: boolean };
  isBusy: boolean;
  onEdit: () => void;
  onEnable: () => void;
  onDisable: () => void;
  onDelete: () => void;
  onMove: (by: -1 | 1) => void;
}) {
  const { name, issuer, clientId, enabled, isFromEnvironment, hasReadableSecret } = provider;
  return (
    <>
      <div className={classes.cardHead}>
        <bdi className={classes.strong}>{name}</bdi>
        <span className={enabled && hasReadableSecret ? classes.active : classes.state}>
          {enabled ? t`Enabled` : t`Disabled`}
        </span>
        {!hasReadableSecret && <strong className={classes.wrong}>{t`Enter the secret again`}</strong>}
      </div>
      <p className={classes.facts}>
        <span dir="ltr">{issuer}</span>
        <span>
          {t`Client ID`}: <bdi>{clientId}</bdi>
        </span>
      </p>
      {isFromEnvironment && (
        <p className={classes.description}>
          {t`The operator has configured this provider on the server (OIDC_ISSUER). It is always on.`}
        </p>
      )}
      {!hasReadableSecret && (
        <p className={classes.description}>
          {t`SECRET of the server has changed, so nobody can sign in with this provider until you edit it and enter its client secret again.`}
        </p>
      )}
      <div className={classes.buttons}>
        {!isFromEnvironment && (
          <>
            <Button size="xs" variant="default" aria-label={t`Edit: ${name}`} onClick={onEdit}>
              {t`Edit`}
            </Button>
            {enabled ? (
              <Button size="xs" variant="default" aria-label={t`Switch off: ${name}`} onClick={onDisable}>
                {t`Switch off`}
              </Button>
            ) : (
              <Button
                size="xs"
                variant="default"
                aria-label={t`Switch on: ${name}`}
                disabled={isBusy}
                onClick={onEnable}
              >
                {t`Switch on`}
              </Button>
            )}
            <Button
              size="xs"
              variant="default"
              color="red"
              aria-label={t`Delete: ${name}`}
              onClick={onDelete}
            >
              {t`Delete`}
            </Button>
            {!place.isFirst && (
              <IconButton
                variant="default"
                size={30}
                aria-label={t`Move up: ${name}`}
                disabled={isBusy}
                onClick={() => onMove(-1)}
              >
                <IconArrowUp size={18} stroke={1.6} aria-hidden />
              </IconButton>
            )}
            {!place.isLast && (
              <IconButton
                variant="default"
                size={30}
                aria-label={t`Move down: ${name}`}
                disabled={isBusy}
                onClick={() => onMove(1)}
              >
                <IconArrowDown size={18} stroke={1.6} aria-hidden />
              </IconButton>
            )}
          </>
        )}
        <IssuerCheck issuer={issuer} name={name} />
      </div>
    </>
  );
}
