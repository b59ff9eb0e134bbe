import { t } from '@lingui/core/macro';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Me } from '#shared/accounts.ts';
import { DraftList } from '#web/drafts/DraftList.tsx';
import { draftsQuery } from '#web/drafts/drafts.ts';
import { ApiError } from '#web/platform/errors.ts';
import { paths } from '#web/platform/paths.ts';
import { said } from '#web/platform/said.ts';
import { useMember } from '#web/platform/session.ts';
import { usePageTitle } from '#web/platform/title.ts';
import { ButtonLink } from '#web/ui/ButtonLink.tsx';
import { Empty } from '#web/ui/Empty.tsx';
import { Message } from '#web/ui/Message.tsx';
import { PageHeading } from '#web/ui/PageHeading.tsx';
import { Pending } from '#web/ui/Pending.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import classes from './page.module.css';

export function DraftsPage() {
  usePageTitle(t`Drafts`);
  const member = useMember();
  // Signed out: the layout is about to leave.
  return member === null ? null : <MemberDrafts member={member} />;
}

function MemberDrafts({ member }: { member: Me }) {
  const { data: drafts, error, isPending, refetch } = useQuery(draftsQuery(member.id));
  if (drafts === undefined && !isPending)
    return (
      <Message
        heading={t`The drafts could not be loaded`}
        text={error instanceof ApiError ? said(error.message) : t`Something went wrong.`}
      >
        <Button variant="default" onClick={() => void refetch()}>
          {t`Try again`}
        </Button>
      </Message>
    );
  return (
    <>
      <PageHeading className={classes.heading}>{t`Drafts`}</PageHeading>
      <p className={classes.lead}>{t`What you begin to write is kept here until you post it.`}</p>
      {drafts === undefined ? (
        <Pending label={t`Loading your drafts`}>
          <Skeleton width="60%" />
          <Skeleton width="45%" />
        </Pending>
      ) : (
        <DraftList drafts={drafts} memberId={member.id} />
      )}
      {drafts?.length === 0 && <NoDrafts />}
    </>
  );
}

function NoDrafts() {
  return (
    <Empty
      title={t`No drafts`}
      text={t`Close a form half-way, or lose your connection: the text waits here, on all your devices.`}
    >
      <ButtonLink href={paths.ask}>{t`Ask a question`}</ButtonLink>
    </Empty>
  );
}
