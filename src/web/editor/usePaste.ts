import { t } from '@lingui/core/macro';
import { useRef, type ClipboardEvent, type KeyboardEvent } from 'react';
import { toastError } from '#web/core/toast.ts';
import { applyEdit, readField } from './text-edits.ts';
import { planPaste } from './paste-plan.ts';

/** Pastes formatted content as Markdown. `noteKey` must get every key: Ctrl or ⌘ with Shift and V pastes plain text. */
export function usePaste(): {
  noteKey: (event: KeyboardEvent) => void;
  onPaste: (event: ClipboardEvent<HTMLTextAreaElement>) => void;
} {
  const isPlainPaste = useRef(false);
  const noteKey = (event: KeyboardEvent) => {
    isPlainPaste.current =
      event.shiftKey && (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'v';
  };
  const onPaste = (event: ClipboardEvent<HTMLTextAreaElement>) => {
    const asText = isPlainPaste.current;
    isPlainPaste.current = false;
    if (asText) return;
    const field = event.currentTarget;
    const { clipboardData } = event;
    const plain = clipboardData.getData('text/plain');
    const html = clipboardData.getData('text/html');
    const plan = planPaste({ plain, html, types: clipboardData.types }, readField(field));
    if (plan === null) return;
    event.preventDefault();
    if (plan.kind === 'text') insert(field, plan.insert);
    else void pasteHtml(field, plan.html, plain);
  };
  return { noteKey, onPaste };
}

async function pasteHtml(field: HTMLTextAreaElement, html: string, plain: string): Promise<void> {
  let markdown = '';
  try {
    const { convertHtmlToMarkdown } = await import('./paste-markdown.ts');
    markdown = convertHtmlToMarkdown(html);
  } catch {
    // Without the converter, or if it fails (deeply nested elements), the plain text is pasted.
  }
  const text = markdown === '' ? plain : markdown;
  if (text === '') return toastError(t`The clipboard contains no text.`);
  insert(field, text);
}

function insert(field: HTMLTextAreaElement, text: string): void {
  const { from, to } = readField(field);
  // Normalizes line breaks like a text field.
  applyEdit(field, { from, to, insert: text.replaceAll(/\r\n?/gu, '\n') });
}
