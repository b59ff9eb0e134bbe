import type { ReactNode } from 'react';
import { questionPath } from '#shared/posts/question-paths.ts';
import { Link } from '#web/ui/Link.tsx';
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
      <Link href={questionPath(id, title)} dir="auto" className={classes.link}>
        <span className={classes.title}>{title}</span>
      </Link>
      <span className={classes.note}>{props.children}</span>
    </li>
  );
}
