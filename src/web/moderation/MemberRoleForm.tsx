import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { changesAdmins, type Role, roleNames } from '#shared/identity/roles.ts';
import type { ModeratedMember } from '#shared/moderation/moderation.ts';
import { toast } from '#web/core/toast.ts';
import { ConfirmPasswordDialog } from '#web/identity/index.ts';
import { FormError } from '#web/ui/FormError.tsx';
import { FormSelect } from '#web/ui/FormSelect.tsx';
import { setMemberRole } from './moderation.ts';
import { roleDescriptions, roleLabels } from './moderation-messages.ts';
import classes from './moderation.module.css';

/** Changes a member's role. For admins. */
export function MemberRoleForm({ member, isOwn }: { member: ModeratedMember; isOwn: boolean }) {
  const { id, displayName, role } = member;
  const client = useQueryClient();
  const [chosen, setChosen] = useState<Role>();
  const wanted = chosen ?? role;
  const select = useRef<HTMLSelectElement>(null);
  const [isConfirming, setIsConfirming] = useState(false);
  const showSaved = () => {
    setChosen(undefined);
    // The button is disabled now.
    select.current?.focus();
    toast(t`Saved to the moderation log`);
  };
  const change = useMutation({
    mutationFn: () => setMemberRole(client, id, { role: wanted }),
    onSuccess: showSaved,
  });

  function save(event: FormEvent) {
    event.preventDefault();
    if (change.isPending || wanted === role) return;
    if (changesAdmins(role, wanted)) setIsConfirming(true);
    else change.mutate();
  }

  function describeChange() {
    if (isOwn) return t`You will no longer be an admin. Only another admin can give you this role again.`;
    if (wanted === 'admin')
      return t`${displayName} will be able to change site settings and roles, including yours. The member and all admins get an email.`;
    return t`${displayName} will no longer be an admin. The member gets an email.`;
  }

  return (
    <>
      <form className={classes.form} noValidate onSubmit={save}>
        <FormSelect
          label={t`Role`}
          options={roleNames.map((each) => [each, roleLabels[each]()])}
          value={wanted}
          onChange={setChosen}
          ref={select}
        />
        <p className={classes.quiet}>{roleDescriptions[wanted]()}</p>
        <FormError message={change.error?.message ?? null} />
        <div className={classes.buttons}>
          <Button type="submit" variant="default" loading={change.isPending} disabled={wanted === role}>
            {t`Change role`}
          </Button>
        </div>
      </form>
      <ConfirmPasswordDialog
        title={t`Change role`}
        opened={isConfirming}
        submitLabel={t`Change role`}
        text={describeChange()}
        run={(password) => setMemberRole(client, id, { role: wanted, password })}
        errorMessage={(error) => error.message}
        onDone={() => {
          setIsConfirming(false);
          showSaved();
        }}
        onClose={() => setIsConfirming(false)}
        opener={() => (chosen === undefined ? select.current : null)}
      />
    </>
  );
}
