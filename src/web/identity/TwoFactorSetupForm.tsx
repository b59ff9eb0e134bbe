import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { TextInput } from '#web/ui/mantine/TextInput.tsx';
import { useRef, useState, type FormEvent } from 'react';
import { encode } from 'uqr';
import type { TwoFactorSetup } from '#shared/identity/two-factor.ts';
import { useEnableTwoFactor } from './sign-in-settings.ts';
import { getActionErrorMessage } from '#web/core/action-error.ts';
import account from './account-settings.module.css';
import classes from './TwoFactorSettings.module.css';

/** Shows the key for an authenticator app and asks for the first code. */
export function TwoFactorSetupForm(props: { setup: TwoFactorSetup; onDone: (codes: string[]) => void }) {
  const { setup, onDone } = props;
  const [code, setCode] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const enable = useEnableTwoFactor(onDone);

  function submit(event: FormEvent) {
    event.preventDefault();
    if (enable.isPending) return;
    enable.mutate({ setup: setup.setup, code }, { onError: () => field.current?.focus() });
  }

  return (
    <form className={account.form} noValidate onSubmit={submit}>
      <p>{t`Scan this with an authenticator app, or enter the key there. Your other devices will be signed out.`}</p>
      <QrCode text={setup.uri} />
      <p>
        {t`Key:`} <code className={classes.key}>{setup.key.match(/.{1,4}/gu)?.join(' ')}</code>
      </p>
      <TextInput
        ref={field}
        label={t`Authenticator code`}
        autoComplete="one-time-code"
        inputMode="numeric"
        data-autofocus
        value={code}
        error={enable.error === null ? null : getActionErrorMessage(enable.error)}
        onChange={(event) => setCode(event.currentTarget.value)}
      />
      <div className={account.dialogButtons}>
        <Button type="submit" loading={enable.isPending}>
          {t`Turn on`}
        </Button>
      </div>
    </form>
  );
}

/** Dark on light in every theme: many cameras cannot read the inverse. */
function QrCode({ text }: { text: string }) {
  const { data, size } = encode(text, { border: 2 });
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x},${y}h1v1h-1z`] : [])));
  return (
    <figure className={classes.qr} aria-label={t`QR code for the key`}>
      <svg viewBox={`0 0 ${size} ${size}`} shapeRendering="crispEdges" aria-hidden>
        <path d={dark.join('')} />
      </svg>
    </figure>
  );
}
