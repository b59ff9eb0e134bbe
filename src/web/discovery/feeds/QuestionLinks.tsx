import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import classes from './QuestionLinks.module.css';

/** A list of question titles, next to or below a page. */
export function QuestionLinks({ children }: { children: ReactNode }) {
  return <ul className={classes.list}>{children}</ul>;
}

/** @param children shown below the title. */
export function QuestionLink(props: { question: { id: number; title: string }; children: ReactNode }) {
  const { id, title } = props.question;
  return (
    <li className={classes.item}>
      <Link to="/question/$id" params={{ id: String(id) }} dir="auto" className={classes.link}>
        <span className={classes.title}>{title}</span>
      </Link>
      <span className={classes.note}>{props.children}</span>
    </li>
  );
}
