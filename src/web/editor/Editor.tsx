import { DraftIndicator, type DraftStatus } from '#web/ui/DraftIndicator.tsx';
import { plural, t } from '@lingui/core/macro';
import {
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  type RefObject,
  Suspense,
  useEffect,
  useId,
  useImperativeHandle,
  useRef,
  useState,
} from 'react';
import { lazyComponent } from '#web/core/lazy.ts';
import type MarkdownToolbarElement from '@github/markdown-toolbar-element';
import { countCodePoints } from '#shared/core/text.ts';
import { isComposing } from '#web/core/composition.ts';
import { CharacterCounter } from '#web/ui/CharacterCounter.tsx';
import { applyEdit, type FieldText, readField, type TextEdit } from './text-edits.ts';
import { useAutoGrow, useStayAboveKeyboard } from './field-size.ts';
import { getKeyEffect } from './editor-keys.ts';
import { usePaste } from './usePaste.ts';
import { usePictures } from './usePictures.ts';
import type { MentionableMember } from './suggestion-items.ts';
import type { TextStyle } from './Toolbar.tsx';
import { useInputRules } from './useInputRules.ts';
import { type Suggestions, useSuggestions } from './useSuggestions.ts';
import { EditorTabs, SidePreviewButton } from './EditorTabs.tsx';
import { useScrollSync, useSidePreview } from './useSidePreview.ts';
import classes from './Editor.module.css';
import fieldStyles from './field.module.css';
import { useDebouncedValue } from '@mantine/hooks';

type Props = {
  /** The field's accessible name; also its visible label unless `hideLabel` is set. */
  label: string;
  hideLabel?: boolean;
  name?: string;
  value: string;
  onChange: (value: string) => void;
  /** In code points. `counter` says whether the counter is always visible or only near the limit. */
  limit: number;
  counter?: 'always' | 'near';
  /** The error message, shown below the field, which is marked as invalid. */
  error?: string | null;
  /** Marks the field without a message, which another field shows. */
  invalid?: boolean;
  draft?: DraftStatus;
  placeholder?: string;
  /** The minimum height in lines. */
  rows?: number;
  /** Small and without the toolbar until the member starts to write. */
  compact?: boolean;
  disabled?: boolean;
  /** While the text is sent, so that what is typed meanwhile is not lost. */
  readOnly?: boolean;
  /** The participants of the thread, suggested first after '@'. */
  mentionable?: () => readonly MentionableMember[];
  /** Ctrl or ⌘ with Enter. */
  onSubmit?: () => void;
  /** Esc. */
  onCancel?: () => void;
  /** The buttons next to the counter. */
  actions?: ReactNode;
  handle?: Ref<EditorHandle>;
};

export type EditorHandle = {
  /** At the end of the text, or with a selection. */
  focus: (selection?: readonly [number, number]) => void;
  /** Leaves the field, and makes a `compact` one small again, when its text was posted. */
  collapse: () => void;
};

/** In code points. Only longer texts can have their preview at the side; shorter ones fit on the screen. */
const sidePreviewMinLength = 2000;

const compactRows = 1;

const noMembers = (): readonly MentionableMember[] => [];

const SuggestionList = lazyComponent(async () => {
  const { SuggestionList } = await import('./SuggestionList.tsx');
  return { default: SuggestionList };
});

/**
 * The Markdown editor for questions, answers and replies: a plain text field with a toolbar, keyboard shortcuts,
 * continued lists, paste as Markdown, suggestions (members, questions, languages) and a preview.
 */
