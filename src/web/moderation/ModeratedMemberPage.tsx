import { canModerate, type Role } from '#shared/identity/roles.ts';
import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { moderatedMemberQuery } from './moderation.ts';
import { MemberRoleForm } from './MemberRoleForm.tsx';
import { ModerateMember } from './ModerateMember.tsx';
import { hasStatus } from '#web/core/errors.ts';
import { profilePath } from '#web/core/paths.ts';
import { useMember } from '#web/core/session.ts';
import { parseMemberId } from '#web/identity/index.ts';
import { Avatar } from '#web/ui/Avatar.tsx';
import { ButtonLink } from '#web/ui/PathLink.tsx';
import { PageHeading, usePageTitle } from '#web/ui/PageHeading.tsx';
import { NotFoundPage } from '#web/ui/MessagePage.tsx';
import moderation from './moderation.module.css';
import classes from '#web/ui/page.module.css';

const route = getRouteApi('/member/moderation/member/$id');

/** A member's moderation status, for moderators. */
export function ModeratedMemberPage() {
  const id = parseMemberId(route.useParams().id);
  const viewer = useMember();
  if (viewer === null) return null;
  return !canModerate(viewer.role) || id === null ? (
    <NotFoundPage />
  ) : (
    <MemberModeration id={id} viewerRole={viewer.role} />
  );
}

function MemberModeration({ id, viewerRole }: { id: number; viewerRole: Role }) {
  const { data: member, error } = useQuery(moderatedMemberQuery(id));
  usePageTitle(member?.displayName ?? t`Profile`);
  if (hasStatus(error, 404)) return <NotFoundPage />;
  if (member === undefined) return null;
  return (
    <>
      <div className={classes.header}>
        <PageHeading className={`${classes.heading} ${moderation.member}`}>
          <Avatar id={id} name={member.displayName} avatar={member.avatar} size={44} />
          <span dir="auto">{member.displayName}</span>
        </PageHeading>
        <ButtonLink href={profilePath(id)}>{t`Profile`}</ButtonLink>
      </div>
      <ModerateMember member={member} />
      {viewerRole === 'admin' && <MemberRoleForm key={member.role} id={id} role={member.role} />}
    </>
  );
}
