import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { IconExternalLink, IconLink, IconMapPin } from '@tabler/icons-react';
import { formatCount, formatDate, formatDateTime, formatShortCount } from '#web/core/format.ts';
import type { Profile } from '#shared/identity/profiles.ts';
import { canModerate } from '#shared/identity/roles.ts';
import { claimProfilePath, moderatedMemberPath, paths } from '#web/core/paths.ts';
import { useMember } from '#web/core/session.ts';
import { BotBadge } from '#web/posts/index.ts';
import { Avatar } from '#web/ui/Avatar.tsx';
import { type CountedNoun, formatCountOf, getCountedWord } from '#web/ui/Count.tsx';
import { ButtonLink, Link } from '#web/ui/Link.tsx';
import { VisuallyHidden } from '#web/ui/VisuallyHidden.tsx';
import { PageHeading } from '#web/ui/PageHeading.tsx';
import { Markdown } from '#web/ui/markdown/Markdown.tsx';
import classes from './ProfileHeader.module.css';

/**
 * The top of a profile: avatar, name, email address, bio, join date, location, website and the four counts
 * (docs/product.md 3.2).
 */
export function ProfileHeader({ profile, own }: { profile: Profile; own: boolean }) {
  const isModerator = canModerate(useMember()?.role ?? 'member');
  return (
    <header>
      <div className={classes.who}>
        <Avatar id={profile.id} name={profile.displayName} avatar={profile.avatar} size={72} />
        <div className={classes.name}>
          <PageHeading className={classes.heading}>
            <span dir="auto">{profile.displayName}</span>
          </PageHeading>
          <p className={classes.facts}>
            {profile.isBot && (
              <span title={t`A program writes with this account.`}>
                <BotBadge />
              </span>
            )}
            {profile.email !== null && <a href={`mailto:${profile.email}`}>{profile.email}</a>}
            {profile.emailWithheld === 'too-many' && (
              <span>{t`Email address not shown: you have viewed too many in the last hour`}</span>
            )}
            <span>
              <Trans>
                Joined{' '}
                <time dateTime={profile.createdAt} title={formatDateTime(profile.createdAt)}>
                  {formatDate(profile.createdAt)}
                </time>
              </Trans>
            </span>
            {profile.location != null && (
              <span>
                <IconMapPin size={14} stroke={1.6} aria-hidden />
                <VisuallyHidden>{t`Location`}: </VisuallyHidden>
                <span dir="auto">{profile.location}</span>
              </span>
            )}
            {profile.website != null && (
              <a href={profile.website} rel="ugc nofollow noopener" target="_blank">
                <IconLink size={14} stroke={1.6} aria-hidden />
                <VisuallyHidden>{t`Website`}: </VisuallyHidden>
                <span dir="ltr">{describeWebsite(profile.website)}</span>
              </a>
            )}
            {profile.sourceUrl !== null && (
              <a href={profile.sourceUrl} rel="nofollow ugc noopener" target="_blank">
                {URL.parse(profile.sourceUrl)?.host ?? t`Imported`}
                <IconExternalLink size={14} stroke={1.6} aria-hidden />
              </a>
            )}
            {profile.sourceUrl !== null && !own && (
              <Link href={claimProfilePath(profile.id)}>{t`Is this you? Claim this profile`}</Link>
            )}
          </p>
        </div>
        {own && <ButtonLink href={paths.settings}>{t`Edit profile`}</ButtonLink>}
        {!own && isModerator && (
          <ButtonLink href={moderatedMemberPath(profile.id)}>{t`About this member`}</ButtonLink>
        )}
      </div>
      {profile.bio !== null && (
        <Markdown
          text={profile.bio}
          imported={profile.sourceUrl !== null}
          headingLevel={2}
          className={classes.bio}
        />
      )}
      <ul className={classes.stats} aria-label={t`Statistics`}>
        <ProfileStat of={profile.questionsCount} singular="question" />
        <ProfileStat of={profile.answersCount} singular="answer" />
        <ProfileStat of={profile.upvotes} singular="upvote" />
        <ProfileStat of={profile.views} singular="view" />
      </ul>
    </header>
  );
}

/** What a link to a website shows: its address without the scheme. */
function describeWebsite(address: string): string {
  return address.replace(/^https?:\/\/(?:www\.)?/u, '').replace(/\/$/u, '');
}

/** Separate elements, so that the number can be above its word. */
function ProfileStat({ of, singular }: { of: number; singular: CountedNoun }) {
  return (
    <li title={of > 999 ? formatCountOf(singular, of, formatCount(of)) : undefined}>
      <strong>{formatShortCount(of)}</strong> <span>{getCountedWord(singular, of)}</span>
    </li>
  );
}
