import { useCallback, useMemo, useState } from 'react';
import type { Branches } from '#web/posts/page-context.ts';

/** All replies are shown at first; what a reader folds away stays so while the page is open. */
export function useBranches(): Branches {
  const [closed, setClosed] = useState<ReadonlySet<string>>(none);
  const toggle = useCallback(
    (anchor: string) =>
      setClosed((before) => (before.has(anchor) ? without(before, [anchor]) : new Set(before).add(anchor))),
    [],
  );
  const open = useCallback(
    (anchors: readonly string[]) => setClosed((before) => without(before, anchors)),
    [],
  );
  return useMemo(() => ({ isClosed: (anchor) => closed.has(anchor), toggle, open }), [closed, toggle, open]);
}

const none: ReadonlySet<string> = new Set();

function without(closed: ReadonlySet<string>, anchors: readonly string[]): ReadonlySet<string> {
  const left = new Set([...closed].filter((anchor) => !anchors.includes(anchor)));
  return left.size === closed.size ? closed : left;
}
