import type { ReactNode } from 'react';
import classes from './CardTitle.module.css';
import { PathLink } from './PathLink.tsx';

/** The title of a question in a list, leading to what the card is about. @param id names the card. */
export function CardTitle({ id, href, children }: { id: string; href: string; children: ReactNode }) {
  return (
    <h2 id={id} className={classes.title} dir="auto">
      <PathLink href={href} data-shortcut-stop>
        <span className={classes.lines}>{children}</span>
      </PathLink>
    </h2>
  );
}
