import { t } from '@lingui/core/macro';
import { type ReactNode, useId } from 'react';
import type { SearchHit } from '#shared/search.ts';
import { Author } from './Author.tsx';
import { Avatar } from './Avatar.tsx';
import { CardTitle } from './CardTitle.tsx';
import { Marked } from './Marked.tsx';
import { PathLink } from './PathLink.tsx';
import classes from './PostCard.module.css';
import { Time } from './Time.tsx';

/** A post in a list: who wrote it when, its title or that of its question, how it begins, and counts. */
export function PostCard({
  post,
  href,
  title,
  hit,
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
  hit: SearchHit | undefined;
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
        {hit === undefined ? title : <Marked parts={hit.title} />}
      </CardTitle>
      <p className={classes.excerpt} dir="auto">
        {hit?.text ? <Marked parts={hit.text} /> : post.excerpt}
        {post.excerptCut && (
          <>
            {hit?.text ? ' ' : '… '}
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
