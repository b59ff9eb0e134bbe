import { t } from '@lingui/core/macro';
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { UnsubscribeScope } from '#shared/notification-settings.ts';
import { VisitorFrame } from '#web/layout/VisitorFrame.tsx';
import { api, readJson } from '#web/platform/api.ts';
import { ApiError, hasStatus } from '#web/platform/errors.ts';
import { translateServerMessage } from '#web/platform/said.ts';
import { usePageTitle } from '#web/platform/title.ts';
import { FormError } from '#web/ui/FormError.tsx';
import { PageHeading } from '#web/ui/PageHeading.tsx';
import classes from './account.module.css';

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
