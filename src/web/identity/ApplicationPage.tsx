import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '#web/ui/Button.tsx';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '#web/core/router.ts';
import { useEffect, useState } from 'react';
import type { OwnApplication } from '#shared/identity/applications.ts';
import { ApiError } from '#web/core/errors.ts';
import { paths } from '#web/core/paths.ts';
import { sessionQuery, useCachedSession, useSiteName } from '#web/core/session.ts';
import { signOut } from '#web/core/sign-out.ts';
import { toast, toastError } from '#web/core/toast.ts';
import { LoadError } from '#web/ui/LoadError.tsx';
import { LoadingRegion } from '#web/ui/LoadingRegion.tsx';
import { PageHeading, usePageTitle } from '#web/ui/PageHeading.tsx';
import { SkeletonLines } from '#web/ui/Skeleton.tsx';
import { toDescriptionItems } from '#shared/identity/sign-up-questions.ts';
import { DescriptionList } from '#web/ui/DescriptionList.tsx';
import { Time } from '#web/ui/Time.tsx';
import { VisitorFrame } from '#web/ui/VisitorFrame.tsx';
import { AccountForm } from './AccountForm.tsx';
import { ownApplicationQuery, useChangeSignUpAnswers } from './applications.ts';
import { DeleteAccount } from './DeleteAccount.tsx';
import { SignUpQuestionFields, useSignUpAnswers } from './SignUpQuestionFields.tsx';
import classes from './auth-pages.module.css';

/** Milliseconds between two looks at whether a moderator has decided. */
const pollMs = 5_000;

/** What someone sees whose account waits for a moderator, or was refused. */
export function ApplicationPage() {
  usePageTitle(t`Your account`);
  useLeaveWhenDecided();
  const isApplicant = useCachedSession()?.account !== undefined;
  const query = useQuery({ ...ownApplicationQuery, enabled: isApplicant });
  return (
    <VisitorFrame>
      {query.data !== undefined ? (
        <Application application={query.data} />
      ) : query.isError ? (
        <LoadError text={t`Your account could not be loaded.`} query={query} />
      ) : (
        <LoadingRegion label={t`Loading your account`} part>
          <SkeletonLines widths={['70%', '96%', '55%']} />
        </LoadingRegion>
      )}
    </VisitorFrame>
  );
}

/** Opens the community once the account is a member's, also if this happened in another tab. */
function useLeaveWhenDecided() {
  const router = useRouter();
  const client = useQueryClient();
  const session = useQuery({ ...sessionQuery, refetchInterval: pollMs, staleTime: 0 }).data;
  const status = session?.account?.status;
  const isMember = session?.member != null;
  const [wasWaiting, setWasWaiting] = useState(false);
  if (status !== undefined && !wasWaiting) setWasWaiting(true);
  useEffect(() => {
    if (status !== undefined) void client.invalidateQueries({ queryKey: ownApplicationQuery.queryKey });
  }, [status, client]);
  useEffect(() => {
    if (isMember) {
      if (wasWaiting) toast(t`Your account is approved. Welcome!`);
      void router.navigate(paths.home, { replace: true });
    } else if (session !== undefined && status === undefined)
      void router.navigate(paths.login, { replace: true });
  }, [isMember, wasWaiting, status, session, router]);
}

function Application({ application }: { application: OwnApplication }) {
  const { status, displayName, appliedAt, reason, signUpAnswers, signUpQuestions } = application;
  const client = useQueryClient();
  const siteName = useSiteName();
  const isWaiting = status === 'waiting';
  return (
    <>
      <PageHeading className={classes.heading}>
        {isWaiting ? t`Your account is waiting for approval` : t`Your account was not approved`}
      </PageHeading>
      <p className={classes.lead}>
        {isWaiting ? (
          <Trans>
            Hello <bdi>{displayName}</bdi>. A moderator of {siteName} looks at each new account. This page
            opens the community as soon as yours is approved.
          </Trans>
        ) : (
          t`The moderators have decided not to approve your account. You cannot read or post as a member.`
        )}
      </p>
      <p className={classes.note}>
        <Trans>
          Registered <Time at={appliedAt} />
        </Trans>
      </p>
      {reason !== '' && <p className={classes.notice} dir="auto">{t`Reason: ${reason}`}</p>}
      {isWaiting && signUpQuestions.length > 0 ? (
        <AnswersForm
          key={signUpQuestions.map(({ question }) => question).join('\n')}
          application={application}
        />
      ) : (
        <div className={classes.actions}>
          <DescriptionList items={toDescriptionItems(signUpAnswers)} />
        </div>
      )}
      <div className={classes.actions}>
        <Button
          variant="default"
          onClick={() => void signOut(client).catch((error: Error) => toastError(error.message))}
        >
          {t`Logout`}
        </Button>
        <Button
          variant="default"
          renderRoot={(props) => (
            <a {...props} href="/api/data-export" download>
              {props['children']}
            </a>
          )}
        >
          {t`Download my data`}
        </Button>
        <DeleteAccount application={application} />
      </div>
    </>
  );
}

/** The answers, which can be changed while the account waits. */
function AnswersForm({ application }: { application: OwnApplication }) {
  const { signUpQuestions: questions } = application;
  const client = useQueryClient();
  const form = useSignUpAnswers('application', questions, application.signUpAnswers);
  const change = useChangeSignUpAnswers();
  function save() {
    if (!form.check()) return;
    change.mutate(form.answers, {
      onSuccess: () => toast(t`Answers saved`),
      onError: (error) => {
        if (form.showErrors(error)) return;
        toastError(error.message);
        if (error instanceof ApiError && error.code === 'sign-up-questions-changed')
          void client.invalidateQueries({ queryKey: ownApplicationQuery.queryKey });
      },
    });
  }
  return (
    <AccountForm submit={t`Save answers`} busy={change.isPending} error={null} onSubmit={save}>
      <SignUpQuestionFields questions={questions} form={form} />
    </AccountForm>
  );
}
