import { plural, t } from '@lingui/core/macro';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { CareMember, MemberAction, Undoing } from '#shared/care.ts';
import { exactTime } from '#web/platform/dates.ts';
import { SelectField } from '#web/ui/SelectField.tsx';
import { actOnMember } from './care.ts';
import { CareForm } from './CareForm.tsx';
import classes from './care.module.css';

const day = 24 * 60 * 60 * 1_000;

/** How long a suspension lasts, in days, as one chooses it. */
const lengths = (): readonly (readonly [string, string])[] =>
  [1, 7, 30, 365].map((days) => [String(days), plural(days, { one: '# day', other: '# days' })] as const);

/** How a member stands, and what can be done about it. */
export function MemberCare({ member }: { member: CareMember }) {
  const { suspended, undoing, warnings, hiddenPosts } = member;
  return (
    <>
      <ul className={classes.facts}>
        <li>{plural(warnings, { one: '# warning', other: '# warnings' })}</li>
        <li>{plural(hiddenPosts, { one: '# hidden post', other: '# hidden posts' })}</li>
        {suspended !== null && (
          <li dir="auto">{t`Suspended until ${exactTime(suspended.until)}: ${suspended.reason}`}</li>
        )}
      </ul>
      {undoing !== null && <Progress undoing={undoing} />}
      {/* What can be done changes with what was done. */}
      {member.role === 'member' && <MemberForm key={actionsOn(member).join()} member={member} />}
    </>
  );
}

function Progress({ undoing }: { undoing: Undoing }) {
  const done = undoing.postsDone + undoing.votesDone;
  const all = undoing.posts + undoing.votes;
  const texts: Record<Undoing['state'], string> = {
    undoing: t`Undoing everything they did: ${done} of ${all}`,
    undone: t`Everything they did is undone.`,
    restoring: t`Bringing back everything they did: ${done} of ${all}`,
    restored: t`Everything they did was undone, and brought back.`,
  };
  const running = undoing.state === 'undoing' || undoing.state === 'restoring';
  return (
    <output className={classes.note}>
      {texts[undoing.state]}
      {running && <progress className={classes.progress} value={done} max={Math.max(all, 1)} aria-hidden />}
    </output>
  );
}

function actionsOn({ suspended, undoing }: CareMember): MemberAction[] {
  const running = undoing?.state === 'undoing' || undoing?.state === 'restoring';
  return [
    'warn',
    suspended === null ? 'suspend' : 'lift',
    ...(running ? [] : [undoing?.state === 'undone' ? ('undo_undo' as const) : ('undo' as const)]),
  ];
}

function MemberForm({ member }: { member: CareMember }) {
  const client = useQueryClient();
  const [action, setAction] = useState<MemberAction>('warn');
  const [days, setDays] = useState('7');

  function act(reason: string) {
    const until = action === 'suspend' ? new Date(Date.now() + Number(days) * day).toISOString() : null;
    return actOnMember(client, { action, memberId: member.id, reason, until });
  }

  return (
    <CareForm actions={actionsOn(member)} action={action} onAction={setAction} act={act}>
      {action === 'suspend' && (
        <SelectField label={t`For how long?`} options={lengths()} value={days} onChange={setDays} />
      )}
    </CareForm>
  );
}
