import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocation, useParam } from '#web/core/router.ts';
import { Link } from '#web/ui/Link.tsx';
import type { ReactNode } from 'react';
import type { UnsubscribeScope } from '#shared/notifications/preferences.ts';
import { VisitorFrame } from '#web/ui/VisitorFrame.tsx';
import { getActionErrorMessage } from '#web/core/action-error.ts';
import { api, readJson } from '#web/core/api.ts';
import { hasStatus } from '#web/core/errors.ts';
import { FormError } from '#web/ui/FormError.tsx';
import { PageHeading, usePageTitle } from '#web/ui/PageHeading.tsx';
import classes from './auth-pages.module.css';
import { signInMethodsQuery } from './sign-in.ts';
import { sessionQuery, setSession, useSiteName } from '#web/core/session.ts';
import { paths } from '#web/core/paths.ts';

/** The target of the 'Unsubscribe' link in emails. It needs a button press, because mail scanners open links. */
export function UnsubscribePage() {
  const token = useParam('token');
  const unsubscribe = useMutation({
    mutationFn: () => readJson(api.email.unsubscribe.$post({ json: { token } })),
  });
  return (
    <EmailLinkPage
      heading={t`Unsubscribe`}
      text={
        unsubscribe.data === undefined
          ? t`Unsubscribe from these emails. You will still get notifications in the app.`
          : getUnsubscribedMessage(unsubscribe.data.scope)
      }
      action={t`Unsubscribe`}
      {...unsubscribe}
      onClick={() => unsubscribe.mutate()}
    >
      <Link href="/settings#notifications">{t`Change email preferences`}</Link>
    </EmailLinkPage>
  );
}

/** The target of the link that confirms an email address. */
export function ConfirmEmailPage() {
  const siteName = useSiteName();
  const token = useParam('token');
  const confirm = useMutation({
    mutationFn: () => readJson(api.email.confirmation.$post({ json: { token } })),
  });
  return (
    <EmailLinkPage
      heading={t`Confirm your email address`}
      text={
        confirm.isSuccess
          ? t`Your email address is confirmed. You will receive the emails you chose.`
          : t`Do you want to receive emails from ${siteName} at this address?`
      }
      action={t`Confirm email address`}
      {...confirm}
      onClick={() => confirm.mutate()}
    >
      {confirm.isSuccess && (
        <>
          <Link href="/">{t`Go to Home`}</Link>
          {' · '}
        </>
      )}
      <Link href="/settings#notifications">{t`Change email preferences`}</Link>
    </EmailLinkPage>
  );
}

/** A page for a link in an email, with one button. */
export function EmailLinkPage(props: {
  heading: string;
  text: string;
  action: string;
  isPending: boolean;
  isSuccess: boolean;
  error: Error | null;
  onClick: () => void;
  children: ReactNode;
}) {
  const { heading, text, action, isPending, isSuccess, error, onClick, children } = props;
  usePageTitle(heading);
  // Another try would be refused as well.
  const isExpired = hasStatus(error, 410);
  return (
    <VisitorFrame>
      <PageHeading className={classes.heading}>{heading}</PageHeading>
      {!isExpired && (
        <p className={classes.lead}>
          <output>{text}</output>
        </p>
      )}
      <div className={classes.actions}>
        <FormError message={error === null ? null : getActionErrorMessage(error)} />
        {!isSuccess && !isExpired && (
          <Button size="md" loading={isPending} onClick={onClick}>
            {action}
          </Button>
        )}
      </div>
      <p className={classes.other}>{children}</p>
    </VisitorFrame>
  );
}

function getUnsubscribedMessage(scope: UnsubscribeScope): string {
  switch (scope) {
    case 'answers':
      return t`You've unsubscribed from emails about answers to your questions.`;
    case 'followed':
      return t`You've unsubscribed from emails about answers to questions you follow.`;
    case 'replies':
      return t`You've unsubscribed from emails about replies and comments.`;
    case 'mentions':
      return t`You've unsubscribed from mention emails.`;
    case 'accepted':
      return t`You've unsubscribed from emails about accepted answers.`;
    case 'votes':
      return t`You've unsubscribed from vote emails.`;
    case 'edits':
      return t`You've unsubscribed from emails about edits to posts.`;
    case 'moderation':
      return t`You've unsubscribed from emails about the review queue.`;
    case 'instant':
      return t`You've unsubscribed from instant emails.`;
    case 'daily':
      return t`You've unsubscribed from the daily digest.`;
    case 'weekly':
      return t`You've unsubscribed from the weekly digest.`;
  }
}

/** The target of the link in the email to a new address. */
export function NewEmailPage() {
  const siteName = useSiteName();
  const token = useLocation().hash;
  const client = useQueryClient();
  const confirm = useMutation({
    mutationFn: () => readJson(api.email.change.$post({ json: { token } })),
    onSuccess: () => client.invalidateQueries({ queryKey: sessionQuery.queryKey }),
  });
  return (
    <EmailLinkPage
      heading={t`Use this address`}
      text={
        confirm.isSuccess
          ? t`This is now your email address. Use it to sign in.`
          : t`Do you want to use this address for your account on ${siteName}?`
      }
      action={t`Use this address`}
      {...confirm}
      onClick={() => confirm.mutate()}
    >
      <Link href={paths.accountSettings}>{t`Settings`}</Link>
    </EmailLinkPage>
  );
}

/** The target of the link in the email to the old address. */
export function RevertEmailPage() {
  const { passwordSignIn: hasPasswords = true } = useQuery(signInMethodsQuery).data ?? {};
  const token = useLocation().hash;
  const client = useQueryClient();
  const revert = useMutation({
    mutationFn: () => readJson(api.email.revert.$post({ json: { token } })),
    onSuccess: () => setSession(client, { member: null, hasSignedOut: true }),
  });
  return (
    <EmailLinkPage
      heading={t`Restore your email address`}
      text={
        revert.isSuccess
          ? hasPasswords
            ? t`Your email address is restored and all sessions are signed out. We've emailed you a link to set a new password.`
            : t`Your email address is restored and all sessions are signed out.`
          : t`This restores your previous email address, signs out all sessions and disables the current password.`
      }
      action={t`Restore my email address`}
      {...revert}
      onClick={() => revert.mutate()}
    >
      {hasPasswords ? (
        <Link href={paths.forgotPassword}>{t`Forgot password?`}</Link>
      ) : (
        <Link href={paths.login}>{t`Sign in`}</Link>
      )}
    </EmailLinkPage>
  );
}
