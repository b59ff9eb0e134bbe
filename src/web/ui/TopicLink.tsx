import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { paths } from '#web/platform/paths.ts';
import { PathLink } from './PathLink.tsx';

/** Leads to a topic's questions. */
export function TagLink({
  tag,
  className,
  shortcutStop = false,
  children = tag,
}: {
  tag: string;
  className?: string | undefined;
  /** Whether the keys `j` and `k` stop here. */
  shortcutStop?: boolean;
  children?: ReactNode;
}) {
  const props = {
    className,
    dir: 'auto',
    'data-shortcut-stop': shortcutStop || undefined,
    children,
  } as const;
  // Every browser takes these two, encoded or not, for steps in the path.
  if (tag === '.' || tag === '..')
    return <PathLink href={`${paths.search}?${new URLSearchParams({ q: tag }).toString()}`} {...props} />;
  return <Link to="/topics/$tag" params={{ tag }} {...props} />;
}
