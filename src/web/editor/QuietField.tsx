import type { ReactNode, RefObject } from 'react';
import classes from './Editor.module.css';

/** Looks like an empty compact `Editor` until it is loaded. What is typed stays in the field. */
export function QuietField({
  id,
  label,
  placeholder,
  field,
  onComposing,
  children,
}: {
  id: string;
  label: string;
  placeholder: string;
  field: RefObject<HTMLTextAreaElement | null>;
  onComposing: (isComposing: boolean) => void;
  /** The buttons. */
  children: ReactNode;
}) {
  return (
    <div className={classes.editor}>
      <label htmlFor={id} className={classes.label}>
        {label}
      </label>
      <div className={classes.frame} data-compact>
        <div className={classes.write}>
          <textarea
            ref={field}
            id={id}
            dir="auto"
            rows={1}
            style={{ minBlockSize: 'calc(1 * 1lh + 1.5rem)' }}
            className={classes.field}
            placeholder={placeholder}
            onCompositionStart={() => onComposing(true)}
            onCompositionEnd={() => onComposing(false)}
          />
        </div>
      </div>
      <div className={classes.foot}>
        {children}
        <span className={classes.notes}>
          <output />
        </span>
      </div>
    </div>
  );
}
