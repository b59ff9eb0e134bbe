import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { useQueryClient } from '@tanstack/react-query';
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
  const [problem, setProblem] = useState<string | null>(null);
  const [saving, setSaving] = useState(false);

  async function save(event: FormEvent) {
    event.preventDefault();
    if (saving || wanted === role) return;
    setSaving(true);
    setProblem(null);
    try {
      await setMemberRole(client, id, wanted);
      toast(t`Saved to the moderation log`);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : '');
    } finally {
      setSaving(false);
    }
  }

  return (
    <form className={classes.form} noValidate onSubmit={(event) => void save(event)}>
      <FormSelect
        label={t`Role`}
        options={roleNames.map((each) => [each, roleLabels[each]()])}
        value={wanted}
        onChange={setWanted}
      />
      <p className={classes.quiet}>{roleDescriptions[wanted]()}</p>
      <FormError message={problem} />
      <div className={classes.buttons}>
        <Button type="submit" variant="default" loading={saving} disabled={wanted === role}>
          {t`Change role`}
        </Button>
      </div>
    </form>
  );
}
