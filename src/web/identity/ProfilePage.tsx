import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { usePageSearch, useParam, useRouter } from '#web/core/router.ts';
import { useEffect, useMemo } from 'react';
import {
  memberActivityQuery,
  MemberCharts,
  memberReputationQuery,
  activityKeys,
} from '#web/discovery/index.ts';
import type { ImportedBadges } from '#shared/identity/imported-badges.ts';
import { SavedLinks } from '#web/ui/SavedLinks.tsx';
import { ApiError, hasStatus, translateError } from '#web/core/errors.ts';
import { paths, profilePath } from '#web/core/paths.ts';
import { useMember } from '#web/core/session.ts';
import { usePageTitle } from '#web/ui/PageHeading.tsx';
import { ProfileBadges } from './ProfileBadges.tsx';
import { ProfileHeader } from './ProfileHeader.tsx';
import { ProfileAnswers, ProfileQuestions } from './ProfilePosts.tsx';
import { parseMemberId, profileQuery, profileKeys } from './profiles.ts';
import { ProfileSkeleton } from './ProfileSkeleton.tsx';
import { ButtonLink } from '#web/ui/Link.tsx';
import { MessagePage } from '#web/ui/MessagePage.tsx';
import { TabLinks } from '#web/ui/TabLinks.tsx';
import { throttle } from '#web/core/timing.ts';
import { useLive } from '#web/core/live.ts';
import { parseProfileSearch } from '#web/core/page-search.ts';

/** The profile of the id in the address; without one, the member's own. */
export function ProfilePage() {
  const userId = useParam('userId');
  const member = useMember();
  // After a sign-out the layout is about to redirect.
  if (userId === '')
    return member === null ? null : <MemberProfile id={member.id} own address={paths.profile} />;
  const id = parseMemberId(userId);
  if (id === null) return <MemberNotFound />;
  return <MemberProfile id={id} own={id === member?.id} address={profilePath(id)} />;
}

function Redirect({ path }: { path: string }) {
  const router = useRouter();
  useEffect(() => void router.navigate(path, { replace: true }), [router, path]);
  return null;
}

function MemberProfile({ id, own, address }: { id: number; own: boolean; address: string }) {
  const { tab = 'questions' } = usePageSearch(parseProfileSearch);
  const { data: profile, error, isPending, refetch } = useQuery(profileQuery(id));
  const activity = useQuery(memberActivityQuery(id));
  const reputation = useQuery(memberReputationQuery(id));
  useLiveProfile(id);
  usePageTitle(profile?.displayName ?? t`Profile`);

  if (hasStatus(error, 404)) return <MemberNotFound />;
  // The account was merged into another one.
  if (profile !== undefined && profile.id !== id) return <Redirect path={profilePath(profile.id)} />;
  // Waits for the charts, which would move the content below them.
  if (isPending || activity.isPending || reputation.isPending) return <ProfileSkeleton />;
  if (profile === undefined)
    return (
      <MessagePage
        heading={t`The profile could not be loaded`}
        text={error instanceof ApiError ? error.message : t`Something went wrong.`}
      >
        <Button variant="default" onClick={() => void refetch()}>
          {t`Try again`}
        </Button>
      </MessagePage>
    );
  const tabs = [
    { key: 'questions', label: t`Questions`, href: address },
    { key: 'answers', label: t`Answers`, href: `${address}?tab=answers` },
  ] as const;
  return (
    <>
      <ProfileHeader profile={profile} own={own} />
      {own && <SavedLinks />}
      <MemberCharts joinedAt={profile.createdAt} activity={activity.data} reputation={reputation.data} />
      {/* Profiles that an earlier version stored for offline reading have none. */}
      {(profile.importedBadges as ImportedBadges[] | undefined)?.map((badges) => (
        <ProfileBadges key={badges.site} {...badges} />
      ))}
      <TabLinks label={t`Posts`} tabs={tabs} current={tab}>
        {tab === 'questions' ? (
          <ProfileQuestions profile={profile} own={own} />
        ) : (
          <ProfileAnswers profile={profile} own={own} />
        )}
      </TabLinks>
    </>
  );
}

function MemberNotFound() {
  usePageTitle(translateError('user-not-found'));
  return (
    <MessagePage
      heading={translateError('user-not-found')}
      text={t`No such member. The account may have been deleted.`}
    >
      <ButtonLink href={`${paths.search}?in=users`}>{t`Search for members`}</ButtonLink>
    </MessagePage>
  );
}

/** Updates a member's name, bio and counts live. */
function useLiveProfile(id: number): void {
  const client = useQueryClient();
  const refresh = useMemo(
    () =>
      throttle(() => {
        void client.invalidateQueries({ queryKey: profileKeys.one(id), exact: true });
        void client.invalidateQueries({ queryKey: activityKeys.member(id) });
        void client.invalidateQueries({ queryKey: activityKeys.reputation(id) });
      }, 2000),
    [client, id],
  );
  useLive(`profile:${id}`, { onEvents: refresh, onMissed: refresh });
}
