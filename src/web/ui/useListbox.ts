import { useEffect, useState, type HTMLAttributes, type KeyboardEvent, type MouseEvent } from 'react';
import { isComposing } from '#web/core/composition.ts';

export type Listbox<Option> = {
  active: Option | undefined;
  /** The id of the active option; null if there is none. */
  activeId: string | null;
  /** Returns true if the list has handled the key. */
  onKeyDown: (event: KeyboardEvent) => boolean;
  /** For a field that only serves this list. */
  fieldProps: HTMLAttributes<HTMLInputElement>;
  listProps: HTMLAttributes<HTMLElement>;
  groupProps: (title: string) => HTMLAttributes<HTMLElement>;
  optionProps: (option: Option) => HTMLAttributes<HTMLElement>;
};

/**
 * The options below a field. Its arrow keys move between them and Enter selects one while the focus stays in the field
 * (ARIA Authoring Practices, combobox with a listbox). The active option stays active while others are added and
 * removed.
 * @param first whether the first option is active by default; otherwise none is.
 */
export function useListbox<Option>({
  id,
  options,
  keyOf,
  onChoose,
  label,
  first,
}: {
  id: string;
  options: readonly Option[];
  keyOf: (option: Option) => string;
  /** `event` is the key press or the click. */
  onChoose: (option: Option, event: KeyboardEvent | MouseEvent) => void;
  /** The accessible name of the list. */
  label: string;
  first: boolean;
}): Listbox<Option> {
  const [activeKey, setActiveKey] = useState<string | null>(null);
  const activeIndex = options.findIndex((option) => keyOf(option) === activeKey);
  const index = activeIndex === -1 && first && options.length > 0 ? 0 : activeIndex;
  const active = options[index];
  const idOf = (option: Option) => `${id}-${keyOf(option).replaceAll(/[^\w-]/gu, '_')}`;
  const activeId = active === undefined ? null : idOf(active);
  useEffect(() => {
    if (activeId !== null) document.getElementById(activeId)?.scrollIntoView({ block: 'nearest' });
  }, [activeId]);

  function move(by: 1 | -1) {
    const from = index === -1 && by === -1 ? 0 : index;
    const next = options[(from + by + options.length) % options.length];
    if (next !== undefined) setActiveKey(keyOf(next));
  }

  function onKeyDown(event: KeyboardEvent): boolean {
    if (isComposing(event.nativeEvent) || options.length === 0) return false;
    if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    else if (event.key === 'Enter' && active !== undefined) onChoose(active, event);
    else return false;
    event.preventDefault();
    return true;
  }

  return {
    active,
    activeId,
    onKeyDown,
    fieldProps: {
      role: 'combobox',
      'aria-expanded': options.length > 0,
      'aria-controls': id,
      'aria-autocomplete': 'list',
      'aria-activedescendant': activeId ?? undefined,
    },
    listProps: { role: 'listbox', id, 'aria-label': label },
    groupProps: (title) => ({ role: 'group', 'aria-label': title }),
    optionProps: (option) => ({
      role: 'option',
      id: idOf(option),
      'aria-selected': option === active,
      // The focus stays in the field.
      onMouseDown: (event) => event.preventDefault(),
      onMouseMove: () => setActiveKey(keyOf(option)),
      onClick: (event) => onChoose(option, event),
      onAuxClick: (event) => {
        if (event.button === 1) onChoose(option, event);
      },
    }),
  };
}
