import { t } from '@lingui/core/macro';
import { useRef, type ClipboardEvent, type KeyboardEvent } from 'react';
import { toastError } from '#web/platform/toast.ts';
import { applyEdit, writtenIn } from './edit.ts';
import { planPaste } from './paste/paste.ts';

/**
 * What is pasted becomes Markdown where it was more than text. `noteKey` hears every key: with Shift, Ctrl or ⌘ and V
 * paste what they do everywhere, the bare text.
 */
export function usePasting(): {
  noteKey: (event: KeyboardEvent) => void;
  onPaste: (event: ClipboardEvent<HTMLTextAreaElement>) => void;
} {
  const plainly = useRef(false);
  const noteKey = (event: KeyboardEvent) => {
    plainly.current = event.shiftKey && (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'v';
  };
  const onPaste = (event: ClipboardEvent<HTMLTextAreaElement>) => {
    const asText = plainly.current;
    plainly.current = false;
    if (asText) return;
    const field = event.currentTarget;
    const { clipboardData } = event;
    const plain = clipboardData.getData('text/plain');
    const html = clipboardData.getData('text/html');
    const plan = planPaste({ plain, html, types: clipboardData.types }, writtenIn(field));
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
    const { htmlToMarkdown } = await import('./paste/from-clipboard.ts');
    markdown = htmlToMarkdown(html);
  } catch {
    // Without the converter, or where it fails (elements nested by the thousand), the plain text is what is left.
  }
  const text = markdown === '' ? plain : markdown;
  if (text === '') return toastError(t`There is no text in what was pasted.`);
  insert(field, text);
}

function insert(field: HTMLTextAreaElement, text: string): void {
  const { from, to } = writtenIn(field);
  // As a text field keeps its lines.
  applyEdit(field, { from, to, insert: text.replaceAll(/\r\n?/gu, '\n') });
}
