import { t } from '@lingui/core/macro';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { RemovedPost } from '#shared/moderation/moderation.ts';
import { EmptyState } from '#web/ui/EmptyState.tsx';
import { PagedList } from '#web/ui/PagedList.tsx';
import { PageHeading, usePageTitle } from '#web/ui/PageHeading.tsx';
import { Time } from '#web/ui/Time.tsx';
import pageClasses from '#web/ui/page.module.css';
import { removedPostsQuery } from './moderation.ts';
import classes from './moderation.module.css';
import { ObjectionForm } from './ObjectionForm.tsx';

/** The member's own posts that moderators removed, with the possibility to object, also while suspended. */
export function RemovedPostsPage() {
  usePageTitle(t`Your removed posts`);
  const query = useInfiniteQuery(removedPostsQuery);
  return (
    <>
      <div className={pageClasses.header}>
        <PageHeading className={pageClasses.heading}>{t`Your removed posts`}</PageHeading>
      </div>
      <PagedList
        query={query}
        noun="results"
        keyOf={(post) => post.id}
        pending={null}
        empty={
          <EmptyState
            title={t`No removed posts`}
            text={t`If moderators remove a post of yours, you can read why here and object once.`}
          />
        }
      >
        {(posts: readonly RemovedPost[]) => (
          <ul className={classes.list}>
            {posts.map((post) => (
              <li key={post.id} className={classes.card} tabIndex={-1} data-shortcut-stop>
                <div className={classes.head}>
                  <span className={classes.strong} dir="auto">
                    {post.title || t`A hidden question`}
                  </span>
                  <span>{post.status === 'hidden' ? t`Hidden` : t`Deleted`}</span>
                  <Time at={post.removedAt} />
                </div>
                <p dir="auto">{describeReason(post)}</p>
                {post.objection !== 'none' && <p className={classes.quiet}>{describeObjection(post)}</p>}
                {post.canObject && <ObjectionForm hiddenPostId={post.id} />}
              </li>
            ))}
          </ul>
        )}
      </PagedList>
    </>
  );
}

const describeReason = ({ reason }: RemovedPost) => t`Reason: ${reason}`;

function describeObjection({ objection }: RemovedPost): string {
  return objection === 'open' ? t`A moderator will read your objection` : t`Your objection was declined.`;
}