export function Editor(props: Props) {
  const { label, value, onChange, limit, error = null } = props;
  const isInvalid = error !== null || props.invalid === true;
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const preview = useRef<HTMLElement>(null);
  const toolbar = useRef<MarkdownToolbarElement>(null);
  const [previewing, setPreviewing] = useState(false);
  const [entered, setEntered] = useState(false);
  const isCompact = props.compact === true && !entered && value === '';
  const rows = isCompact ? compactRows : (props.rows ?? 5);
  const { frame, possible, chosen, toggle } = useSidePreview(limit >= sidePreviewMinLength);
  // An empty field uses the full width.
  const showsSidePreview = possible && chosen && !previewing && value.trim() !== '';
  const scroll = useScrollSync(field, preview);
  const suggestions = useSuggestions(field, props.mentionable ?? noMembers);
  const { noteKey, onPaste } = usePaste();
  const pictures = usePictures(field, value);
  useStayAboveKeyboard(field, isCompact);
  useInputRules(field);
  useAutoGrow(field, value);
  useImperativeHandle(props.handle, () => ({
    focus(selection) {
      focusField(field.current, selection);
      // The text may end in what suggestions are for, and was typed before this field was there.
      if (selection !== undefined) suggestions.update(true);
    },
    collapse() {
      field.current?.blur();
      setEntered(false);
      setPreviewing(false);
    },
  }));

  const edit = (edit: (fieldText: FieldText) => TextEdit) => {
    if (field.current === null) return;
    applyEdit(field.current, edit(readField(field.current)));
    suggestions.update(true);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    noteKey(event);
    const submitting = pictures.refusePost === null ? props : { ...props, onSubmit: pictures.refusePost };
    if (isComposing(event.nativeEvent) || suggestions.onKeyDown(event) || submitOrCancel(event, submitting))
      return;
    const effect = getKeyEffect(event, readField(event.currentTarget));
    if (effect === null) return;
    event.preventDefault();
    event.stopPropagation();
    if ('style' in effect) clickTool(toolbar.current, effect.style);
    else edit(() => effect.edit);
  };

  return (
    <div className={fieldStyles.editor}>
      <label htmlFor={id} className={props.hideLabel ? fieldStyles.hidden : fieldStyles.label}>
        {label}
      </label>
      <div
        ref={frame}
        className={fieldStyles.frame}
        data-invalid={isInvalid || undefined}
        data-compact={isCompact || undefined}
        data-dropping={pictures.isDropping || undefined}
        onFocus={() => setEntered(true)}
        {...pictures.dropTarget}
      >
        <div className={fieldStyles.bar}>
          <EditorTabs id={id} preview={previewing} onChange={setPreviewing} />
          {!previewing && (
            <Suspense fallback={<span className={fieldStyles.toolbarSpace} />}>
              <Toolbar fieldId={id} ref={toolbar} onEdit={edit} onPictures={pictures.add} />
            </Suspense>
          )}
          {!previewing && possible && <SidePreviewButton pressed={chosen} onPress={toggle} />}
        </div>
        <div
          role="tabpanel"
          id={`${id}-write-panel`}
          aria-labelledby={`${id}-write`}
          hidden={previewing}
          className={classes.write}
          data-side-preview={showsSidePreview || undefined}
        >
          <textarea
            ref={field}
            id={id}
            name={props.name}
            // An empty field has the direction of the page.
            dir={value === '' ? undefined : 'auto'}
            rows={rows}
            style={{ minBlockSize: `calc(${rows} * 1lh + 1.5rem)` }}
            className={fieldStyles.field}
            value={value}
            placeholder={props.placeholder}
            disabled={props.disabled}
            readOnly={props.readOnly}
            aria-invalid={isInvalid || undefined}
            aria-describedby={error === null ? undefined : `${id}-error`}
            {...getSuggestionAria(id, suggestions)}
            onChange={(event) => {
              // The toolbar and a pasted text change a read-only field too.
              if (props.readOnly === true) return;
              onChange(event.currentTarget.value);
              suggestions.update(true);
            }}
            onSelect={() => suggestions.update(false)}
            onBlur={suggestions.close}
            onKeyDown={onKeyDown}
            onPaste={(event) => pictures.onPaste(event) || onPaste(event)}
            onScroll={scroll.onFieldScroll}
          />
          {showsSidePreview && (
            <section
              ref={preview}
              {...getFocusableProps(t`Preview`)}
              className={classes.aside}
              onScroll={scroll.onPreviewScroll}
            >
              <EditorPreview text={value} onShown={scroll.follow} />
            </section>
          )}
        </div>
        {previewing && (
          <div
            role="tabpanel"
            id={`${id}-preview-panel`}
            aria-labelledby={`${id}-preview`}
            className={classes.preview}
          >
            <EditorPreview text={value} />
          </div>
        )}
      </div>
      {error !== null && (
        <p id={`${id}-error`} role="alert" className={classes.error}>
          {error}
        </p>
      )}
      <Pictures {...pictures} field={field} value={value} />
      <SuggestionBox id={`${id}-list`} field={field} suggestions={suggestions} />
      <div className={fieldStyles.foot}>
        {props.actions}
        <span className={fieldStyles.notes}>
          <DraftIndicator state={props.draft ?? 'empty'} />
          {isCounterVisible(props) && <CharacterCounter text={value} max={limit} />}
        </span>
      </div>
    </div>
  );
}

