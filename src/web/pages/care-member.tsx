import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { careMemberQuery } from '#web/care/care.ts';
import { MemberCare } from '#web/care/MemberCare.tsx';
import { isStatus } from '#web/platform/errors.ts';
import { profilePath } from '#web/platform/paths.ts';
import { useMember } from '#web/platform/session.ts';
import { usePageTitle } from '#web/platform/title.ts';
import { memberIdOf } from '#web/profiles/profiles.ts';
import { ButtonLink } from '#web/ui/ButtonLink.tsx';
import { PageHeading } from '#web/ui/PageHeading.tsx';
import { NotFoundPage } from './not-found.tsx';
import classes from './page.module.css';

const route = getRouteApi('/member/care/member/$id');

/** How a member stands, for operators. */
export function CareMemberPage() {
  const id = memberIdOf(route.useParams().id);
  const viewer = useMember();
  if (viewer === null) return null;
  return viewer.role !== 'operator' || id === null ? <NotFoundPage /> : <Standing id={id} />;
}

function Standing({ id }: { id: number }) {
  const { data: member, error } = useQuery(careMemberQuery(id));
  usePageTitle(member?.displayName ?? t`Profile`);
  if (isStatus(error, 404)) return <NotFoundPage />;
  if (member === undefined) return null;
  return (
    <>
      <div className={classes.header}>
        <PageHeading className={classes.heading}>
          <span dir="auto">{member.displayName}</span>
        </PageHeading>
        <ButtonLink href={profilePath(id)}>{t`Profile`}</ButtonLink>
      </div>
      <MemberCare member={member} />
    </>
  );
}
