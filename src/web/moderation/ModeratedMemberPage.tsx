import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Me } from '#shared/identity/accounts.ts';
import type { ModeratedMember } from '#shared/moderation/moderation.ts';
import { moderatedMemberQuery } from './moderation.ts';
import { AccountActions } from './AccountActions.tsx';
import { MemberFacts } from './MemberFacts.tsx';
import { MemberLog } from './MemberLog.tsx';
import { MemberNotes } from './MemberNotes.tsx';
import { MemberPostList } from './MemberPostList.tsx';
import { MemberReportList } from './MemberReportList.tsx';
import { MemberRoleForm } from './MemberRoleForm.tsx';
import { MemberSignIns } from './MemberSignIns.tsx';
import { ModerationMenu } from './ModerationMenu.tsx';
import { ModerateMember } from './ModerateMember.tsx';
import { hasStatus } from '#web/core/errors.ts';
import { moderatedMemberPath, profilePath } from '#web/core/paths.ts';
import { parseMemberId } from '#web/identity/index.ts';
import { Avatar } from '#web/ui/Avatar.tsx';
import { ButtonLink, Link } from '#web/ui/Link.tsx';
import { PageHeading, usePageTitle } from '#web/ui/PageHeading.tsx';
import { LoadError } from '#web/ui/LoadError.tsx';
import { NotFoundPage } from '#web/ui/MessagePage.tsx';
import { TabLinks } from '#web/ui/TabLinks.tsx';
import moderation from './moderation.module.css';
import classes from '#web/ui/page.module.css';
import { oneOf } from '#web/core/page-search.ts';
import { useParam, usePageSearch } from '#web/core/router.ts';

const memberPageTabs = ['posts', 'reports', 'log', 'sign-ins', 'notes'] as const;

/** The account is the default of an address without a tab. */
const parseMemberPageSearch = ({
  tab,
}: Record<string, unknown>): { tab?: (typeof memberPageTabs)[number] | undefined } => ({
  tab: oneOf(tab, ...memberPageTabs),
});

/** Everything that moderators know about a member. */
export function ModeratedMemberPage({ member: viewer }: { member: Me }) {
  const id = parseMemberId(useParam('id'));
  return id === null ? <NotFoundPage /> : <MemberModeration id={id} viewer={viewer} />;
}

function MemberModeration({ id, viewer }: { id: number; viewer: Me }) {
  const { tab = 'account' } = usePageSearch(parseMemberPageSearch);
  const query = useQuery(moderatedMemberQuery(id));
  const { data: member, error } = query;
  const isMissing = hasStatus(error, 404);
  usePageTitle(isMissing ? t`Page not found` : (member?.displayName ?? t`Profile`));
  const isOwn = id === viewer.id;
  const tabs = useMemo(() => {
    const address = moderatedMemberPath(id);
    const all = [
      { key: 'account', label: t`Account`, href: address },
      { key: 'posts', label: t`Posts`, href: `${address}?tab=posts` },
      { key: 'reports', label: t`Reports`, href: `${address}?tab=reports` },
      { key: 'log', label: t`Moderation`, href: `${address}?tab=log` },
      { key: 'sign-ins', label: t`Sign-ins`, href: `${address}?tab=sign-ins` },
      { key: 'notes', label: t`Notes`, href: `${address}?tab=notes` },
    ] as const;
    // Moderators do not see notes on themselves.
    return isOwn ? all.filter(({ key }) => key !== 'notes') : all;
  }, [id, isOwn]);
  if (isMissing) return <NotFoundPage />;
  if (member === undefined)
    return error === null ? null : (
      <>
        <PageHeading>{t`Members`}</PageHeading>
        <LoadError text={t`The page could not be loaded.`} query={query} />
      </>
    );
  return (
    <>
      <div className={classes.header}>
        <PageHeading className={`${classes.heading} ${moderation.member}`}>
          <Avatar id={id} name={member.displayName} avatar={member.avatar} size={44} />
          <span dir="auto">{member.displayName}</span>
        </PageHeading>
        <div className={classes.buttons}>
          {/* Others find no profile of an account that is not a member's yet. */}
          {member.application === null && <ButtonLink href={profilePath(id)}>{t`Profile`}</ButtonLink>}
          <ModerationMenu />
        </div>
      </div>
      <TabLinks label={t`About this member`} tabs={tabs} current={tab}>
        <div className={moderation.panel}>
          {tab === 'account' && <Account member={member} viewer={viewer} />}
          {tab === 'posts' && <MemberPostList id={id} />}
          {tab === 'reports' && <MemberReportList id={id} />}
          {tab === 'log' && <MemberLog id={id} />}
          {tab === 'sign-ins' && <MemberSignIns id={id} />}
          {tab === 'notes' && !isOwn && <MemberNotes id={id} viewerId={viewer.id} />}
        </div>
      </TabLinks>
    </>
  );
}

function Account({ member, viewer }: { member: ModeratedMember; viewer: Me }) {
  return (
    <>
      {member.merge !== null && <MergeNote merge={member.merge} />}
      <MemberFacts member={member} />
      {member.merge === null && <ModerateMember member={member} />}
      {viewer.role === 'admin' && member.merge === null && (
        <>
          <MemberRoleForm member={member} isOwn={member.id === viewer.id} />
          <AccountActions member={member} />
        </>
      )}
    </>
  );
}

function MergeNote({ merge }: { merge: NonNullable<ModeratedMember['merge']> }) {
  const { into, finished, done, total } = merge;
  return (
    <output className={moderation.note}>
      <Trans>
        Merged into{' '}
        <Link href={moderatedMemberPath(into.id)} dir="auto">
          {into.displayName}
        </Link>
      </Trans>
      {!finished && <> · {t`Moving posts and votes: ${done} of ${total}`}</>}
    </output>
  );
}
