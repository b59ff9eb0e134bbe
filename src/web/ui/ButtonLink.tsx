import { Button } from '@mantine/core';
import { PathLink } from './PathLink.tsx';

/** A link that looks like a button: the next step of an empty page. */
export function ButtonLink({ href, children }: { href: string; children: string }) {
  return (
    <Button variant="default" renderRoot={(props) => <PathLink href={href} {...props} />}>
      {children}
    </Button>
  );
}
