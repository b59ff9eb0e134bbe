import { t } from '@lingui/core/macro';
import { Button } from '#web/ui/Button.tsx';
import { Textarea } from '#web/ui/mantine/Textarea.tsx';
import { TextInput } from '#web/ui/mantine/TextInput.tsx';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { limits } from '#shared/core/limits.ts';
import { type MemberSettings, memberSettings as settingsRules } from '#shared/identity/profiles.ts';
import { signInMethodsQuery } from './sign-in.ts';
import { ApiError, translateSchemaError } from '#web/core/errors.ts';
import { toast } from '#web/core/toast.ts';
import fields from '#web/ui/fields.module.css';
import { CharacterCounter } from '#web/ui/CharacterCounter.tsx';
import { FormError } from '#web/ui/FormError.tsx';
import { useSaveSettings } from './settings.ts';
import classes from './settings-form.module.css';

const fieldNames = ['displayName', 'bio', 'location', 'website'] as const;
type Problem = { field: (typeof fieldNames)[number] | null; message: string };

/** The settings for how others see the member. */
export function ProfileForm({ initial }: { initial: MemberSettings }) {
  const [displayName, setDisplayName] = useState(initial.displayName);
  const [bio, setBio] = useState(initial.bio ?? '');
  const [location, setLocation] = useState(initial.location ?? '');
  const [website, setWebsite] = useState(initial.website ?? '');
  const [showEmail, setShowEmail] = useState(initial.showEmail);
  const [problem, setProblem] = useState<Problem | null>(null);
  const nameField = useRef<HTMLInputElement>(null);
  const bioField = useRef<HTMLTextAreaElement>(null);
  const locationField = useRef<HTMLInputElement>(null);
  const websiteField = useRef<HTMLInputElement>(null);
  const save = useSaveSettings();
  const { emailVisibility = 'shown' } = useQuery(signInMethodsQuery).data ?? {};

  function fail(newProblem: Problem) {
    setProblem(newProblem);
    if (newProblem.field === 'displayName') nameField.current?.focus();
    if (newProblem.field === 'bio') bioField.current?.focus();
    if (newProblem.field === 'location') locationField.current?.focus();
    if (newProblem.field === 'website') websiteField.current?.focus();
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    if (save.isPending) return;
    const checked = settingsRules.safeParse({
      displayName,
      bio: bio.trim() === '' ? null : bio,
      location: location.trim() === '' ? null : location,
      website: website.trim() === '' ? null : website,
      showEmail,
    });
    if (!checked.success) {
      const [issue] = checked.error.issues;
      return fail({
        field: toProblemField(issue?.path[0]),
        message: translateSchemaError(checked.error),
      });
    }
    setProblem(null);
    save.mutate(checked.data, {
      onSuccess: (saved) => {
        setDisplayName(saved.displayName);
        setBio(saved.bio ?? '');
        setLocation(saved.location ?? '');
        setWebsite(saved.website ?? '');
        toast(t`Profile saved`);
      },
      onError: (error) => fail(toFormProblem(error)),
    });
  }

  return (
    <form className={classes.form} noValidate onSubmit={submit}>
      <TextInput
        ref={nameField}
        label={t`Display name`}
        autoComplete="name"
        dir="auto"
        value={displayName}
        error={problem?.field === 'displayName' && problem.message}
        onChange={(event) => setDisplayName(event.currentTarget.value)}
      />
      <div>
        <Textarea
          ref={bioField}
          label={t`Bio`}
          description={t`A few words about yourself, shown on your profile.`}
          rows={5}
          dir="auto"
          value={bio}
          error={problem?.field === 'bio' && problem.message}
          onChange={(event) => setBio(event.currentTarget.value)}
        />
        <CharacterCounter text={bio} max={limits.bio} />
      </div>
      <TextInput
        ref={locationField}
        label={t`Location`}
        autoComplete="off"
        dir="auto"
        value={location}
        error={problem?.field === 'location' && problem.message}
        onChange={(event) => setLocation(event.currentTarget.value)}
      />
      <TextInput
        ref={websiteField}
        label={t`Website`}
        type="url"
        inputMode="url"
        autoComplete="url"
        autoCapitalize="none"
        spellCheck={false}
        dir="ltr"
        value={website}
        error={problem?.field === 'website' && problem.message}
        onChange={(event) => setWebsite(event.currentTarget.value)}
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
      <FormError message={problem?.field === null ? problem.message : null} />
      <Button type="submit" loading={save.isPending}>
        {t`Save changes`}
      </Button>
    </form>
  );
}

function toFormProblem(error: Error): Problem {
  if (!(error instanceof ApiError))
    return {
      field: null,
      message: t`Your profile could not be saved. Please check your connection and try again.`,
    };
  const [named] = error.errors;
  return { field: toProblemField(named?.field), message: named?.message ?? error.message };
}

function toProblemField(name: unknown): Problem['field'] {
  return fieldNames.find((field) => field === name) ?? null;
}
