import { Button } from '@mantine/core';
import { useEffect, useRef } from 'react';
import classes from './list-states.module.css';

/** A button below a partial list that loads more. The focus moves to the first new item. */
export function LoadMore(props: {
  name: string;
  /** The error message of the last try. */
  failure: string | null;
  isLoading: boolean;
  load: () => void;
  /** Centered below a list, at the start of the line in a thread. */
  variant?: 'list' | 'thread';
}) {
  const { isLoading, variant = 'list' } = props;
  const button = useRef<HTMLButtonElement>(null);
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
  return (
    <div className={variant === 'list' ? classes.loadMore : classes.loadMoreInThread}>
      {props.failure !== null && <p role="alert">{props.failure}</p>}
      <Button
        ref={button}
        variant="default"
        size={variant === 'list' ? 'md' : 'sm'}
        loading={isLoading}
        onClick={props.load}
      >
        {props.name}
      </Button>
    </div>
  );
}

const listStops = () => [...document.querySelectorAll<HTMLElement>('main [data-shortcut-stop]')];

function precedes(one: Element, other: Element): boolean {
  return (one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
}
