import { type AnchorHTMLAttributes, type MouseEvent, type Ref, useRef } from 'react';
import { type NavigateOptions, useLocation, useRouter } from '#web/core/router.ts';
import { Button } from './Button.tsx';

type Props = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> &
  NavigateOptions & {
    /** A path on this server with its query: '/search?q=rust'. */
    href: string;
    ref?: Ref<HTMLAnchorElement>;
  };

/** The pointer only crosses a link that it leaves sooner, in milliseconds. */
const preloadDelayMs = 50;

/** A link to a page of this site. Pointing at it or focusing it loads the page ahead. */
export function Link({ href, children, replace, resetScroll, state, ...props }: Props) {
  const router = useRouter();
  const timer = useRef<number | undefined>(undefined);
  const preload = () => router.preload(href);
  const preloadSoon = () => (timer.current = window.setTimeout(preload, preloadDelayMs));
  const cancelPreload = () => window.clearTimeout(timer.current);

  function open(event: MouseEvent<HTMLAnchorElement>) {
    props.onClick?.(event);
    const isPlain =
      event.button === 0 && !event.metaKey && !event.altKey && !event.ctrlKey && !event.shiftKey;
    const { target } = event.currentTarget;
    if (event.defaultPrevented || !isPlain || (target !== '' && target !== '_self')) return;
    event.preventDefault();
    void router.navigate(href, { replace, resetScroll, state });
  }

  return (
    <a
      {...props}
      href={href}
      onClick={open}
      onFocus={(event) => {
        props.onFocus?.(event);
        preloadSoon();
      }}
      onMouseEnter={(event) => {
        props.onMouseEnter?.(event);
        preloadSoon();
      }}
      onBlur={(event) => {
        props.onBlur?.(event);
        cancelPreload();
      }}
      onMouseLeave={(event) => {
        props.onMouseLeave?.(event);
        cancelPreload();
      }}
      onTouchStart={(event) => {
        props.onTouchStart?.(event);
        preload();
      }}
    >
      {children}
    </a>
  );
}

/** A link of the navigation, which is marked while its page is open. */
export function NavigationLink(props: Props) {
  const { pathname } = useLocation();
  return <Link aria-current={pathname === props.href ? 'page' : undefined} {...props} />;
}

/** A link that looks like a button, for the next step on an empty page. */
export function ButtonLink({ href, children }: { href: string; children: string }) {
  return (
    <Button variant="default" renderRoot={(props) => <Link href={href} {...props} />}>
      {children}
    </Button>
  );
}
