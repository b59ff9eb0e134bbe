import { t } from '@lingui/core/macro';
import { Button } from '@mantine/core';
import { ApiError, translateServerMessage } from '#web/core/errors.ts';
import { FormError } from '#web/ui/FormError.tsx';
import { useDisablePush, useEnablePush } from './notification-preferences.ts';
import { PushError, type PushFailure } from './web-push.ts';
import classes from './NotificationPreferences.module.css';

/** Whether this browser is pushed to. It asks for leave on a click, and never otherwise. */
export function PushSettings({ pushKey, isOn }: { pushKey: string | null; isOn: boolean }) {
  const start = useEnablePush();
  const stop = useDisablePush();
  if (pushKey === null) return null;
  const error = start.error ?? stop.error;
  return (
    <div className={classes.note}>
      <p>
        {isOn
          ? t`This browser is told at once, also when no page of Parley is open. Signing out ends it.`
          : t`Push tells this browser at once, also when no page of Parley is open.`}
      </p>
      <FormError message={error === null ? null : errorMessage(error)} />
      {isOn ? (
        <Button variant="default" loading={stop.isPending} onClick={() => stop.mutate()}>
          {t`Stop push in this browser`}
        </Button>
      ) : (
        <Button variant="default" loading={start.isPending} onClick={() => start.mutate(pushKey)}>
          {t`Switch on push in this browser`}
        </Button>
      )}
    </div>
  );
}

function errorMessage(error: Error): string {
  if (error instanceof PushError) return pushFailureMessage(error.failure);
  if (error instanceof ApiError) return translateServerMessage(error.message);
  return t`That did not reach the server. Please check your connection and try again.`;
}

function pushFailureMessage(obstacle: PushFailure): string {
  switch (obstacle) {
    case 'unsupported':
      return t`This browser has no push here. Some have it only over https, or once Parley is installed as an app.`;
    case 'denied':
      return t`This browser does not allow notifications from Parley. You can change that in the browser’s settings for this site.`;
    case 'failed':
      return t`This browser could not reach its push service. Please try again later.`;
  }
}
