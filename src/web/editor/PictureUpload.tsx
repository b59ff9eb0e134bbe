import { t } from '@lingui/core/macro';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { isTransient } from '#web/core/errors.ts';
import { uploadPicture } from '#web/core/upload-picture.ts';
import { applyEdit, readField, type TextEdit } from './text-edits.ts';
import type { AddedPicture } from './usePictures.ts';
import classes from './PictureUpload.module.css';

type Props = {
  picture: AddedPicture;
  field: RefObject<HTMLTextAreaElement | null>;
  /** The upload was finished, cancelled or given up. */
  onEnd: () => void;
  onRetry: () => void;
};

/** Uploads a picture. Shows its progress or its error, and a placeholder in the text until its Markdown is there. */
export function PictureUpload({ picture: { file, placeholder }, field, onEnd, onRetry }: Props) {
  const [sent, setSent] = useState(0);
  const [failure, setFailure] = useState<unknown>(null);
  const end = useRef(onEnd);
  useEffect(() => void (end.current = onEnd), [onEnd]);
  useEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    const upload = async () => {
      insertAtCaret(field.current, placeholder);
      try {
        const { path } = await uploadPicture('/api/uploads', file, { signal, onProgress: setSent });
        replacePlaceholder(field.current, placeholder, toMarkdown(path));
        end.current();
      } catch (error) {
        replacePlaceholder(field.current, placeholder, null);
        if (!signal.aborted) setFailure(error);
      }
    };
    void upload();
    return () => ending.abort();
  }, [field, file, placeholder]);
  const { name } = file;
  if (failure instanceof Error)
    return (
      <div className={classes.upload}>
        <p role="alert" className={classes.error}>
          <bdi className={classes.name}>{name}</bdi>: {failure.message}
        </p>
        <span className={classes.buttons}>
          {isTransient(failure) && (
            <button type="button" className={classes.button} onClick={onRetry}>{t`Try again`}</button>
          )}
          <button type="button" className={classes.button} onClick={onEnd}>{t`Dismiss`}</button>
        </span>
      </div>
    );
  const label = t`Uploading ${name} …`;
  return (
    <div className={classes.upload}>
      <span className={classes.label}>{label}</span>
      <progress aria-label={label} className={classes.progress} max={1} value={sent} />
      <button type="button" className={classes.button} onClick={onEnd}>{t`Cancel upload`}</button>
    </div>
  );
}

/** The Markdown of a new picture. Its alternative text is empty, so that no placeholder is posted. */
const toMarkdown = (path: string) => `![](${path})`;

/** Asks for the alternative text while a picture in the text has none. */
export function DescriptionHint({ value }: { value: string }) {
  if (!value.includes('![](/uploads/')) return null;
  return (
    <p aria-live="polite" className={classes.hint}>
      {t`Describe the picture between the square brackets, for people who can't see it.`}
    </p>
  );
}

/** Inserts a placeholder. If the caret is in an alternative text, the picture follows on the next line. */
function insertAtCaret(field: HTMLTextAreaElement | null, text: string): void {
  if (field === null) return;
  const { text: before, from, to } = readField(field);
  const described = /^[^\]\n]*\]\(\/uploads\/[^)\n]*\)/u.exec(before.slice(to));
  const isInPicture = before.slice(0, from).endsWith('![') && described !== null;
  const end = isInPicture ? to + described[0].length : to;
  const start = isInPicture ? end : from;
  edit(field, { from: start, to: end, insert: before.slice(0, start).endsWith(')') ? `\n${text}` : text });
}

/**
 * Replaces the placeholder, unless the author deleted it. Moves the caret into the alternative text if it is still behind
 * the placeholder; otherwise the caret stays where the author is writing.
 * @param markdown null removes the placeholder
 */
function replacePlaceholder(
  field: HTMLTextAreaElement | null,
  placeholder: string,
  markdown: string | null,
): void {
  if (field === null) return;
  const { text, from: caret, to } = readField(field);
  const from = text.indexOf(placeholder);
  if (from === -1) return;
  const end = from + placeholder.length;
  const insert = markdown ?? '';
  const move = (position: number) =>
    position >= end ? position + insert.length - placeholder.length : position;
  const isBehind = markdown !== null && caret === end && to === end;
  const select = isBehind
    ? ([from + '!['.length, from + '!['.length] as const)
    : ([move(caret), move(to)] as const);
  edit(field, { from, to: end, insert, select });
}

/** Like `applyEdit`, but leaves the focus where the author is writing meanwhile. */
function edit(field: HTMLTextAreaElement, change: TextEdit): void {
  if (mayFocus(field, document.activeElement)) return applyEdit(field, change);
  const { from, to, insert, select } = change;
  field.setRangeText(insert, from, to, 'end');
  if (select !== undefined) field.setSelectionRange(...select);
  field.dispatchEvent(new Event('input', { bubbles: true }));
}

/** Not while the preview is shown, or while another field or a dialog has the focus. */
function mayFocus(field: HTMLTextAreaElement, active: Element | null): boolean {
  if (field.offsetParent === null) return false;
  if (active === null || active === field || active === document.body) return true;
  return field.form?.contains(active) === true && !active.matches('input, textarea');
}
