import { plural, t } from '@lingui/core/macro';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ModeratedMember, MemberAction, MemberActivityRemoval } from '#shared/moderation/moderation.ts';
import { FormSelect } from '#web/ui/FormSelect.tsx';
import { moderateMember } from './moderation.ts';
import { ModerationForm } from './ModerationForm.tsx';
import classes from './moderation.module.css';

const dayMs = 24 * 60 * 60 * 1_000;

/** The durations of a suspension, in days. */
const suspensionOptions = (): readonly (readonly [string, string])[] =>
  [1, 7, 30, 365].map((days) => [String(days), plural(days, { one: '# day', other: '# days' })] as const);

/** A running or finished removal of activity, and the possible actions. */
export function ModerateMember({ member }: { member: ModeratedMember }) {
  const { activityRemoval } = member;
  return (
    <>
      {activityRemoval !== null && <RemovalProgress removal={activityRemoval} />}
      {member.role === 'member' && <MemberActionForm member={member} />}
    </>
  );
}

function RemovalProgress({ removal }: { removal: MemberActivityRemoval }) {
  const done = removal.postsDone + removal.votesDone;
  const all = removal.posts + removal.votes;
  const texts: Record<MemberActivityRemoval['state'], string> = {
    removing: t`Removing activity: ${done} of ${all}`,
    removed: t`All activity is removed.`,
    restoring: t`Restoring activity: ${done} of ${all}`,
    restored: t`All activity was removed and later restored.`,
  };
  const running = removal.state === 'removing' || removal.state === 'restoring';
  return (
    <output className={classes.note}>
      {texts[removal.state]}
      {running && <progress className={classes.progress} value={done} max={Math.max(all, 1)} aria-hidden />}
    </output>
  );
}

function listMemberActions({ avatar, suspended, activityRemoval }: ModeratedMember): MemberAction[] {
  const running = activityRemoval?.state === 'removing' || activityRemoval?.state === 'restoring';
  return [
    'warn',
    suspended === null ? 'suspend' : 'lift_suspension',
    ...(avatar === null ? [] : ['remove_avatar' as const]),
    ...(running
      ? []
      : [
          activityRemoval?.state === 'removed' ? ('restore_activity' as const) : ('remove_activity' as const),
        ]),
  ];
}

function MemberActionForm({ member }: { member: ModeratedMember }) {
  const client = useQueryClient();
  const [action, setAction] = useState<MemberAction>('warn');
  const [days, setDays] = useState('7');
  // When another moderator acts, the possible actions change. The chosen one stays: pressing the button must not do
  // something else. The server refuses what has been done.
  const actions = [...new Set([...listMemberActions(member), action])];

  async function act(reason: string) {
    const until = action === 'suspend' ? new Date(Date.now() + Number(days) * dayMs).toISOString() : null;
    await moderateMember(client, { action, memberId: member.id, reason, until });
    setAction('warn');
  }

  return (
    <ModerationForm actions={actions} action={action} onAction={setAction} act={act}>
      {action === 'suspend' && (
        <FormSelect label={t`Duration`} options={suspensionOptions()} value={days} onChange={setDays} />
      )}
    </ModerationForm>
  );
}
