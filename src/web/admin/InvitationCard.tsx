import { plural, t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import type { Invitation, InvitationState } from '#shared/identity/invitations.ts';
import { formatDateTime } from '#web/core/format.ts';
import { profilePath } from '#web/core/paths.ts';
import { Link } from '#web/ui/Link.tsx';
import { Time } from '#web/ui/Time.tsx';
import classes from './admin.module.css';

const stateLabels: Readonly<Record<InvitationState, () => string>> = {
  active: () => t`Active`,
  'used-up': () => t`Used up`,
  expired: () => t`Expired`,
  revoked: () => t`Revoked`,
};

/** An invitation: who made it, how often it can still be used, and who joined with it. */
export function InvitationCard({ invitation, onRevoke }: { invitation: Invitation; onRevoke: () => void }) {
  const { note, createdBy, createdAt, expiresAt, maxUses, uses, state, members } = invitation;
  const left = maxUses - uses;
  const more = uses - members.length;
  return (
    <>
      <div className={classes.cardHead}>
        <span className={state === 'active' ? classes.active : classes.state}>{stateLabels[state]()}</span>
        {note !== '' && <bdi className={classes.strong}>{note}</bdi>}
      </div>
      <p className={classes.facts}>
        <span dir="auto">{t`by ${createdBy.displayName}`}</span>
        <Time at={createdAt} />
        <span>{plural(left, { one: `# of ${maxUses} uses left`, other: `# of ${maxUses} uses left` })}</span>
        <span>{t`Expires: ${formatDateTime(expiresAt)}`}</span>
      </p>
      {members.length > 0 && (
        <p className={classes.facts}>
          <span>{t`Joined:`}</span>
          {members.map(({ id, displayName }) => (
            <Link key={id} href={profilePath(id)}>
              <bdi>{displayName}</bdi>
            </Link>
          ))}
          {more > 0 && <span>{plural(more, { one: 'and # more', other: 'and # more' })}</span>}
        </p>
      )}
      {state === 'active' && (
        <div className={classes.buttons}>
          <Button size="xs" variant="default" onClick={onRevoke}>{t`Revoke`}</Button>
        </div>
      )}
    </>
  );
}
