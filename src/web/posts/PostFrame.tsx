import type { ReactNode } from 'react';
import { useQuestionPage } from './questions/question-page-context.ts';
import { anchorOf, isSamePost, type PostRef } from './post-ref.ts';
import classes from './PostFrame.module.css';

/** The article of one post: what addresses point at, what `j` and `k` step through, what takes the focus. */
export function PostFrame(
  props: { post: PostRef; className?: string | undefined; children: ReactNode } & (
    | { name: string }
    | { titleId: string }
  ),
) {
  const { targetPost } = useQuestionPage();
  return (
    <article
      id={anchorOf(props.post)}
      tabIndex={-1}
      data-post
      data-shortcut-stop
      data-marked={isSamePost(targetPost, props.post) || undefined}
      className={props.className === undefined ? classes.post : `${classes.post} ${props.className}`}
      {...('name' in props ? { 'aria-label': props.name } : { 'aria-labelledby': props.titleId })}
    >
      {props.children}
    </article>
  );
}
