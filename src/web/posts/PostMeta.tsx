import { t } from '@lingui/core/macro';
import { type ReactNode, Suspense } from 'react';
import { formatDateTime } from '#web/core/format.ts';
import { Author } from './Author.tsx';
import { Avatar } from '#web/ui/Avatar.tsx';
import facts from '#web/ui/meta-line.module.css';
import { Time } from '#web/ui/Time.tsx';
import { anchorOf, type AnyPost } from './post-ref.ts';
import type { PostRef } from '#shared/core/fields.ts';
import { useQuestionPage } from './questions/question-page-context.ts';
import { EditedNote } from './revisions/EditedNote.tsx';
import { lazyComponent } from '#web/core/lazy.ts';
import { SourceMark } from './PostAttribution.tsx';
import classes from './PostMeta.module.css';

// Few posts have them.
const SiteHistoryNotes = lazyComponent(() => import('./SiteHistoryNotes.tsx'));

/**
 * The author and time of a post. The time links to the post. Replies have no avatar, so that they look lighter than
 * answers.
 */
export function PostMeta({
  post,
  content,
  children,
}: {
  post: PostRef;
  content: AnyPost;
  children?: ReactNode;
}) {
  const { questionAuthorId, isNew } = useQuestionPage();
  const isByQuestionAuthor =
    post.kind !== 'question' && content.authorId !== null && content.authorId === questionAuthorId;
  return (
    <div className={`${classes.meta} ${facts.line}`}>
      <span className={classes.who}>
        {post.kind !== 'reply' && (
          <Avatar id={content.authorId} name={content.authorName} avatar={content.authorAvatar} size={28} />
        )}
        <Author
          id={content.authorId}
          name={content.authorName}
          isBot={content.authorIsBot}
          className={classes.author}
        />
        {isByQuestionAuthor && <span className={classes.badge}>{t`Author`}</span>}
      </span>
      <span className={facts.item}>
        <a
          href={`#${anchorOf(post)}`}
          className={classes.date}
          data-printed={formatDateTime(content.createdAt)}
        >
          <Time at={content.createdAt} />
        </a>
        {post.kind !== 'question' && content.source !== null && <SourceMark source={content.source} />}
      </span>
      {'siteHistory' in content && content.siteHistory != null && content.source !== null && (
        <Suspense>
          <SiteHistoryNotes history={content.siteHistory} site={content.source.site} />
        </Suspense>
      )}
      {content.editedAt !== null && (
        <span className={facts.item}>
          <EditedNote post={post} editedAt={content.editedAt} />
        </span>
      )}
      {post.kind !== 'question' && isNew(content) && <span className={classes.new}>{t`New`}</span>}
      {children}
    </div>
  );
}
