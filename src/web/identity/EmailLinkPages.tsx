import { t } from '@lingui/core/macro';
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useLocation, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { UnsubscribeScope } from '#shared/notifications/preferences.ts';
import { VisitorFrame } from '#web/ui/VisitorFrame.tsx';
import { api, readJson } from '#web/core/api.ts';
import { ApiError, hasStatus, translateServerMessage } from '#web/core/errors.ts';
import { usePageTitle } from '#web/core/page-title.ts';
import { FormError } from '#web/ui/FormError.tsx';
import { PageHeading } from '#web/ui/PageHeading.tsx';
import classes from './auth-pages.module.css';
import { sessionQuery, setSession } from '#web/core/session.ts';

/** What the link 'Unsubscribe' of a mail opens. The button does it: programs that look at links end nothing. */
export function UnsubscribePage() {
  const { token } = useParams({ from: '/unsubscribe/$token' });
  const unsubscribe = useMutation({
    mutationFn: () => readJson(api.mail.unsubscribe.$post({ json: { token } })),
  });
  return (
    <EmailLinkPage
      heading={t`Unsubscribe`}
      text={
        unsubscribe.data === undefined
          ? t`One click ends these mails from Parley. What you see in the app stays.`
          : getUnsubscribedMessage(unsubscribe.data.scope)
      }
      action={t`Unsubscribe`}
      {...unsubscribe}
      onClick={() => unsubscribe.mutate()}
    >
      <Link to="/settings" hash="notifications">
        {t`Change what we mail you`}
      </Link>
    </EmailLinkPage>
  );
}

/** What the link of the mail opens that asks whether an address is the member's. */
export function ConfirmEmailPage() {
  const { token } = useParams({ from: '/confirm-mail/$token' });
  const confirm = useMutation({
    mutationFn: () => readJson(api.mail.confirmation.$post({ json: { token } })),
  });
  return (
    <EmailLinkPage
      heading={t`Confirm your address`}
      text={
        confirm.isSuccess
          ? t`Your address is confirmed. You are mailed what you have chosen.`
          : t`Was it you who asked Parley to mail you at this address?`
      }
      action={t`Confirm my address`}
      {...confirm}
      onClick={() => confirm.mutate()}
    >
      <Link to="/settings" hash="notifications">
        {t`Change what we mail you`}
      </Link>
    </EmailLinkPage>
  );
}

/** A page that a link of a mail opens, with one button. */
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
        <FormError message={error === null ? null : getErrorMessage(error)} />
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

function getErrorMessage(error: Error): string {
  return error instanceof ApiError
    ? translateServerMessage(error.message)
    : t`That did not reach the server. Please check your connection and try again.`;
}

function getUnsubscribedMessage(scope: UnsubscribeScope): string {
  switch (scope) {
    case 'answers':
      return t`You are mailed no more about answers to your questions.`;
    case 'followed':
      return t`You are mailed no more about answers to questions you follow.`;
    case 'replies':
      return t`You are mailed no more about replies and comments.`;
    case 'mentions':
      return t`You are mailed no more about mentions of you.`;
    case 'accepted':
      return t`You are mailed no more about accepted answers.`;
    case 'votes':
      return t`You are mailed no more about votes.`;
    case 'at_once':
      return t`You are mailed no more at once.`;
    case 'daily':
      return t`You get no daily digest any more.`;
    case 'weekly':
      return t`You get no weekly digest any more.`;
  }
}

/** What the link in the mail to a new address opens. */
export function NewEmailPage() {
  const token = useLocation({ select: ({ hash }) => hash });
  const client = useQueryClient();
  const confirm = useMutation({
    mutationFn: () => readJson(api.mail.address.$post({ json: { token } })),
    onSuccess: () => client.invalidateQueries({ queryKey: sessionQuery.queryKey }),
  });
  return (
    <EmailLinkPage
      heading={t`Use this address`}
      text={
        confirm.isSuccess
          ? t`This is your address now. You sign in with it.`
          : t`Was it you who wants to use this address on Parley?`
      }
      action={t`Use this address`}
      {...confirm}
      onClick={() => confirm.mutate()}
    >
      <Link to="/settings" search={{ tab: 'account' }}>{t`Settings`}</Link>
    </EmailLinkPage>
  );
}

/** What the link in the mail to the old address opens. */
export function RevertEmailPage() {
  const token = useLocation({ select: ({ hash }) => hash });
  const client = useQueryClient();
  const revert = useMutation({
    mutationFn: () => readJson(api.mail['old-address'].$post({ json: { token } })),
    onSuccess: () => setSession(client, { member: null, hasSignedOut: true }),
  });
  return (
    <EmailLinkPage
      heading={t`Take your address back`}
      text={
        revert.isSuccess
          ? t`Your address is back, and everybody is signed out. We have mailed you a link that sets a new password.`
          : t`This makes it the address of your account again, and signs the account out everywhere. The password works no more.`
      }
      action={t`Take my address back`}
      {...revert}
      onClick={() => revert.mutate()}
    >
      <Link to="/forgot-password">{t`Forgot password?`}</Link>
    </EmailLinkPage>
  );
}
