import { IconChevronDown } from '@tabler/icons-react';
import { useId } from 'react';
import fields from './fields.module.css';
import classes from './SelectField.module.css';

/**
 * A native select. In forms its label is above it, as with other fields; beside lists it can stand next to it. Mantine's
 * select would add 7 KB to the question page.
 */
export function SelectField<Value extends string>({
  label,
  hint,
  beside = null,
  options,
  value,
  onChange,
}: {
  label: string;
  /** Below the label, in forms. */
  hint?: string | null;
  /**
   * Puts the label next to the select, on phones above it. `short`: on phones the label is only for screen readers, since
   * the options are clear without it.
   */
  beside?: 'always' | 'short' | null;
  options: readonly (readonly [value: Value, label: string])[];
  value: Value;
  onChange: (value: Value) => void;
}) {
  const id = useId();
  return (
    <div
      className={beside === null ? undefined : classes.beside}
      data-short={beside === 'short' || undefined}
    >
      <label htmlFor={id} className={`${fields.label} ${classes.label}`}>
        {label}
      </label>
      {hint && (
        <p id={`${id}-hint`} className={fields.hint}>
          {hint}
        </p>
      )}
      <div className={classes.box}>
        <select
          id={id}
          aria-describedby={hint ? `${id}-hint` : undefined}
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
