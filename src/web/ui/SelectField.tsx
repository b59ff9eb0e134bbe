import { NativeSelect } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import classes from './SelectField.module.css';

/** A native select with its label next to it; on phones the label is above it or hidden. */
export function SelectField<Value extends string>({
  label,
  short = false,
  options,
  value,
  onChange,
}: {
  label: string;
  /** On phones the label is only for screen readers, since the options are clear without it. */
  short?: boolean;
  options: readonly (readonly [value: Value, label: string])[];
  value: Value;
  onChange: (value: Value) => void;
}) {
  return (
    <NativeSelect
      label={label}
      size="md"
      classNames={{ root: (short ? classes.short : classes.field) ?? '', label: classes.label ?? '' }}
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
