import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { moderatedMemberQuery } from '#web/care/care.ts';
import { ModerateMember } from '#web/care/MemberCare.tsx';
import { hasStatus } from '#web/platform/errors.ts';
import { profilePath } from '#web/platform/paths.ts';
import { useMember } from '#web/platform/session.ts';
import { usePageTitle } from '#web/platform/title.ts';
import { parseMemberId } from '#web/profiles/profiles.ts';
import { ButtonLink } from '#web/ui/ButtonLink.tsx';
import { PageHeading } from '#web/ui/PageHeading.tsx';
import { NotFoundPage } from './not-found.tsx';
import classes from './page.module.css';

const route = getRouteApi('/member/care/member/$id');

/** How a member stands, for operators. */
export function ModeratedMemberPage() {
  const id = parseMemberId(route.useParams().id);
  const viewer = useMember();
  if (viewer === null) return null;
  return viewer.role !== 'operator' || id === null ? <NotFoundPage /> : <MemberModeration id={id} />;
}

function MemberModeration({ id }: { id: number }) {
  const { data: member, error } = useQuery(moderatedMemberQuery(id));
  usePageTitle(member?.displayName ?? t`Profile`);
  if (hasStatus(error, 404)) return <NotFoundPage />;
  if (member === undefined) return null;
  return (
    <>
      <div className={classes.header}>
        <PageHeading className={classes.heading}>
          <span dir="auto">{member.displayName}</span>
        </PageHeading>
        <ButtonLink href={profilePath(id)}>{t`Profile`}</ButtonLink>
      </div>
      <ModerateMember member={member} />
    </>
  );
}
