import { t } from '@lingui/core/macro';
import { Fragment, type ReactNode, useId } from 'react';
import type { SearchHighlight } from '#shared/discovery/search.ts';
import { Author } from './Author.tsx';
import { Avatar } from '#web/ui/Avatar.tsx';
import { PathLink } from '#web/ui/PathLink.tsx';
import classes from './PostCard.module.css';
import { Time } from '#web/ui/Time.tsx';

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

/** A text with the parts that were searched for marked in it. */
export function HighlightedText({ parts }: { parts: readonly { text: string; highlighted: boolean }[] }) {
  return withOffsets(parts).map(({ at, text, highlighted }) =>
    highlighted ? (
      <mark key={at} className={classes.highlight}>
        {text}
      </mark>
    ) : (
      <Fragment key={at}>{text}</Fragment>
    ),
  );
}

function withOffsets(parts: readonly { text: string; highlighted: boolean }[]) {
  let end = 0;
  return parts.map((part) => {
    const at = end;
    end += part.text.length;
    return { ...part, at };
  });
}

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
