import { useRef, useState, type KeyboardEvent, type RefObject } from 'react';
import { applyEdit } from './text-edits.ts';
import { useSuggestionItems, type Suggestion, type MentionableMember } from './suggestion-items.ts';
import { findTrigger, type SuggestionTrigger } from './suggestion-triggers.ts';

export type Suggestions = {
  /** The text being completed; null while the list is closed. */
  trigger: SuggestionTrigger | null;
  items: readonly Suggestion[];
  active: number;
  /**
   * Checks the text before the caret. Typing opens the list; moving the caret only updates or closes it, so that no
   * list pops up over text being read.
   */
  update: (typed: boolean) => void;
  close: () => void;
  pick: (index: number) => void;
  /** Returns true if the list has handled the key. */
  onKeyDown: (event: KeyboardEvent) => boolean;
};

/** The suggestions of a field: the options and the keys. The focus stays in the field. */
export function useSuggestions(
  field: RefObject<HTMLTextAreaElement | null>,
  people: () => readonly MentionableMember[],
): Suggestions {
  const [{ trigger, thread, text }, setOpen] = useState(closed);
  const [choice, setChoice] = useState({ query: '', index: 0 });
  /** Where Esc closed the list. Typing on there does not open it again. */
  const dismissed = useRef<number | null>(null);
  const items = useSuggestionItems(trigger, thread, text);
  const active =
    trigger !== null && choice.query === trigger.query ? Math.min(choice.index, items.length - 1) : 0;
  const open = trigger !== null && items.length > 0 ? trigger : null;

  const close = () => setOpen((before) => (before.trigger === null ? before : closed));
  const update = (typed: boolean) => {
    const element = field.current;
    if (element === null || (!typed && trigger === null)) return;
    const { value, selectionStart, selectionEnd } = element;
    const newTrigger = selectionStart === selectionEnd ? findTrigger(value, selectionStart) : null;
    if (newTrigger?.from !== dismissed.current) dismissed.current = null;
    if (newTrigger === null || dismissed.current !== null) return close();
    setOpen((before) => ({
      trigger: newTrigger,
      thread:
        before.trigger?.kind === 'member' ? before.thread : newTrigger.kind === 'member' ? people() : [],
      text: value,
    }));
  };
  const pick = (index: number) => {
    const element = field.current;
    const item = items[index];
    if (element === null || item === undefined || trigger === null) return;
    applyEdit(element, item.edit(element.value, trigger));
    setOpen(closed);
  };

  const onKeyDown = (event: KeyboardEvent): boolean => {
    if (open === null || event.ctrlKey || event.metaKey || event.altKey) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      setChoice({ query: open.query, index: (active + step + items.length) % items.length });
    } else if ((event.key === 'Enter' || event.key === 'Tab') && !event.shiftKey) {
      pick(active);
    } else if (event.key === 'Escape') {
      dismissed.current = open.from;
      close();
    } else {
      return false;
    }
    event.preventDefault();
    event.stopPropagation();
    return true;
  };
  return { trigger: open, items, active, update, close, pick, onKeyDown };
}

const closed: { trigger: SuggestionTrigger | null; thread: readonly MentionableMember[]; text: string } = {
  trigger: null,
  thread: [],
  text: '',
};
