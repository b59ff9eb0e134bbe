import type { ReactNode } from 'react';
import { useQuestionPage } from './questions/question-page-context.ts';
import { anchorOf, isSamePost } from './post-ref.ts';
import type { PostRef } from '#shared/core/fields.ts';
import classes from './PostFrame.module.css';

/** The article of a post: the target of links, a stop of the `j` and `k` shortcuts, and focusable. */
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
      data-highlighted={isSamePost(targetPost, props.post) || undefined}
      className={props.className === undefined ? classes.post : `${classes.post} ${props.className}`}
      {...('name' in props ? { 'aria-label': props.name } : { 'aria-labelledby': props.titleId })}
    >
      {props.children}
    </article>
  );
}
