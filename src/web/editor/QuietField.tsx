import { t } from '@lingui/core/macro';
import type { KeyboardEvent, ReactNode, RefObject } from 'react';
import classes from './field.module.css';

/**
 * Looks like an empty `Editor` until it is loaded and rendered. What is typed stays in the field.
 * @param compact as in `Editor`, without the bar above the field
 */
export function QuietField({
  id,
  label,
  hideLabel = false,
  placeholder,
  compact = false,
  rows,
  field,
  onComposing,
  onKeyDown,
  children,
}: {
  id: string;
  label: string;
  hideLabel?: boolean;
  placeholder: string;
  compact?: boolean;
  rows: number;
  field: RefObject<HTMLTextAreaElement | null>;
  onComposing: (isComposing: boolean) => void;
  onKeyDown: (event: KeyboardEvent) => void;
  /** The buttons. */
  children: ReactNode;
}) {
  return (
    <div className={classes.editor}>
      <label htmlFor={id} className={hideLabel ? classes.hidden : classes.label}>
        {label}
      </label>
      <div className={classes.frame} data-compact={compact || undefined}>
        {!compact && (
          <div className={classes.bar} aria-hidden="true">
            <div className={classes.views}>
              <span className={classes.view}>{t`Write`}</span>
              <span className={classes.view}>{t`Preview`}</span>
            </div>
            <span className={classes.toolbarSpace} />
          </div>
        )}
        <div>
          <textarea
            ref={field}
            id={id}
            rows={rows}
            style={{ minBlockSize: `calc(${rows} * 1lh + 1.5rem)` }}
            className={classes.field}
            placeholder={placeholder}
            // As in `Editor`: an empty field has the direction of the page.
            onInput={({ currentTarget }) => (currentTarget.dir = currentTarget.value && 'auto')}
            onKeyDown={onKeyDown}
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
