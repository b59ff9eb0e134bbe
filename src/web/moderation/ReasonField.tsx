import { t } from '@lingui/core/macro';
import { Textarea } from '#web/ui/mantine/Textarea.tsx';
import { useQuery } from '@tanstack/react-query';
import { CharacterCounter } from '#web/ui/CharacterCounter.tsx';
import { FormSelect } from '#web/ui/FormSelect.tsx';
import { moderationReasonsQuery } from './moderation.ts';
import classes from './moderation.module.css';

const maxReasonLength = 500;

/** The reason of a moderator: text, which can start with one of the reasons of the site settings. */
export function ReasonField({
  value,
  onChange,
  optional = false,
  hasCommonReasons = true,
  label = optional ? t`Reason (public, optional)` : t`Reason (public)`,
}: {
  value: string;
  onChange: (reason: string) => void;
  optional?: boolean;
  /** Whether it can start with a reason of the site settings. Only moderators read them. */
  hasCommonReasons?: boolean;
  /** For reasons that are not public. */
  label?: string;
}) {
  const { data } = useQuery({ ...moderationReasonsQuery, enabled: hasCommonReasons });
  const reasons = hasCommonReasons ? (data?.items ?? []) : [];
  return (
    <div className={classes.form}>
      {reasons.length > 0 && (
        <FormSelect
          label={t`Common reasons`}
          options={[['', t`Choose a reason`], ...reasons.map((reason) => [reason, reason] as const)]}
          value={reasons.includes(value) ? value : ''}
          onChange={onChange}
        />
      )}
      <div>
        <Textarea
          label={label}
          rows={3}
          dir="auto"
          data-autofocus
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
        <CharacterCounter text={value} max={maxReasonLength} />
      </div>
    </div>
  );
}
