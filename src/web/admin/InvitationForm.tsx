import { plural, t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { NumberInput } from '#web/ui/mantine/NumberInput.tsx';
import { TextInput } from '#web/ui/mantine/TextInput.tsx';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { invitationLimits } from '#shared/identity/invitations.ts';
import { CopyField } from '#web/ui/CopyField.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { useMutationForm } from '#web/ui/useMutationForm.ts';
import { FormSelect } from '#web/ui/FormSelect.tsx';
import { createInvitation } from './invitations.ts';
import classes from './admin.module.css';

const dayMs = 24 * 60 * 60 * 1_000;

const getPeriods = (): readonly (readonly [string, string])[] =>
  [1, 7, 30, 90, invitationLimits.days].map(
    (days) => [String(days), plural(days, { one: '# day', other: '# days' })] as const,
  );

/** Makes an invitation and shows its link, which is not shown again. */
export function InvitationForm() {
  const client = useQueryClient();
  const [note, setNote] = useState('');
  const [maxUses, setMaxUses] = useState<number | string>(1);
  const [days, setDays] = useState('7');
  const create = useMutation({
    mutationFn: () =>
      createInvitation(client, {
        note,
        maxUses: Number(maxUses),
        expiresAt: new Date(Date.now() + Number(days) * dayMs).toISOString(),
      }),
    onSuccess: () => setNote(''),
  });
  const { form, errorOf, formError } = useMutationForm(create, ['note', 'maxUses']);

  return (
    <>
      <form {...form} className={classes.form}>
        <FormError message={formError} />
        <TextInput
          label={t`Note for moderators (optional)`}
          dir="auto"
          autoComplete="off"
          maxLength={invitationLimits.note * 2}
          value={note}
          error={errorOf('note')}
          onChange={(event) => setNote(event.currentTarget.value)}
        />
        <div className={classes.pair}>
          <NumberInput
            label={t`Uses`}
            min={1}
            max={invitationLimits.uses}
            allowDecimal={false}
            value={maxUses}
            error={errorOf('maxUses')}
            onChange={setMaxUses}
          />
          <FormSelect label={t`Expires in`} options={getPeriods()} value={days} onChange={setDays} />
        </div>
        <div>
          <Button type="submit" loading={create.isPending}>{t`Create invitation`}</Button>
        </div>
      </form>
      {create.data !== undefined && (
        <output className={classes.created}>
          <CopyField
            label={t`Link of the invitation`}
            description={t`Copy it now: it is not shown again.`}
            text={create.data}
            button={t`Copy link`}
          />
        </output>
      )}
    </>
  );
}
