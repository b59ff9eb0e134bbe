import { t } from '@lingui/core/macro';
import { Fragment, type ReactNode, useId } from 'react';
import type { SearchHighlight } from '#shared/discovery/search.ts';
import { Author } from './Author.tsx';
import { Avatar } from '#web/ui/Avatar.tsx';
import { Link } from '#web/ui/Link.tsx';
import classes from './PostCard.module.css';
import { Time } from '#web/ui/Time.tsx';

/** A post in a list: author, time, title (its own or that of its question), excerpt and counts. */
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
    authorAvatar: string | null;
    authorIsBot: boolean;
    createdAt: string;
    excerpt: string;
    excerptCut: boolean;
  };
  href: string;
  title: string;
  /** The matches of a search, which are highlighted. */
  highlight: SearchHighlight | undefined;
  /** The text between the author and the time. */
  verb?: string;
  counts: ReactNode;
  /** Shown next to the counts. */
  children?: ReactNode;
}) {
  const titleId = useId();
  return (
    <article className={classes.card} aria-labelledby={titleId}>
      <div className={classes.byline}>
        <Avatar id={post.authorId} name={post.authorName} avatar={post.authorAvatar} size={22} />
        <Author
          id={post.authorId}
          name={post.authorName}
          isBot={post.authorIsBot}
          className={classes.author}
        />
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
            {highlight?.text || isIntroduction(post.excerpt) ? ' ' : '… '}
            <Link href={href} aria-describedby={titleId} className={classes.more}>
              {t`Read more`}
            </Link>
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

/** Whether the text introduces code or a picture that the excerpt leaves out. */
const isIntroduction = (excerpt: string) => /[:：]$/u.test(excerpt);

/** A text with the matches of a search highlighted. */
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

/**
 * The question title of a card, with the link to the post.
 * @param id the id of the element that names the card.
 */
export function CardTitle({ id, href, children }: { id: string; href: string; children: ReactNode }) {
  return (
    <h2 id={id} className={classes.title} dir="auto">
      <Link href={href} data-shortcut-stop>
        <span className={classes.lines}>{children}</span>
      </Link>
    </h2>
  );
}
