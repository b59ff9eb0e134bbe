import { useEffect, useRef, type RefObject } from 'react';
import { reuseClosingFence } from './code-blocks.ts';
import { applyEdit, readField } from './text-edits.ts';
import { continueLine } from './lists.ts';
import { wrapSelection } from './wrap-selection.ts';

/**
 * Continues lists on Enter, wraps a selection in typed marks, and closes a code block only once. Uses `beforeinput`,
 * which on-screen keyboards also send; they do not report keys.
 */
export function useInputRules(field: RefObject<HTMLTextAreaElement | null>): void {
  const plainEnter = useRef(false);
  useEffect(() => {
    const element = field.current;
    if (element === null) return;
    let editing = false;
    const noteShift = (event: KeyboardEvent) => {
      plainEnter.current = event.key === 'Enter' && event.shiftKey;
    };
    const onBeforeInput = (event: InputEvent) => {
      if (editing || event.isComposing) return;
      const edit = getInputRuleEdit(event, element, plainEnter.current);
      if (edit === null) return;
      event.preventDefault();
      editing = true;
      applyEdit(element, edit);
      editing = false;
    };
    element.addEventListener('keydown', noteShift);
    element.addEventListener('beforeinput', onBeforeInput);
    return () => {
      element.removeEventListener('keydown', noteShift);
      element.removeEventListener('beforeinput', onBeforeInput);
    };
  }, [field]);
}

function getInputRuleEdit(event: InputEvent, element: HTMLTextAreaElement, plainEnter: boolean) {
  if (event.inputType === 'insertText' && event.data !== null)
    return wrapSelection(readField(element), event.data) ?? reuseClosingFence(readField(element), event.data);
  const isEnter = event.inputType === 'insertLineBreak' || event.inputType === 'insertParagraph';
  return isEnter && !plainEnter ? continueLine(readField(element)) : null;
}