/** Clicks a tool programmatically. */
function clickTool(toolbar: MarkdownToolbarElement | null, style: TextStyle): void {
  toolbar?.querySelector<HTMLButtonElement>(`[data-md-button="${style}"]`)?.click();
}

/** Ctrl or ⌘ with Enter submits, Esc cancels. */
function submitOrCancel(event: KeyboardEvent, { onSubmit, onCancel }: Props): boolean {
  const send = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
  const action = send ? onSubmit : event.key === 'Escape' ? onCancel : undefined;
  if (action === undefined) return false;
  event.preventDefault();
  if (!send) event.stopPropagation();
  action();
  return true;
}

/** The ARIA attributes that connect the field with its list and the active option. */
function getSuggestionAria(id: string, { trigger, active }: Suggestions) {
  if (trigger === null) return {};
  return {
    'aria-autocomplete': 'list' as const,
    'aria-haspopup': 'listbox' as const,
    'aria-controls': `${id}-list`,
    'aria-activedescendant': `${id}-list-${active}`,
  };
}

function SuggestionBox(props: {
  id: string;
  field: RefObject<HTMLTextAreaElement | null>;
  suggestions: Suggestions;
}) {
  const { trigger, items, active, pick } = props.suggestions;
  const count = plural(items.length, {
    one: '# suggestion. Use the arrow keys to choose, Enter to insert, Escape to close the list.',
    other: '# suggestions. Use the arrow keys to choose, Enter to insert, Escape to close the list.',
  });
  return (
    <>
      <span aria-live="polite" className={fieldStyles.hidden}>
        {trigger !== null && count}
      </span>
      {trigger !== null && (
        <Suspense>
          <SuggestionList
            id={props.id}
            field={props.field}
            trigger={trigger}
            items={items}
            active={active}
            onPick={pick}
          />
        </Suspense>
      )}
    </>
  );
}

const Toolbar = lazyComponent(async () => {
  const { Toolbar } = await import('./Toolbar.tsx');
  return { default: Toolbar };
});

const PictureUpload = lazyComponent(async () => {
  const { PictureUpload } = await import('./PictureUpload.tsx');
  return { default: PictureUpload };
});

const DescriptionHint = lazyComponent(async () => {
  const { DescriptionHint } = await import('./PictureUpload.tsx');
  return { default: DescriptionHint };
});

/** The pictures that are being uploaded, and the hint for those that have no description yet. */
function Pictures({
  added,
  remove,
  retry,
  field,
  value,
}: Pick<ReturnType<typeof usePictures>, 'added' | 'remove' | 'retry'> & {
  field: RefObject<HTMLTextAreaElement | null>;
  value: string;
}) {
  return (
    <Suspense>
      {added.map((picture) => (
        <PictureUpload
          key={picture.id}
          picture={picture}
          field={field}
          onEnd={() => remove(picture.id)}
          onRetry={() => retry(picture.id)}
        />
      ))}
      {value.includes('](/uploads/') && <DescriptionHint value={value} />}
    </Suspense>
  );
}

/** The preview scrolls, so the keyboard must be able to focus it. */
const getFocusableProps = (label: string) => ({ 'aria-label': label, tabIndex: 0 });

function isCounterVisible({ value, limit, counter = 'always' }: Props): boolean {
  if (counter === 'always') return true;
  return value.length > limit * 0.9 && countCodePoints(value.trim()) > limit * 0.9;
}

function focusField(field: HTMLTextAreaElement | null, selection?: readonly [number, number]): void {
  if (field === null) return;
  const { length } = field.value;
  field.focus();
  field.setSelectionRange(...(selection ?? [length, length]));
}

const Markdown = lazyComponent(async () => {
  const { Markdown, preloadMarkdown } = await import('#web/ui/markdown/Markdown.tsx');
  await preloadMarkdown();
  return { default: Markdown };
});

/** In UTF-16 units. Rendering a longer text takes too long for every key press. */
const slowPreviewLength = 5000;

/**
 * The rendered text, updated when typing pauses.
 * @param onShown called after it has changed.
 */
function EditorPreview({ text, onShown }: { text: string; onShown?: (text: string) => void }) {
  const [rendered] = useDebouncedValue(text.trim(), text.length > slowPreviewLength ? 500 : 150);
  useEffect(() => onShown?.(rendered), [rendered, onShown]);
  if (rendered === '') return <p className={classes.empty}>{t`Nothing to preview`}</p>;
  return (
    <Suspense>
      <Markdown text={rendered} />
    </Suspense>
  );
}
