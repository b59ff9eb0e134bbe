import { NativeSelect } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import classes from './SelectField.module.css';

/** The browser's own select, with its label beside it: above it on phones. */
export function SelectField<Value extends string>({
  label,
  options,
  value,
  onChange,
}: {
  label: string;
  options: readonly (readonly [value: Value, label: string])[];
  value: Value;
  onChange: (value: Value) => void;
}) {
  return (
    <NativeSelect
      label={label}
      size="md"
      classNames={{ root: classes.field ?? '', label: classes.label ?? '' }}
      rightSection={<IconChevronDown size={16} stroke={1.8} aria-hidden />}
      data={options.map(([value, label]) => ({ value, label }))}
      value={value}
      onChange={(event) => {
        const chosen = options.find(([value]) => value === event.currentTarget.value);
        if (chosen !== undefined) onChange(chosen[0]);
      }}
    />
  );
}
