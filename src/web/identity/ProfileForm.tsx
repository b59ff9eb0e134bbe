import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { Textarea } from '#web/ui/mantine/Textarea.tsx';
import { TextInput } from '#web/ui/mantine/TextInput.tsx';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { limits } from '#shared/core/limits.ts';
import { type MemberSettings, memberSettings as settingsRules } from '#shared/identity/profiles.ts';
import { signInMethodsQuery } from './sign-in.ts';
import { ApiError, translateSchemaError } from '#web/core/errors.ts';
import { toast } from '#web/core/toast.ts';
import fields from '#web/ui/fields.module.css';
import { CharacterCounter } from '#web/ui/CharacterCounter.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { type Problem, useFields } from '#web/ui/useFields.ts';
import { useSaveSettings } from './settings.ts';
import classes from './settings-form.module.css';

const fieldNames = ['displayName', 'bio', 'location', 'website'] as const;
type Field = (typeof fieldNames)[number];

/** The settings for how others see the member. */
export function ProfileForm({ initial }: { initial: MemberSettings }) {
  const { texts, setTexts, field, showProblem, formError } = useFields(useState(() => toTexts(initial)));
  const [showEmail, setShowEmail] = useState(initial.showEmail);
  const save = useSaveSettings();
  const { emailVisibility = 'shown' } = useQuery(signInMethodsQuery).data ?? {};

  function submit(event: FormEvent) {
    event.preventDefault();
    if (save.isPending) return;
    const { displayName, bio, location, website } = texts;
    const checked = settingsRules.safeParse({
      displayName,
      bio: bio.trim() === '' ? null : bio,
      location: location.trim() === '' ? null : location,
      website: website.trim() === '' ? null : website,
      showEmail,
    });
    if (!checked.success) {
      const [issue] = checked.error.issues;
      return showProblem({
        field: toProblemField(issue?.path[0]),
        message: translateSchemaError(checked.error),
      });
    }
    showProblem(null);
    save.mutate(checked.data, {
      onSuccess: (saved) => {
        setTexts(toTexts(saved));
        toast(t`Profile saved`);
      },
      onError: (error) => showProblem(toFormProblem(error)),
    });
  }

  return (
    <form className={classes.form} noValidate onSubmit={submit}>
      <TextInput label={t`Display name`} autoComplete="name" dir="auto" {...field('displayName')} />
      <div>
        <Textarea
          label={t`Bio`}
          description={t`A few words about yourself, shown on your profile.`}
          rows={5}
          dir="auto"
          {...field('bio')}
        />
        <CharacterCounter text={texts.bio} max={limits.bio} />
      </div>
      <TextInput label={t`Location`} autoComplete="off" dir="auto" {...field('location')} />
      <TextInput
        label={t`Website`}
        type="url"
        inputMode="url"
        autoComplete="url"
        autoCapitalize="none"
        spellCheck={false}
        dir="ltr"
        {...field('website')}
      />
      {emailVisibility !== 'never' && (
        <label className={classes.choice}>
          <input
            type="checkbox"
            className={fields.checkbox}
            checked={showEmail}
            onChange={(event) => setShowEmail(event.currentTarget.checked)}
          />
          {t`Show my email address on my profile`}
        </label>
      )}
      <FormError message={formError} />
      <Button type="submit" loading={save.isPending}>
        {t`Save changes`}
      </Button>
    </form>
  );
}

const toTexts = ({ displayName, bio, location, website }: MemberSettings): Record<Field, string> => ({
  displayName,
  bio: bio ?? '',
  location: location ?? '',
  website: website ?? '',
});

function toFormProblem(error: Error): Problem<Field> {
  if (!(error instanceof ApiError))
    return {
      field: null,
      message: t`Your profile could not be saved. Please check your connection and try again.`,
    };
  const [named] = error.errors;
  return { field: toProblemField(named?.field), message: named?.message ?? error.message };
}

function toProblemField(name: unknown): Field | null {
  return fieldNames.find((field) => field === name) ?? null;
}
