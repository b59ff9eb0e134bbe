import type { KeyboardEvent } from 'react';
import type { TextEdit, FieldText } from './text-edits.ts';
import { isAtItemStart, moveItems } from './lists.ts';
import type { TextStyle } from './Toolbar.tsx';
import { wrapInFence } from './wrap-selection.ts';

/** What a key does to the text: a tool of the bar, or an edit of its own. */
export type KeyEffect = { style: TextStyle } | { edit: TextEdit };

const commandStyles: Readonly<Record<string, TextStyle>> = { b: 'bold', i: 'italic', k: 'link', e: 'code' };

/** By place, because Shift changes the sign: 7 and 8 on every keyboard, the full stop on most. */
const shiftStyles: Readonly<Record<string, TextStyle>> = {
  Digit7: 'ordered-list',
  Digit8: 'unordered-list',
  Period: 'quote',
};

/**
 * The shortcuts people know. Tab moves a list item only where the caret stands before its text, and only as far as it
 * can be moved: pressed again it leaves the field, as everywhere else.
 */
export function getKeyEffect(event: KeyboardEvent, written: FieldText): KeyEffect | null {
  if (event.altKey) return null;
  const command = event.ctrlKey || event.metaKey;
  const move = (way: 'in' | 'out') => {
    const edit = moveItems(written, way);
    return edit && { edit };
  };
  if (event.key === 'Tab' && !command) {
    return isAtItemStart(written) ? move(event.shiftKey ? 'out' : 'in') : null;
  }
  if (!command) return null;
  if (event.key === ']') return move('in');
  if (event.key === '[') return move('out');
  if (!event.shiftKey) {
    const style = commandStyles[event.key.toLowerCase()];
    return style === undefined ? null : { style };
  }
  if (event.key.toLowerCase() === 'e') return { edit: wrapInFence(written) };
  const style = shiftStyles[event.code];
  return style === undefined ? null : { style };
}
