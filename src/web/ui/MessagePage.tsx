import type { ReactNode } from 'react';
import { PageHeading } from './PageHeading.tsx';
import classes from './MessagePage.module.css';

type Props = {
  heading: string;
  text: string;
  /** The page replaces the message of the connection banner. */
  outage?: boolean;
  children?: ReactNode;
};

/** A page with one message and one action. */
export function MessagePage({ heading, text, outage = false, children }: Props) {
  return (
    <section className={classes.message} data-outage={outage || undefined}>
      <PageHeading className={classes.heading}>{heading}</PageHeading>
      <p className={classes.text}>{text}</p>
      {children}
    </section>
  );
}
