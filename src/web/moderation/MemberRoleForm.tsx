import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { type Role, roleNames } from '#shared/identity/roles.ts';
import { toast } from '#web/core/toast.ts';
import { FormError } from '#web/ui/FormError.tsx';
import { FormSelect } from '#web/ui/FormSelect.tsx';
import { setMemberRole } from './moderation.ts';
import { roleDescriptions, roleLabels } from './moderation-messages.ts';
import classes from './moderation.module.css';

/** Changes a member's role. For admins; mount it again with the new role. */
export function MemberRoleForm({ id, role }: { id: number; role: Role }) {
  const client = useQueryClient();
  const [wanted, setWanted] = useState(role);
  const change = useMutation({
    mutationFn: () => setMemberRole(client, id, wanted),
    onSuccess: () => toast(t`Saved to the moderation log`),
  });

  function save(event: FormEvent) {
    event.preventDefault();
    if (!change.isPending && wanted !== role) change.mutate();
  }

  return (
    <form className={classes.form} noValidate onSubmit={save}>
      <FormSelect
        label={t`Role`}
        options={roleNames.map((each) => [each, roleLabels[each]()])}
        value={wanted}
        onChange={setWanted}
      />
      <p className={classes.quiet}>{roleDescriptions[wanted]()}</p>
      <FormError message={change.error?.message ?? null} />
      <div className={classes.buttons}>
        <Button type="submit" variant="default" loading={change.isPending} disabled={wanted === role}>
          {t`Change role`}
        </Button>
      </div>
    </form>
  );
}
