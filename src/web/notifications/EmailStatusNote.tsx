import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '#web/ui/Button.tsx';
import type { EmailStatus } from '#shared/notifications/preferences.ts';
import { ApiError } from '#web/core/errors.ts';
import { paths } from '#web/core/paths.ts';
import { useMember } from '#web/core/session.ts';
import { toast, toastError } from '#web/core/toast.ts';
import { Link } from '#web/ui/Link.tsx';
import { useSendConfirmationEmail } from './notification-preferences.ts';
import classes from './NotificationPreferences.module.css';

/** Says where emails are sent, or why none are. */
export function EmailStatusNote({ state, isWanted }: { state: EmailStatus; isWanted: boolean }) {
  const email = useMember()?.email ?? '';
  const resend = useSendConfirmationEmail();
  if (state === 'unavailable') return <p>{t`Email isn't set up on this site.`}</p>;
  if (state === 'off')
    return (
      <p>
        <Trans>
          Emails to {email} are off, because they came back.{' '}
          <Link href={paths.accountSettings}>Account settings</Link>
        </Trans>
      </p>
    );
  if (!isWanted) return <p>{t`Emails will go to ${email}, at most one every 10 minutes.`}</p>;
  if (state === 'confirmed')
    return (
      <p>{t`Emails go to ${email}. Digests are sent at 8:00 in the morning, weekly digests on Mondays.`}</p>
    );
  return (
    <div className={classes.note}>
      <output>{t`To get emails, confirm your address: open the link we sent to ${email}.`}</output>
      <Button
        variant="default"
        loading={resend.isPending}
        onClick={() =>
          resend.mutate(undefined, {
            onSuccess: () => toast(t`Email sent to ${email}.`),
            onError: (error) =>
              toastError(
                error instanceof ApiError ? error.message : t`The email could not be sent. Please try again.`,
              ),
          })
        }
      >
        {t`Resend link`}
      </Button>
    </div>
  );
}
