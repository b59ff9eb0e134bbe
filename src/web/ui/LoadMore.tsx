import { Button } from '@mantine/core';
import { useEffect, useRef } from 'react';
import classes from './LoadMore.module.css';

/** Below a part of a list: gets more of it. The focus goes to the first item that came. */
export function LoadMore(props: {
  name: string;
  /** Why nothing came. */
  failure: string | null;
  isLoading: boolean;
  load: () => void;
  /** Below a page's list it stands in the middle, in a thread at its beginning. */
  place?: 'list' | 'thread';
}) {
  const { isLoading, place = 'list' } = props;
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
    <div className={place === 'list' ? classes.list : classes.thread}>
      {props.failure !== null && <p role="alert">{props.failure}</p>}
      <Button
        ref={button}
        variant="default"
        size={place === 'list' ? 'md' : 'sm'}
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
