import { IconChevronDown } from '@tabler/icons-react';
import type { Ref } from 'react';
import { NativeSelect } from './mantine/NativeSelect.tsx';

/** A native select of a form, with its label and hint above it, as other fields have them. */
export function FormSelect<Value extends string>({
  label,
  hint,
  error,
  options,
  value,
  onChange,
  ref,
}: {
  label: string;
  hint?: string | null;
  error?: string | null;
  options: readonly (readonly [value: Value, label: string])[];
  value: Value;
  onChange: (value: Value) => void;
  ref?: Ref<HTMLSelectElement>;
}) {
  return (
    <NativeSelect
      {...(ref !== undefined && { ref })}
      size="md"
      label={label}
      {...(hint && { description: hint })}
      error={error}
      errorProps={{ role: 'alert' }}
      rightSection={<IconChevronDown size={16} stroke={1.8} aria-hidden />}
      data={options.map(([each, text]) => ({ value: each, label: text }))}
      value={value}
      onChange={(event) => {
        const chosen = options.find(([each]) => each === event.currentTarget.value);
        if (chosen !== undefined) onChange(chosen[0]);
      }}
    />
  );
}
