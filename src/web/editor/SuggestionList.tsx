import { t } from '@lingui/core/macro';
import { autoUpdate, flip, offset, shift, size, useFloating } from '@floating-ui/react-dom';
import { InputRange } from 'dom-input-range';
import { useEffect, useLayoutEffect, type RefObject } from 'react';
import { Avatar } from '#web/ui/Avatar.tsx';
import type { Suggestion } from './suggestion-items.ts';
import type { SuggestionTrigger } from './suggestion-triggers.ts';
import classes from './SuggestionList.module.css';

type Props = {
  /** The id of the list. The ids of the options add their index: 'x-0'. */
  id: string;
  field: RefObject<HTMLTextAreaElement | null>;
  trigger: SuggestionTrigger;
  items: readonly Suggestion[];
  active: number;
  onPick: (index: number) => void;
};

const names = { member: () => t`Members`, question: () => t`Questions`, language: () => t`Code languages` };

/** The suggestions below the text being typed, or above it if there is no space. The focus stays in the field. */
export function SuggestionList({ id, field, trigger, items, active, onPick }: Props) {
  const { from } = trigger;
  const { refs, floatingStyles } = useFloating({
    strategy: 'fixed',
    placement: 'bottom-start',
    middleware: [offset(6), flip({ padding: 8 }), shift({ padding: 8 }), fitToWindow],
    whileElementsMounted: autoUpdate,
  });
  const { setReference, setFloating, floating: list } = refs;
  useLayoutEffect(() => {
    const element = field.current;
    if (element === null) return;
    setReference({
      contextElement: element,
      getBoundingClientRect: () => new InputRange(element, from, from).getBoundingClientRect(),
    });
  }, [setReference, field, from]);
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: 'nearest' });
  }, [list, active]);

  return (
    <div
      ref={setFloating}
      style={floatingStyles}
      {...listbox(id, names[trigger.kind]())}
      className={classes.list}
    >
      {items.map((item, index) => (
        <button
          key={item.key}
          type="button"
          tabIndex={-1}
          {...option(`${id}-${index}`, index === active)}
          className={classes.option}
          // The field keeps the focus, so that the on-screen keyboard stays open.
          onPointerDown={(event) => event.preventDefault()}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onPick(index)}
        >
          {item.member !== undefined && <Avatar {...item.member} size={24} />}
          {item.number !== undefined && <span className={classes.number}>#{item.number}</span>}
          <span dir="auto" className={classes.name}>
            {item.name}
          </span>
          {item.note !== undefined && <span className={classes.note}>{item.note}</span>}
        </button>
      ))}
    </div>
  );
}

// An ARIA listbox: a native select would take the focus from the field.
const listbox = (id: string, label: string) => ({ id, role: 'listbox', 'aria-label': label });
const option = (id: string, selected: boolean) => ({ id, role: 'option', 'aria-selected': selected });

/** Also fits the space above the on-screen keyboard. */
const fitToWindow = size({
  padding: 8,
  apply: ({ availableHeight, elements }) => {
    elements.floating.style.maxBlockSize = `${Math.max(96, Math.min(availableHeight, 320))}px`;
  },
});
