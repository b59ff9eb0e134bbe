import type { ReactNode } from 'react';
import { PageHeading } from './PageHeading.tsx';
import classes from './Message.module.css';

/** A page with one thing to say and one thing to do next. */
export function Message({
  heading,
  text,
  children,
}: {
  heading: string;
  text: string;
  children?: ReactNode;
}) {
  return (
    <section className={classes.message}>
      <PageHeading className={classes.heading}>{heading}</PageHeading>
      <p className={classes.text}>{text}</p>
      {children}
    </section>
  );
}
