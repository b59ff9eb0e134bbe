import { t } from '@lingui/core/macro';
import { Button } from '@mantine/core';
import type { EmailStatus } from '#shared/notifications/preferences.ts';
import { ApiError, translateServerMessage } from '#web/core/errors.ts';
import { useMember } from '#web/core/session.ts';
import { toast, toastError } from '#web/core/toast.ts';
import { useSendConfirmationEmail } from './notification-preferences.ts';
import classes from './NotificationPreferences.module.css';

/** Where mails go, or why none come. */
export function EmailStatusNote({ state, isWanted }: { state: EmailStatus; isWanted: boolean }) {
  const email = useMember()?.email ?? '';
  const resend = useSendConfirmationEmail();
  if (state === 'unavailable') return <p>{t`There are no mails: this Parley has no mail server.`}</p>;
  if (!isWanted) return <p>{t`Mails would go to ${email}, at most one every ten minutes.`}</p>;
  if (state === 'confirmed')
    return <p>{t`Mails go to ${email}. Digests come at 8 in the morning, weekly ones on Mondays.`}</p>;
  return (
    <div className={classes.note}>
      <output>{t`Mails wait until you open the link that we have sent to ${email}, so that nobody is mailed against their will.`}</output>
      <Button
        variant="default"
        loading={resend.isPending}
        onClick={() =>
          resend.mutate(undefined, {
            onSuccess: () => toast(t`The mail is on its way to ${email}.`),
            onError: (error) =>
              toastError(
                error instanceof ApiError
                  ? translateServerMessage(error.message)
                  : t`The mail could not be sent. Please try again.`,
              ),
          })
        }
      >
        {t`Send the link again`}
      </Button>
    </div>
  );
}
