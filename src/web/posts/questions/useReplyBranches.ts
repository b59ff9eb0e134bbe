import { useCallback, useMemo, useState } from 'react';
import type { ReplyBranches } from './question-page-context.ts';

/** All replies are expanded at first. Collapsed ones stay collapsed while the page is open. */
export function useReplyBranches(): ReplyBranches {
  const [collapsed, setCollapsed] = useState<ReadonlySet<string>>(none);
  const toggle = useCallback(
    (anchor: string) =>
      setCollapsed((before) =>
        before.has(anchor) ? without(before, [anchor]) : new Set(before).add(anchor),
      ),
    [],
  );
  const open = useCallback(
    (anchors: readonly string[]) => setCollapsed((before) => without(before, anchors)),
    [],
  );
  return useMemo(
    () => ({ isCollapsed: (anchor) => collapsed.has(anchor), toggle, expand: open }),
    [collapsed, toggle, open],
  );
}

const none: ReadonlySet<string> = new Set();

function without(closed: ReadonlySet<string>, anchors: readonly string[]): ReadonlySet<string> {
  const remaining = new Set([...closed].filter((anchor) => !anchors.includes(anchor)));
  return remaining.size === closed.size ? closed : remaining;
}
