import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import type { Me } from '#shared/identity/accounts.ts';
import { DraftList, DraftSkeletons } from './DraftList.tsx';
import { draftsQuery } from './drafts.ts';
import { paths } from '#web/core/paths.ts';
import { useMember } from '#web/core/session.ts';
import { ButtonLink, Link } from '#web/ui/Link.tsx';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { LoadError } from '#web/ui/LoadError.tsx';
import { PageHeading, usePageTitle } from '#web/ui/PageHeading.tsx';
import classes from '#web/ui/page.module.css';
import list from './DraftList.module.css';

export function DraftsPage() {
  usePageTitle(t`Drafts`);
  const member = useMember();
  // After a sign-out the layout is about to redirect.
  return member === null ? null : <MemberDrafts member={member} />;
}

function MemberDrafts({ member }: { member: Me }) {
  const query = useQuery(draftsQuery(member.id));
  return (
    <>
      <div className={classes.header}>
        <PageHeading className={classes.heading}>{t`Drafts`}</PageHeading>
      </div>
      <p className={classes.lead}>{t`Unfinished posts are saved here until you post them.`}</p>
      <p className={list.related}>
        <Link href={`${paths.suggestedEdits}?list=own`}>{t`Your suggested edits`}</Link>
        <Link href={paths.removedPosts}>{t`Your removed posts`}</Link>
      </p>
      {query.isPending ? (
        <DraftSkeletons />
      ) : query.data === undefined ? (
        <LoadError text={t`The drafts could not be loaded.`} query={query} />
      ) : (
        <DraftList drafts={query.data} memberId={member.id} />
      )}
      {query.data?.length === 0 && <NoDrafts />}
    </>
  );
}

function NoDrafts() {
  return (
    <EmptyState
      title={t`No drafts`}
      text={t`Drafts are saved automatically and available on all your devices.`}
    >
      <ButtonLink href={paths.ask}>{t`Ask a question`}</ButtonLink>
    </EmptyState>
  );
}
