import type { ReactNode } from 'react';
import { PageHeading } from './PageHeading.tsx';
import classes from './MessagePage.module.css';

type Props = {
  heading: string;
  text: string;
  /** The page itself says what the banner about the connection would say. */
  outage?: boolean;
  children?: ReactNode;
};

/** A page with one thing to say and one thing to do next. */
export function MessagePage({ heading, text, outage = false, children }: Props) {
  return (
    <section className={classes.message} data-outage={outage || undefined}>
      <PageHeading className={classes.heading}>{heading}</PageHeading>
      <p className={classes.text}>{text}</p>
      {children}
    </section>
  );
}
