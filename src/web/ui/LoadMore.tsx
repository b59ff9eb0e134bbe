import { Button } from './Button.tsx';
import { type KeyboardEvent, type MouseEvent, useEffect, useRef } from 'react';
import classes from './list-states.module.css';

/**
 * A button that loads more of a partial list: below it, or above it with `rel="prev"`. If the button has the focus and
 * the first new item is not below it, the focus moves to that item.
 */
export function LoadMore(props: {
  name: string;
  /** The error message of the last try. */
  failure: string | null;
  isLoading: boolean;
  load: () => void;
  /**
   * The address of the next page, or with `rel` of the previous one. Then the button is also a link, which works without
   * scripts, for search engines, and in a new tab.
   */
  href?: string | undefined;
  rel?: 'prev';
  /** Centered below a list, at the start of the line in a thread. */
  variant?: 'list' | 'thread';
}) {
  const { isLoading, href, rel = 'next', load, variant = 'list' } = props;
  const button = useRef<HTMLElement>(null);
  useEffect(() => {
    const pressed = button.current;
    if (!isLoading || pressed === null) return;
    const before = new Set(listStops());
    const last = [...before].findLast((stop) => precedes(stop, pressed));
    return () => {
      const focused = document.activeElement;
      if (last === undefined || !last.isConnected) return;
      if (focused !== pressed && focused !== document.body) return;
      const next = listStops().find((stop) => precedes(last, stop));
      const isOfList = next !== undefined && (!pressed.isConnected || precedes(next, pressed));
      if (isOfList && !before.has(next)) next.focus({ preventScroll: true });
    };
  }, [isLoading]);
  const look = { variant: 'default', size: variant === 'list' ? 'md' : 'sm', loading: isLoading } as const;
  const setButton = (element: HTMLElement | null) => {
    button.current = element;
  };
  const loadHere = (event: MouseEvent | KeyboardEvent) => {
    event.preventDefault();
    if (!isLoading) load();
  };
  return (
    <div className={variant === 'list' ? classes.loadMore : classes.loadMoreInThread}>
      {props.failure !== null && <p role="alert">{props.failure}</p>}
      {href === undefined ? (
        <Button ref={setButton} {...look} onClick={load}>
          {props.name}
        </Button>
      ) : (
        <Button
          {...look}
          renderRoot={({ children, ...props }) => (
            <a
              {...props}
              {...asButton}
              rel={rel}
              href={href}
              ref={setButton}
              onClick={(event) => {
                if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey)
                  return;
                loadHere(event);
              }}
              onKeyDown={(event) => {
                if (event.key === ' ') loadHere(event);
              }}
            >
              {children}
            </a>
          )}
        >
          {props.name}
        </Button>
      )}
    </div>
  );
}

/** Named a button, because with scripts the link loads the next page into this one. */
const asButton = { role: 'button' } as const;

const listStops = () => [...document.querySelectorAll<HTMLElement>('main [data-shortcut-stop]')];

function precedes(one: Element, other: Element): boolean {
  return (one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
}
