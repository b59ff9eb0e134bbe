import { IconChevronDown } from '@tabler/icons-react';
import { useId } from 'react';
import fields from './fields.module.css';
import classes from './SelectField.module.css';

/**
 * A native select with its label next to it; on phones the label is above it or hidden. Mantine's select would add 7 KB
 * to the question page.
 */
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
  const id = useId();
  return (
    <div className={short ? classes.short : classes.field}>
      <label htmlFor={id} className={classes.label}>
        {label}
      </label>
      <div className={classes.box}>
        <select
          id={id}
          className={`${classes.select} ${fields.input}`}
          value={value}
          onChange={(event) => {
            const chosen = options.find(([each]) => each === event.currentTarget.value);
            if (chosen !== undefined) onChange(chosen[0]);
          }}
        >
          {options.map(([each, text]) => (
            <option key={each} value={each}>
              {text}
            </option>
          ))}
        </select>
        <IconChevronDown className={classes.arrow} size={16} stroke={1.8} aria-hidden />
      </div>
    </div>
  );
}
