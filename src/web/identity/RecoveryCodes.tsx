import { t } from '@lingui/core/macro';
import { Button } from '@mantine/core';
import { toast, toastError } from '#web/core/toast.ts';
import { copyText } from '#web/ui/copy-text.ts';
import account from './account-settings.module.css';
import classes from './TwoFactorSettings.module.css';

/** Shown this once, to be copied or kept as a file. */
export function RecoveryCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const text = `${codes.join('\n')}\n`;

  async function copy() {
    if (await copyText(text)) toast(t`Copied.`);
    else toastError(t`The codes could not be copied.`);
  }

  return (
    <div className={account.form}>
      <p>
        {t`Each signs you in once when you have lost your app. Keep them where only you find them: they are not shown again.`}
      </p>
      <ul className={classes.codes}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className={account.buttons}>
        <Button variant="default" data-autofocus onClick={() => void copy()}>
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
        <Button onClick={onClose}>{t`I have kept them`}</Button>
      </div>
    </div>
  );
}
