import { Button } from './Button.tsx';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, Ref } from 'react';
import { getSiteOrigin, parseSearch } from '#web/core/paths.ts';

type Props = Omit<LinkProps, 'to' | 'search' | 'hash' | 'params' | 'href'> &
  Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href' | keyof LinkProps> & {
    /** A path on this server with its query: '/search?q=rust'. */
    href: string;
    ref?: Ref<HTMLAnchorElement>;
  };

/** A link for addresses given as a string. The router's `Link` needs path and query separately. */
export function PathLink({ href, ...props }: Props) {
  const url = new URL(href, getSiteOrigin());
  const target = {
    to: url.pathname,
    search: parseSearch(url.search),
    ...(url.hash === '' ? {} : { hash: url.hash.slice(1) }),
  } as LinkProps;
  return <Link {...target} {...props} />;
}

/** A link that looks like a button, for the next step on an empty page. */
export function ButtonLink({ href, children }: { href: string; children: string }) {
  return (
    <Button variant="default" renderRoot={(props) => <PathLink href={href} {...props} />}>
      {children}
    </Button>
  );
}
