import { t } from '@lingui/core/macro';
import { type ReactNode, useId } from 'react';
import type { SearchHighlight } from '#shared/search.ts';
import { Author } from './Author.tsx';
import { Avatar } from './Avatar.tsx';
import { CardTitle } from './CardTitle.tsx';
import { HighlightedText } from './Marked.tsx';
import { PathLink } from './PathLink.tsx';
import classes from './PostCard.module.css';
import { Time } from './Time.tsx';

/** A post in a list: who wrote it when, its title or that of its question, how it begins, and counts. */
export function PostCard({
  post,
  href,
  title,
  highlight,
  verb,
  counts,
  children,
}: {
  post: {
    authorId: number | null;
    authorName: string;
    createdAt: string;
    excerpt: string;
    excerptCut: boolean;
  };
  href: string;
  title: string;
  /** Where the post has what was searched for: it is marked there. */
  highlight: SearchHighlight | undefined;
  /** Between its author and its time. */
  verb?: string;
  counts: ReactNode;
  /** What stands beside the counts. */
  children?: ReactNode;
}) {
  const titleId = useId();
  return (
    <article className={classes.card} aria-labelledby={titleId}>
      <div className={classes.byline}>
        <Avatar id={post.authorId} name={post.authorName} size={22} />
        <Author id={post.authorId} name={post.authorName} className={classes.author} />
        {verb !== undefined && <span className={classes.verb}>{verb}</span>}
        <Time at={post.createdAt} kind="card" />
      </div>
      <CardTitle id={titleId} href={href}>
        {highlight === undefined ? title : <HighlightedText parts={highlight.title} />}
      </CardTitle>
      <p className={classes.excerpt} dir="auto">
        {highlight?.text ? <HighlightedText parts={highlight.text} /> : post.excerpt}
        {post.excerptCut && (
          <>
            {highlight?.text ? ' ' : '… '}
            <PathLink href={href} aria-describedby={titleId} className={classes.more}>
              {t`Read more`}
            </PathLink>
          </>
        )}
      </p>
      <div className={classes.footer}>
        <div className={classes.counts}>{counts}</div>
        {children}
      </div>
    </article>
  );
}
