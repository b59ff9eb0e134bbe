import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import { Link } from './Link.tsx';
import classes from './TabLinks.module.css';

export type TabLink<Key extends string> = { key: Key; label: string; href: string };

/**
 * Tabs that are links: each has an address, can be opened in a new browser tab, and is a step for Back. Arrow keys move
 * between them; Enter and Space open one.
 */
export function TabLinks<Key extends string>(props: {
  /** The accessible name of the group. */
  label: string;
  tabs: readonly TabLink<Key>[];
  current: Key;
  children: ReactNode;
}) {
  const panelId = `panel-${props.current}`;
  const list = useRef<HTMLDivElement>(null);
  const selectedLabel = props.tabs.find(({ key }) => key === props.current)?.label;
  useEffect(() => scrollToTab(list.current, selectedLabel), [selectedLabel]);
  return (
    <>
      <div ref={list} role="tablist" aria-label={props.label} data-fade-edges className={classes.list}>
        {props.tabs.map(({ key, label, href }) => {
          const selected = key === props.current;
          return (
            <Link
              key={key}
              id={`tab-${key}`}
              href={href}
              role="tab"
              aria-selected={selected}
              aria-controls={selected ? panelId : undefined}
              tabIndex={selected ? 0 : -1}
              resetScroll={false}
              className={classes.tab}
              onKeyDown={moveFocus}
            >
              {label}
            </Link>
          );
        })}
      </div>
      <div role="tabpanel" id={panelId} aria-labelledby={`tab-${props.current}`}>
        {props.children}
      </div>
    </>
  );
}

/** A row of tabs that is wider than the page scrolls. The page itself does not. */
function scrollToTab(list: HTMLElement | null, label: string | undefined): void {
  const tab = [...(list?.children ?? [])]
    .find(({ textContent }) => textContent === label)
    ?.getBoundingClientRect();
  const row = list?.getBoundingClientRect();
  if (tab === undefined || row === undefined || (tab.left >= row.left && tab.right <= row.right)) return;
  list?.scrollBy({ left: (tab.left + tab.right - row.left - row.right) / 2, behavior: 'instant' });
}

function moveFocus(event: KeyboardEvent<HTMLAnchorElement>) {
  const tabs = [...(event.currentTarget.parentElement?.querySelectorAll<HTMLElement>('[role="tab"]') ?? [])];
  const at = tabs.indexOf(event.currentTarget);
  const forward = getComputedStyle(event.currentTarget).direction === 'rtl' ? 'ArrowLeft' : 'ArrowRight';
  const backward = forward === 'ArrowRight' ? 'ArrowLeft' : 'ArrowRight';
  const target =
    event.key === forward
      ? tabs[(at + 1) % tabs.length]
      : event.key === backward
        ? tabs.at(at - 1)
        : event.key === 'Home'
          ? tabs[0]
          : event.key === 'End'
            ? tabs.at(-1)
            : undefined;
  if (target !== undefined) {
    event.preventDefault();
    target.focus();
  }
  if (event.key === ' ') {
    event.preventDefault();
    event.currentTarget.click();
  }
}
