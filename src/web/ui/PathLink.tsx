import { Link, type LinkProps } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, Ref } from 'react';
import { parseSearch } from '#web/core/paths.ts';

type Props = Omit<LinkProps, 'to' | 'search' | 'hash' | 'params' | 'href'> &
  Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href' | keyof LinkProps> & {
    /** A path on this server, with its query: '/search?q=rust'. */
    href: string;
    ref?: Ref<HTMLAnchorElement>;
  };

/** A link by its address, for addresses that come as text; the router's own `Link` wants path and query apart. */
export function PathLink({ href, ...props }: Props) {
  const url = new URL(href, window.location.origin);
  const target = {
    to: url.pathname,
    search: parseSearch(url.search),
    ...(url.hash === '' ? {} : { hash: url.hash.slice(1) }),
  } as LinkProps;
  return <Link {...target} {...props} />;
}
