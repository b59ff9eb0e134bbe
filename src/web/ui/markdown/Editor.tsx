import {
  useId,
  useImperativeHandle,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
  type Ref,
} from 'react';
import type MarkdownToolbarElement from '@github/markdown-toolbar-element';
import { codePoints } from '#shared/text.ts';
import type { DraftState } from '#web/platform/drafts.ts';
import { Markdown } from './Markdown.tsx';
import { Counter } from '#web/ui/Counter.tsx';
import { DraftNote } from '#web/ui/DraftNote.tsx';
import { applyStyle, Toolbar, type TextStyle } from './Toolbar.tsx';
import { useStayAboveKeyboard } from './keyboard.ts';
import classes from './Editor.module.css';

type Props = {
  /** The field's accessible name; its visible label unless `hideLabel`. */
  label: string;
  hideLabel?: boolean;
  name?: string;
  value: string;
  onChange: (value: string) => void;
  /** In code points. The counter shows always, or near the limit only. */
  limit: number;
  counter?: 'always' | 'near';
  /** What is wrong with the text; shown below the field, which is marked. */
  error?: string | null;
  draft?: DraftState;
  placeholder?: string;
  /** Lines shown while there is little text. */
  rows?: number;
  disabled?: boolean;
  /** Ctrl or ⌘ with Enter. */
  onSubmit?: () => void;
  /** Esc. */
  onCancel?: () => void;
  /** The buttons beside the counter. */
  actions?: ReactNode;
  handle?: Ref<EditorHandle>;
};

export type EditorHandle = { focus: () => void };

/** A plain text field for Markdown, with a toolbar, the shortcuts people know, and a preview. */
export function Editor(props: Props) {
  const {
    label,
    value,
    onChange,
    limit,
    counter = 'always',
    error = null,
    draft = 'empty',
    rows = 5,
  } = props;
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const toolbar = useRef<MarkdownToolbarElement>(null);
  const [preview, setPreview] = useState(false);
  useStayAboveKeyboard(field);
  useImperativeHandle(props.handle, () => ({ focus: () => focusAtEnd(field.current) }), []);

  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing) return;
    const command = event.ctrlKey || event.metaKey;
    if (event.key === 'Enter' && command && props.onSubmit !== undefined) {
      event.preventDefault();
      props.onSubmit();
      return;
    }
    if (event.key === 'Escape' && props.onCancel !== undefined) {
      event.preventDefault();
      event.stopPropagation();
      props.onCancel();
      return;
    }
    const style = styleOf(event, command);
    if (style === null) return;
    event.preventDefault();
    applyStyle(toolbar.current, style);
  };

  const counted = counter === 'always' || codePoints(value.trim()) > limit * 0.9;
  return (
    <div className={classes.editor}>
      <label htmlFor={id} className={props.hideLabel ? classes.hidden : classes.label}>
        {label}
      </label>
      <div className={classes.frame} data-invalid={error !== null || undefined}>
        <div className={classes.bar}>
          <Views id={id} preview={preview} onChange={setPreview} />
          {!preview && <Toolbar fieldId={id} ref={toolbar} />}
        </div>
        <div role="tabpanel" id={`${id}-write-panel`} aria-labelledby={`${id}-write`} hidden={preview}>
          <textarea
            ref={field}
            id={id}
            name={props.name}
            dir="auto"
            rows={rows}
            style={{ minBlockSize: `calc(${rows} * 1lh + 1.5rem)` }}
            className={classes.field}
            value={value}
            placeholder={props.placeholder}
            disabled={props.disabled}
            aria-invalid={error !== null || undefined}
            aria-describedby={error === null ? undefined : `${id}-error`}
            onChange={(event) => onChange(event.currentTarget.value)}
            onKeyDown={onKeyDown}
          />
        </div>
        {preview && (
          <div
            role="tabpanel"
            id={`${id}-preview-panel`}
            aria-labelledby={`${id}-preview`}
            className={classes.preview}
          >
            {value.trim() === '' ? (
              <p className={classes.nothing}>Nothing to preview</p>
            ) : (
              <Markdown text={value.trim()} />
            )}
          </div>
        )}
      </div>
      {error !== null && (
        <p id={`${id}-error`} role="alert" className={classes.error}>
          {error}
        </p>
      )}
      <div className={classes.foot}>
        {props.actions}
        <span className={classes.notes}>
          <DraftNote state={draft} />
          {counted && <Counter text={value} max={limit} />}
        </span>
      </div>
    </div>
  );
}

function Views({
  id,
  preview,
  onChange,
}: {
  id: string;
  preview: boolean;
  onChange: (preview: boolean) => void;
}) {
  const tabs = [
    { key: 'write', name: 'Write', selected: !preview },
    { key: 'preview', name: 'Preview', selected: preview },
  ];
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
    event.preventDefault();
    onChange(!preview);
    document.getElementById(`${id}-${preview ? 'write' : 'preview'}`)?.focus();
  };
  return (
    <div role="tablist" aria-label="Editor view" className={classes.views}>
      {tabs.map(({ key, name, selected }) => (
        <button
          key={key}
          type="button"
          role="tab"
          id={`${id}-${key}`}
          aria-selected={selected}
          aria-controls={selected ? `${id}-${key}-panel` : undefined}
          tabIndex={selected ? 0 : -1}
          className={classes.view}
          onClick={() => onChange(key === 'preview')}
          onKeyDown={onKeyDown}
        >
          {name}
        </button>
      ))}
    </div>
  );
}

function styleOf(event: KeyboardEvent<HTMLTextAreaElement>, command: boolean): TextStyle | null {
  const field = event.currentTarget;
  if (event.altKey) return null;
  if (event.key === '`' && !command && field.selectionStart !== field.selectionEnd) return 'code';
  if (!command || event.shiftKey) return null;
  return styleKeys[event.key.toLowerCase()] ?? null;
}

const styleKeys: Readonly<Record<string, TextStyle>> = { b: 'bold', i: 'italic', k: 'link', e: 'code' };

function focusAtEnd(field: HTMLTextAreaElement | null): void {
  if (field === null) return;
  field.focus();
  field.setSelectionRange(field.value.length, field.value.length);
}
