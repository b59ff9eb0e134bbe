import { Button } from '@mantine/core';
import { PathLink } from './PathLink.tsx';

/** A link that looks like a button, for the next step on an empty page. */
export function ButtonLink({ href, children }: { href: string; children: string }) {
  return (
    <Button variant="default" renderRoot={(props) => <PathLink href={href} {...props} />}>
      {children}
    </Button>
  );
}
