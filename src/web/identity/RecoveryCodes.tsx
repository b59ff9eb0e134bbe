import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { copyWithToast } from '#web/ui/copy-with-toast.ts';
import account from './account-settings.module.css';
import classes from './TwoFactorSettings.module.css';

/** The recovery codes, shown only once, to copy or download. */
export function RecoveryCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const text = `${codes.join('\n')}\n`;

  return (
    <div className={account.form}>
      <p>
        {t`Use these codes to sign in if you lose access to your authenticator app. Each code works once. Save them in a safe place: they are not shown again.`}
      </p>
      <ul className={classes.codes}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className={account.buttons}>
        <Button variant="default" data-autofocus onClick={() => void copyWithToast(text)}>
          {t`Copy`}
        </Button>
        <Button
          variant="default"
          renderRoot={({ children, ...props }) => (
            <a
              {...props}
              href={`data:text/plain;charset=utf-8,${encodeURIComponent(text)}`}
              download="parley-recovery-codes.txt"
            >
              {children}
            </a>
          )}
        >
          {t`Download`}
        </Button>
      </div>
      <div className={account.dialogButtons}>
        <Button onClick={onClose}>{t`I've saved my codes`}</Button>
      </div>
    </div>
  );
}
