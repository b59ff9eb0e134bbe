import { t } from '@lingui/core/macro';
import { TextInput } from '#web/ui/mantine/TextInput.tsx';
import type { Ref } from 'react';
import { limits } from '#shared/core/limits.ts';
import { onEscape } from '#web/core/composition.ts';
import { CharacterCounter } from '#web/ui/CharacterCounter.tsx';
import classes from './PostForm.module.css';

/**
 * What a suggested edit improves, for those who decide about it and for the versions of the post.
 * @param onLeave closes the form.
 */
export function EditSummaryField({
  field,
  value,
  error,
  onChange,
  onLeave,
}: {
  field: Ref<HTMLInputElement>;
  value: string;
  error: string | null;
  onChange: (summary: string) => void;
  onLeave: (() => void) | undefined;
}) {
  return (
    <div className={classes.summary}>
      <TextInput
        ref={field}
        label={t`What does your edit improve?`}
        dir="auto"
        autoComplete="off"
        value={value}
        error={error}
        onChange={(event) => onChange(event.currentTarget.value)}
        onKeyDown={onEscape(onLeave)}
      />
      <CharacterCounter text={value} max={limits.editSummary} />
    </div>
  );
}
