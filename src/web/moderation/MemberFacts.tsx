import { plural, t } from '@lingui/core/macro';
import type { ReactNode } from 'react';
import type { ModeratedMember } from '#shared/moderation/moderation.ts';
import { formatDateTime } from '#web/core/format.ts';
import { paths, profilePath } from '#web/core/paths.ts';
import { Link } from '#web/ui/Link.tsx';
import { toDescriptionItems } from '#shared/identity/sign-up-questions.ts';
import { DescriptionList } from '#web/ui/DescriptionList.tsx';
import { Time } from '#web/ui/Time.tsx';
import { roleLabels } from './moderation-messages.ts';
import { describeActivity } from './removals.ts';
import classes from './moderation.module.css';

/** The facts of an account. */
export function MemberFacts({ member }: { member: ModeratedMember }) {
  const { invitedBy, invitationNote, suspended, warnings, hiddenPosts, questions, answers, reputation } =
    member;
  const { refusalReason: reason } = member;
  return (
    <dl className={classes.accountFacts}>
      <Fact name={t`Joined`}>
        <Time at={member.registeredAt} />
      </Fact>
      <Fact name={t`Role`}>{roleLabels[member.role]()}</Fact>
      {member.canSignIn && (
        <Fact name={t`Email`}>
          {member.email !== null && <span dir="ltr">{member.email} · </span>}
          {member.emailConfirmed ? t`Confirmed` : t`Not confirmed`}
        </Fact>
      )}
      {member.emailsOff !== null && (
        <Fact name={t`Emails are off`}>
          {t`Emails bounced`} <Time at={member.emailsOff.since} />
          {member.emailsOff.reason !== null && (
            <>
              : <bdi>{member.emailsOff.reason}</bdi>
            </>
          )}
        </Fact>
      )}
      <Fact name={t`Sign-in methods`}>{describeSignInMethods(member)}</Fact>
      {member.pendingStep !== null && (
        <Fact name={t`Approval`}>
          {member.pendingStep === 'moderator' ? t`Waiting for a moderator` : t`Waiting for a confirmed email`}
        </Fact>
      )}
      {member.application !== null && (
        <Fact name={t`Approval`}>
          {member.application === 'waiting' ? t`Waiting for a moderator` : t`Refused: ${reason}`}
          {' · '}
          <Link
            href={
              member.application === 'waiting' ? paths.applications : `${paths.applications}?status=refused`
            }
          >{t`New accounts`}</Link>
        </Fact>
      )}
      {member.signUpAnswers.length > 0 && (
        <Fact name={t`Answers at registration`}>
          <DescriptionList items={toDescriptionItems(member.signUpAnswers)} />
        </Fact>
      )}
      {invitedBy !== null && (
        <Fact name={t`Invited by`}>
          <Link href={profilePath(invitedBy.id)} dir="auto">
            {invitedBy.displayName}
          </Link>
          {invitationNote !== null && invitationNote !== '' && <span dir="auto"> · {invitationNote}</span>}
        </Fact>
      )}
      <Fact name={t`Activity`}>
        {[
          describeActivity({ questions, answers, replies: 0, votes: 0 }),
          plural(reputation, { one: '# point', other: '# points' }),
        ].join(' · ')}
      </Fact>
      <Fact name={t`Moderation`}>
        {[
          plural(warnings, { one: '# warning', other: '# warnings' }),
          plural(hiddenPosts, { one: '# hidden post', other: '# hidden posts' }),
        ].join(' · ')}
      </Fact>
      {suspended !== null && (
        <Fact name={t`Suspended`}>
          <span dir="auto">{t`Suspended until ${formatDateTime(suspended.until)}: ${suspended.reason}`}</span>
        </Fact>
      )}
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={classes.fact}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function describeSignInMethods({ canSignIn, signInMethods }: ModeratedMember): string {
  if (!canSignIn) return t`Cannot sign in`;
  const { password, provider, passkeys, twoFactor } = signInMethods;
  const methods = [
    ...(password ? [t`Password`] : []),
    ...(provider ? [t`Identity provider`] : []),
    ...(passkeys > 0 ? [plural(passkeys, { one: '# passkey', other: '# passkeys' })] : []),
    ...(twoFactor ? [t`Two-factor authentication`] : []),
  ];
  return methods.length === 0 ? t`None` : methods.join(' · ');
}
