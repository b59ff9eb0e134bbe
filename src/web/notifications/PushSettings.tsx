import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { getActionErrorMessage } from '#web/core/action-error.ts';
import { useSiteName } from '#web/core/session.ts';
import { FormError } from '#web/ui/FormError.tsx';
import { useDisablePush, useEnablePush } from './notification-preferences.ts';
import { PushError, type PushFailure } from './web-push.ts';
import classes from './NotificationPreferences.module.css';

/** Turns web push on or off for this browser. Permission is requested only on a click. */
export function PushSettings({ pushKey, isOn }: { pushKey: string | null; isOn: boolean }) {
  const siteName = useSiteName();
  const start = useEnablePush();
  const stop = useDisablePush();
  if (pushKey === null) return null;
  const error = start.error ?? stop.error;
  return (
    <div className={classes.note}>
      <p>
        {isOn
          ? t`Push is on in this browser, even when ${siteName} is closed. Signing out turns it off.`
          : t`Push is off in this browser. Turn it on to be notified even when ${siteName} is closed.`}
      </p>
      <FormError message={error === null ? null : errorMessage(error, siteName)} />
      {isOn ? (
        <Button variant="default" loading={stop.isPending} onClick={() => stop.mutate()}>
          {t`Turn off push in this browser`}
        </Button>
      ) : (
        <Button variant="default" loading={start.isPending} onClick={() => start.mutate(pushKey)}>
          {t`Turn on push in this browser`}
        </Button>
      )}
    </div>
  );
}

function errorMessage(error: Error, siteName: string): string {
  if (error instanceof PushError) return pushFailureMessage(error.failure, siteName);
  return getActionErrorMessage(error);
}

function pushFailureMessage(obstacle: PushFailure, siteName: string): string {
  switch (obstacle) {
    case 'unsupported':
      return t`Push is not available in this browser. Some browsers need HTTPS, or ${siteName} installed as an app.`;
    case 'denied':
      return t`This browser does not allow notifications from ${siteName}. You can change that in the browser’s settings for this site.`;
    case 'failed':
      return t`This browser could not reach its push service. Please try again later.`;
  }
}
