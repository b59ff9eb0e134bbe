import type { KeyboardEvent } from 'react';
import type { TextEdit, FieldText } from './text-edits.ts';
import { isAtItemStart, moveItems } from './lists.ts';
import type { TextStyle } from './Toolbar.tsx';
import { wrapInFence } from './wrap-selection.ts';

/** The effect of a key on the text: a toolbar style or an edit. */
export type KeyEffect = { style: TextStyle } | { edit: TextEdit };

const commandStyles: Readonly<Record<string, TextStyle>> = { b: 'bold', i: 'italic', k: 'link', e: 'code' };

/** By key position, because Shift changes the character: 7 and 8 on every keyboard, the full stop on most. */
const shiftStyles: Readonly<Record<string, TextStyle>> = {
  Digit7: 'ordered-list',
  Digit8: 'unordered-list',
  Period: 'quote',
};

/**
 * The usual shortcuts of editors. Tab indents a list item only if the caret is before its text and the item can move;
 * otherwise it leaves the field.
 */
export function getKeyEffect(event: KeyboardEvent, field: FieldText): KeyEffect | null {
  if (event.altKey) return null;
  const command = event.ctrlKey || event.metaKey;
  const move = (way: 'in' | 'out') => {
    const edit = moveItems(field, way);
    return edit && { edit };
  };
  if (event.key === 'Tab' && !command) {
    return isAtItemStart(field) ? move(event.shiftKey ? 'out' : 'in') : null;
  }
  if (!command) return null;
  if (event.key === ']') return move('in');
  if (event.key === '[') return move('out');
  if (!event.shiftKey) {
    const style = commandStyles[event.key.toLowerCase()];
    return style === undefined ? null : { style };
  }
  if (event.key.toLowerCase() === 'e') return { edit: wrapInFence(field) };
  const style = shiftStyles[event.code];
  return style === undefined ? null : { style };
}
