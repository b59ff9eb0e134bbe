import { plural, t } from '@lingui/core/macro';
import type { ListedMember } from '#shared/moderation/member-list.ts';
import { formatDateTime } from '#web/core/format.ts';
import { moderatedMemberPath } from '#web/core/paths.ts';
import { Avatar } from '#web/ui/Avatar.tsx';
import { Link } from '#web/ui/Link.tsx';
import { Time } from '#web/ui/Time.tsx';
import { matchedRuleLabels } from './moderation-messages.ts';
import { describeActivity } from './removals.ts';
import fields from '#web/ui/fields.module.css';
import classes from './members.module.css';

/** A member in the list for moderators. */
export function MemberRow({
  member,
  isSelected,
  onSelect,
}: {
  member: ListedMember;
  isSelected: boolean;
  /** Null if the member cannot be selected. */
  onSelect: ((isSelected: boolean) => void) | null;
}) {
  const { displayName, questions, answers, reputation } = member;
  const roles = { member: null, moderator: t`Moderator`, admin: t`Admin` } as const;
  return (
    <li className={classes.row} tabIndex={-1} data-shortcut-stop>
      <input
        type="checkbox"
        className={fields.checkbox}
        aria-label={t`Select ${displayName}`}
        checked={isSelected}
        disabled={onSelect === null}
        onChange={(event) => onSelect?.(event.currentTarget.checked)}
      />
      <Avatar id={member.id} name={displayName} avatar={member.avatar} size={32} />
      <div className={classes.about}>
        <div className={classes.line}>
          <Link href={moderatedMemberPath(member.id)} className={classes.name} dir="auto">
            {displayName}
          </Link>
          {roles[member.role] !== null && <span className={classes.badge}>{roles[member.role]}</span>}
          {member.suspendedUntil !== null && (
            <span
              className={classes.badge}
            >{t`Suspended until ${formatDateTime(member.suspendedUntil)}`}</span>
          )}
          {member.pendingStep !== null && <span className={classes.badge}>{t`Pending approval`}</span>}
          {member.emailsOff !== null && <span className={classes.badge}>{t`Emails are off`}</span>}
          {member.isRemoved && <span className={classes.badge}>{t`Activity removed`}</span>}
        </div>
        <div className={classes.facts}>
          <span>
            {t`Joined`} <Time at={member.registeredAt} />
          </span>
          {member.lastSignInAt !== null && (
            <span>
              {t`Last sign-in`} <Time at={member.lastSignInAt} />
            </span>
          )}
          {member.emailsOff !== null && (
            <span>
              {t`Emails bounced`} <Time at={member.emailsOff.since} />: <bdi>{member.emailsOff.reason}</bdi>
            </span>
          )}
          <span>{describeActivity({ questions, answers, replies: 0, votes: 0 })}</span>
          <span>{plural(reputation, { one: '# point', other: '# points' })}</span>
        </div>
        {member.matchedRules.length > 0 && (
          <p className={classes.rules} dir="auto">
            {member.matchedRules.map(({ rule, value }) => matchedRuleLabels[rule](value)).join(' · ')}
          </p>
        )}
        {member.bio !== null && (
          <p className={classes.bio} dir="auto">
            {member.bio}
          </p>
        )}
        {member.website !== null && (
          <p className={classes.bio} dir="ltr">
            {member.website}
          </p>
        )}
      </div>
    </li>
  );
}
